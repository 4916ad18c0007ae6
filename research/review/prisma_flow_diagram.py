"""Layout of the PRISMA-style flow diagram, which templates/research/_flow_picture.html draws."""

from collections.abc import Mapping
from dataclasses import dataclass

from research.plurals import counted
from research.review.prisma_flow import Flow
from sources.providers import PROVIDERS

WIDTH = 900
LEFT, RIGHT, BROAD = 20, 470, 410  # where the two columns begin, and the width of their boxes
LINE, AROUND, BETWEEN = 20, 14, 34  # line height, padding, and space between boxes
LETTERS = 54  # characters of a line in a box


@dataclass(frozen=True)
class Box:
    """A box with a heading and lines of text."""

    x: int
    y: int
    head: str
    lines: list[str]
    width: int = BROAD

    @property
    def height(self) -> int:
        """Return the height of the box."""
        return 2 * AROUND + LINE * (1 + len(self.lines)) - 4

    @property
    def text_x(self) -> int:
        """Return where the text of the box begins."""
        return self.x + AROUND

    @property
    def head_y(self) -> int:
        """Return the baseline of the heading."""
        return self.y + AROUND + 12

    def placed(self) -> list[tuple[int, str]]:
        """Return the lines, each with its baseline."""
        return [(self.head_y + LINE * number, line) for number, line in enumerate(self.lines, start=1)]


@dataclass(frozen=True)
class Picture:
    """The diagram: `arrows` are paths."""

    width: int
    height: int
    boxes: list[Box]
    arrows: list[str]


def rows_of(flow: Flow) -> list[tuple[str, int, list[tuple[str, int]]]]:
    """Return the content of the diagram as a table: (stage, number, [(part, number)])."""
    return [
        (
            "Records identified",
            flow.total,
            [(label_of(name), number) for name, number in flow.identified.items()],
        ),
        ("Duplicates removed", flow.duplicates, []),
        ("Works screened", flow.screened, []),
        ("Full texts read", flow.read, []),
        ("Full texts that could not be read", flow.not_read, list(_reasons(flow).items())),
        ("Judged by abstract, record or stored text", flow.not_sought, []),
        ("Works excluded", flow.excluded_total, list(flow.excluded.items())),
        ("Works in the report", flow.included, []),
        *([("Not decided, because the run did not finish", flow.undecided, [])] if flow.undecided else []),
    ]


def picture_of(flow: Flow) -> Picture:
    """Return the diagram: the main flow on the left, records that leave it on the right."""
    undecided = {"Not decided, because the run did not finish": flow.undecided} if flow.undecided else {}
    # The boxes of each row: (heading, lines).
    sides: list[list[tuple[str, Mapping[str, int]]]] = [
        [
            (
                f"Identified: {counted(flow.total, 'record')}",
                {label_of(name): number for name, number in flow.identified.items()},
            ),
            (f"Duplicates removed: {flow.duplicates:,}", {}),
        ],
        [(f"Screened: {counted(flow.screened, 'work')}", {})],
        [
            (f"Full texts read: {flow.read:,}", {"Judged by abstract, record or stored text": flow.not_sought}),
            (f"Full texts that could not be read: {flow.not_read:,}", _reasons(flow)),
        ],
        [
            (f"Included: {counted(flow.included, 'work')} in the report", undecided),
            (f"Excluded: {counted(flow.excluded_total, 'work')}", flow.excluded),
        ],
    ]
    boxes: list[Box] = []
    arrows: list[str] = []
    y = 10
    for side in sides:
        main, *asides = (Box(x, y, head, _listed(lines)) for x, (head, lines) in zip((LEFT, RIGHT), side, strict=False))
        boxes += [main, *asides]
        arrows += [f"M{LEFT + BROAD} {y + min(main.height, aside.height) // 2}H{RIGHT - 2}" for aside in asides]
        y += max(box.height for box in (main, *asides)) + BETWEEN
        arrows.append(f"M{LEFT + BROAD // 2} {main.y + main.height}V{y - 2}")
    return Picture(WIDTH, y - BETWEEN + 10, boxes, arrows[:-1])  # the last row has no arrow down


def label_of(provider: str) -> str:
    """Return the label of a provider."""
    return PROVIDERS[provider].label if provider in PROVIDERS else {"library": "Library"}.get(provider, provider)


def _reasons(flow: Flow) -> dict[str, int]:
    """Return the reasons why full texts could not be read, without full stops, with their numbers."""
    return {why.rstrip("."): number for why, number in flow.not_read_because.items()}


def _listed(numbers: Mapping[str, int]) -> list[str]:
    return [f"{_cut(name)}: {number:,}" for name, number in numbers.items()]


def _cut(text: str) -> str:
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 1].rstrip()}…"
