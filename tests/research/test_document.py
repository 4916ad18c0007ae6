"""A report as a tree for paper (SPEC R14, R18): what is in it, and what can never be."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research.report.document import Document, read_report, text_of
from tests.examples import examples

REPORT = """# Alder & *soil*

> The offline engine. Two sources.

## Findings

Nitrogen rose to 0.34% [1] [2], **not** [9]. Words of theirs: \\[1] and `\\[1]`.

- one [1]
- two

| Plot | N |
|---|---|
| red | 0.34% [2] |

## References

[1] Binkley, D. (2003). *Red alder*. https://doi.org/10.5555/a_b.

[2] [Title](https://example.org/x_(1))

No number here.
"""


def kinds(value: Any) -> set[str]:
    """Every kind of node in a tree."""
    if isinstance(value, dict):
        return {value.get("t", "")} | kinds(list(value.values()))
    return {kind for one in value for kind in kinds(one)} if isinstance(value, list) else set()


def nodes(value: Any, kind: str) -> list[Any]:
    if isinstance(value, dict):
        here = [value["c"]] if value.get("t") == kind else []
        return here + [one for inner in value.values() for one in nodes(inner, kind)]
    return [one for inner in value for one in nodes(inner, kind)] if isinstance(value, list) else []


def test_title_note_and_text() -> None:
    document = read_report(REPORT)
    assert text_of(document.title) == "Alder & soil"
    assert text_of(document.note[0]["c"]) == "The offline engine. Two sources."
    assert [text_of(head[2]) for head in nodes(document.blocks, "Header")] == ["Findings", "References"]
    assert kinds(document.blocks) >= {"BulletList", "Table", "Strong", "Code"}


def test_markers_lead_to_the_list_and_other_brackets_stay_words() -> None:
    document = read_report(REPORT)
    links = [(text_of(inlines), address) for _, inlines, (address, _) in nodes(document.blocks, "Link")]
    assert [one for one in links if one[1].startswith("#")] == [
        ("[1]", "#ref-1"), ("[2]", "#ref-2"), ("[1]", "#ref-1"), ("[2]", "#ref-2"),
    ]  # fmt: skip
    text = text_of(document.blocks[1]["c"])
    assert "not [9]. Words of theirs: [1] and \\[1]." in text


def test_the_list_is_made_of_entries_with_live_addresses() -> None:
    document = read_report(REPORT)
    entries = nodes(document.blocks, "Div")
    assert [attributes[0] for attributes, _ in entries] == ["ref-1", "ref-2"]
    first = entries[0][1][0]["c"]
    assert text_of(first) == "[1]\u2002Binkley, D. (2003). Red alder. https://doi.org/10.5555/a_b."
    assert [address for _, _, (address, _) in nodes(first, "Link")] == ["https://doi.org/10.5555/a_b"]


@pytest.mark.parametrize(
    "evil",
    [
        '```{=typst}\n#read("/etc/passwd")\n```',
        '`#read("/etc/passwd")`{=typst}',
        "<script>alert(1)</script>",
        "![x](/etc/passwd)",
        "[x](javascript:alert(1))",
        "[x](file:///etc/passwd)",
        "[x](/etc/passwd)",
        "\\input{/etc/passwd}",
        "a\x00b\x1bc\x85d\ufffee",
    ],
)
def test_no_markup_but_our_own(evil: str) -> None:
    document = read_report(f"# T\n\n{evil}\n\n## References\n\n[1] {evil}")
    assert not kinds([document.title, document.blocks]) & {"RawBlock", "RawInline", "Image", "Math"}
    assert not [link for link in nodes(document.blocks, "Link") if not link[2][0].startswith(("https:", "http:", "#"))]
    assert not set(json.dumps(document.blocks, ensure_ascii=False)) & set("\x00\x1b\x85\ufffe")


def test_what_is_nested_without_end_stays_within_bounds() -> None:
    document = read_report("# T\n\ntext\n\n" + "> " * 9 + "deep\n\n" + "- " * 9 + "deeper")
    assert json.dumps(document.blocks).count("deep") == 2

    def depth(value: Any) -> int:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return 1 + max(map(depth, inner), default=0)

    assert depth(document.blocks) < 60


MARKDOWN = st.lists(
    st.sampled_from(["# ", "## References\n\n", "[1] ", "\\[", "> ", "- ", "1. ", "*", "**", "`", "```\n", "|", "---|",
        "\n", "\n\n"])
    | st.text(max_size=8),
    max_size=30,
).map("".join)  # fmt: skip


@given(MARKDOWN)
@example("")
@example("| a |\n|---|")
@examples(50)
def test_any_markdown_is_a_document(markdown: str) -> None:
    document = read_report(markdown)
    assert isinstance(document, Document)
    assert kinds([document.title, document.note, document.blocks]) <= {
        "", "Str", "Emph", "Strong", "Code", "LineBreak", "Link", "Header", "Para", "Plain", "BlockQuote", "BulletList",
        "OrderedList", "CodeBlock", "HorizontalRule", "Div", "Table", "Decimal", "Period", "AlignDefault",
        "ColWidthDefault",
    }  # fmt: skip
    assert "\ue000" not in json.dumps(document.blocks, ensure_ascii=False) or "\ue000" in markdown
