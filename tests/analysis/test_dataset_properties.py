"""Whatever a table holds and however it is written, it comes back the same; no bytes bring the reader down."""

import csv
import io
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from analysis.datasets.parse_cells import Style, dates_of, number_of, number_text
from analysis.datasets.read_table import read_table
from core.errors import Refused
from tests.examples import examples

WORDS = ["alder", "Größe", "βeta", "naïve", "sal", "x y", "a-b"]
LATIN = ["alder", "Größe", "naïve", "sal", "x y"]
numbers = st.decimals(-99999, 99999, places=2).map(float)
days = st.dates(date(1930, 1, 1), date(2035, 12, 31))


def lakhs(whole: int) -> str:
    """12345678 as 1,23,45,678."""
    text = str(whole)
    head, tail = text[:-3], text[-3:]
    parts = []
    while head:
        parts.append(head[-2:])
        head = head[:-2]
    return ",".join([*reversed(parts), tail])


@given(st.integers(0, 10**12))
def test_lakhs_and_thousands(whole: int) -> None:
    assert number_of(lakhs(whole), Style(".", ",")) == str(whole)
    assert number_of(f"{whole:,}", Style(".", ",")) == str(whole)
    assert number_of(f"{whole:,}".replace(",", "."), Style(",", ".")) == str(whole)
    assert number_of(f"{whole:,}".replace(",", "'"), Style(".", ",")) == str(whole)


@given(
    st.lists(days, min_size=1, max_size=10),
    st.sampled_from(["%d-%m-%Y", "%Y-%m-%d", "%d %b %Y", "%d.%m.%Y", "%Y/%m/%d"]),
)
def test_dates(found: list[date], pattern: str) -> None:
    texts = [day.strftime(pattern) for day in found]
    assert dates_of(texts, day_first=True).found == {
        text: day.isoformat() for text, day in zip(texts, found, strict=True)
    }


@examples(60)
@given(
    st.lists(
        st.tuples(st.one_of(st.none(), numbers), st.sampled_from(LATIN), st.booleans(), days), min_size=4, max_size=20
    ),
    st.sampled_from([(",", "."), (";", ","), ("\t", "."), ("\t", ","), ("|", "."), (";", ".")]),
    st.sampled_from(["utf-8", "utf-8-sig", "cp1252", "utf-16"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_a_frame_comes_back_the_same(
    rows: list[tuple[float | None, str, bool, date]], dialect: tuple[str, str], encoding: str, end: str
) -> None:
    separator, decimal = dialect
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=separator, lineterminator=end)
    writer.writerow(["number", "word", "flag", "day"])
    for number, word, flag, day in rows:
        text = "" if number is None else f"{number:.2f}".replace(".", decimal)
        writer.writerow([text, word, flag, day.strftime("%d-%m-%Y")])
    reading = {"day_first": True, "totals": False, "first_row": 1}
    table = read_table(out.getvalue().encode(encoding), "a.csv", reading)
    assert table.reading["separator"] == separator
    assert list(table.frame["c1"]) == ["" if number is None else number_text(number) for number, *_ in rows]
    assert list(table.frame["c2"]) == [word for _, word, _, _ in rows]
    assert list(table.frame["c4"]) == [day.isoformat() for *_, day in rows]


@examples(150)
@given(st.binary(max_size=200), st.sampled_from(["a.csv", "a.txt", "a.tsv"]))
def test_any_bytes_are_read_or_refused_with_a_sentence(data: bytes, name: str) -> None:
    try:
        table = read_table(data, name)
    except Refused as refused:
        is_said = len(refused.message) > 20
    else:
        is_said = len(table.columns) == len(table.frame.columns) == len(table.summary)
    assert is_said


@examples(150)
@given(st.text(alphabet=",;\t\n\"'=-+.0123456789aN/A%₹ ", max_size=120))
def test_any_text_is_read_or_refused_with_a_sentence(text: str) -> None:
    try:
        table = read_table(text.encode(), "a.csv")
    except Refused as refused:
        is_said = len(refused.message) > 20
    else:
        is_said = len({one["name"] for one in table.columns}) == len(table.columns)
    assert is_said
