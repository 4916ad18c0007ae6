"""Passages cover a text exactly once and in order, whatever it is."""

from hypothesis import given, settings
from hypothesis import strategies as st

from contextfiles.passages import (
    GROUPED,
    LONGEST_SENTENCE,
    MAX_HEADING,
    Chunk,
    Part,
    Reading,
    Unreadable,
    clean_text,
    reading_of_chunks,
    reading_of_parts,
)
from contextfiles.read_text import read

unhurried = settings(deadline=None)  # the first example of a reader pays for its imports

LINES = st.lists(
    st.one_of(
        st.text(max_size=60),
        st.sampled_from(["", " ", "# One", "## Two ##", "====", "----", "```", "~~~", "#", "\u2028", "\x0c"]),
        st.builds(
            lambda word, times: f"{word} " * times, st.sampled_from(["ab.", "longer", "“x.”"]), st.integers(0, 900)
        ),
        st.builds(lambda times: "x" * times, st.integers(0, 5000)),
    ),
    max_size=20,
).map("\n".join)


def check(reading: Reading) -> set[int]:
    """Offsets, sizes, ids and order. Returns the positions that no passage covers."""
    uncovered = set(range(len(reading.text)))
    last = 0
    for number, segment in enumerate(reading.segments, start=1):
        passage = reading.text[segment.start : segment.end]
        assert segment.id == f"S{number}"
        assert last <= segment.start < segment.end <= len(reading.text)
        assert passage == passage.strip()
        assert len(passage) <= LONGEST_SENTENCE  # and only a sentence has more than LONGEST
        last = segment.end
        uncovered -= set(range(segment.start, segment.end))
    return {at for at in uncovered if reading.text[at].isalnum()}  # a line of signs alone is none that could be cited


@unhurried
@given(LINES)
def test_plain_text_is_covered_exactly_once(text: str) -> None:
    try:
        reading = read("txt", text.encode("utf-8", "ignore"))
    except Unreadable:
        return
    assert check(reading) == set()


@unhurried
@given(LINES)
def test_markdown_is_covered_exactly_once_but_for_headings(text: str) -> None:
    try:
        reading = read("md", text.encode("utf-8", "ignore"))
    except Unreadable:
        return
    left = check(reading)
    headings = {character for segment in reading.segments for character in segment.heading}
    assert {reading.text[at] for at in left} <= headings | set("#=-*_`")


PARTS = st.lists(st.builds(Part, st.text(max_size=300), st.booleans(), st.integers(1, 3), st.booleans()), max_size=30)


@unhurried
@given(PARTS)
def test_parts_keep_their_page_and_heading(parts: list[Part]) -> None:
    reading = reading_of_parts(sorted(parts, key=lambda part: part.page or 0))
    left = check(reading)
    headings = {segment.heading for segment in reading.segments}
    assert "".join(reading.text[at] for at in sorted(left)) == "" or headings
    for segment in reading.segments:
        assert segment.page in (1, 2, 3)
        assert segment.end - segment.start <= GROUPED or "\n\n" not in reading.text[segment.start : segment.end]


CHUNKS = st.lists(st.builds(Chunk, st.text(max_size=3000), st.text(max_size=300), st.integers(1, 3)), max_size=12)


@unhurried
@given(CHUNKS)
def test_chunks_are_passages_under_their_own_heading(chunks: list[Chunk]) -> None:
    reading = reading_of_chunks(chunks)
    assert check(reading) == set()
    assert all(len(segment.heading) <= MAX_HEADING and "\n" not in segment.heading for segment in reading.segments)
    said = "".join(reading.text[segment.start : segment.end] for segment in reading.segments if segment.page == 2)
    wanted = "".join(clean_text(chunk.text) for chunk in chunks if chunk.page == 2)
    assert "".join(said.split()) == "".join(wanted.split())


@unhurried
@given(st.binary(max_size=400), st.sampled_from(["txt", "md", "csv", "html", "bib", "ris"]))
def test_any_bytes_are_read_or_refused_with_a_sentence(data: bytes, format: str) -> None:
    said = "Read."
    try:
        check(read(format, data))
    except Unreadable as error:
        said = str(error)
    assert said.endswith(".")
