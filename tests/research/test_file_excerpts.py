"""X6: of a file a model is shown single sentences, each word for word and short,
and nothing is put together from them."""

import base64
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claims.quotes import Span
from claims.verification import PassageWithSpans
from llm.roles import AssessAsked, ClaimToCheck, DigestItem, Faulty, Passage, RepairAsked, VerifyAsked
from research.run_context.copied_text import RepeatedTextIndex
from research.run_context.excerpts import MOST, OF_A_STUDY, narrowed, passages_for_model, quote_span
from research.run_context.text_pieces import BETWEEN, LIMIT, pieces_of
from tests.research.repeated_text import copied, windows

TALE = (
    "Red alder was planted beside Douglas-fir on 14 plots in 2003, and the plots were fenced against deer in the same "
    "year. Total soil nitrogen rose from 0.21% to 0.34% within 12 years on plots with red alder. "
    "It stayed at 0.22% without. The shade was measured with a wire at noon. Nobody counted the mosses of the stones. "
    "The farm was sold twice in those years, and its barn burnt down. Bees were kept at the gate. "
    "A road was built in the valley below. The school was closed in 2009."
)
ENDLESS = " ".join(f"alder{n} grows{n}" for n in range(400))  # one sentence, no stop, no comma
SOLID = base64.b64encode(bytes(n % 251 for n in range(4000))).decode()
CHINESE = "赤杨与花旗松混交林土壤氮含量在十二年内显著上升而对照样地没有变化研究人员认为固氮作用是主要原因" * 40
STOPPED = "赤杨固氮。土壤氮含量上升了百分之十二，对照样地没有变化。" * 40
TABLE = "| plot | nitrogen | note |\n|---|---|---|\n" + "\n".join(
    f"| {n} | 0.{n} | {'measured with care on a rainy day ' * 7}|" for n in range(10, 22)
)
ODD = {"endless": ENDLESS, "solid": SOLID, "chinese": CHINESE, "stopped": STOPPED, "table": TABLE, "tale": TALE}


def model(*items: DigestItem) -> Any:
    return SimpleNamespace(uses_model=True, digest=list(items))


def passage(text: str = TALE, **fields: Any) -> Passage:
    given = {"source_id": "a.md::S1", "document": "a.md", "title": "a.md", "is_file": True, **fields}
    return Passage(text=text, **given)


def note(text: str, *sources: str) -> DigestItem:
    return DigestItem(kind="fact", text=text, sources=list(sources) or ["a.md::S1"])


def parts(shown: str) -> list[str]:
    return shown.split(BETWEEN)


@settings(deadline=None)
@given(
    st.one_of(
        st.text(max_size=2000), st.text(alphabet="ab .,\n|1…", max_size=2000), st.sampled_from(list(ODD.values()))
    )
)
def test_pieces_are_short_and_lie_apart(text: str) -> None:
    last = 0
    for piece in pieces_of(text):
        assert last <= piece.start < piece.end <= len(text)
        assert piece.end - piece.start <= LIMIT
        assert text[piece.start : piece.end].strip() == text[piece.start : piece.end]
        last = piece.end


@settings(deadline=None)
@given(st.text(alphabet="ab c.,\n|1…", max_size=1500), st.text(alphabet="abc ", max_size=20))
def test_what_is_shown_stands_in_the_file_and_repeats_no_long_run_of_it(text: str, near: str) -> None:
    (shown,) = passages_for_model(model(), [passage(text)], near)
    if len(text) > LIMIT:
        assert all(part in text for part in shown.text.replace(" […] ", BETWEEN).split(BETWEEN))
        assert not copied(shown.text, windows([text]))


@pytest.mark.parametrize("kind", ODD)
def test_texts_of_every_kind(kind: str) -> None:
    """Sentences without an end, words without a space, tables: what is shown is some of it, in short pieces."""
    text = ODD[kind]
    (shown,) = passages_for_model(model(), [passage(text)], "Did nitrogen rise beside alder? 土壤氮")
    assert 0 < len(shown.text) < len(text)
    assert all(part in text and len(part) <= LIMIT for part in parts(shown.text))
    assert not copied(shown.text, windows([text]))


def test_the_nearest_sentences_are_shown_and_what_goes_on_from_them() -> None:
    (shown,) = passages_for_model(model(), [passage()], "Did total soil nitrogen rise with red alder?", 3)
    assert "0.34%" in shown.text
    assert "It stayed at 0.22% without." in shown.text, "it shares no word with the question"
    assert "school" not in shown.text
    assert len(parts(shown.text)) == 3
    assert len(parts(passages_for_model(model(), [passage()], "alder")[0].text)) == MOST
    assert passages_for_model(model(), [passage()], "quarks")[0].text.startswith("Red alder was planted"), (
        "else how it begins"
    )


def test_a_row_of_a_table_comes_with_its_head() -> None:
    (shown,) = passages_for_model(model(), [passage(TABLE)], "plot 14", 2)
    assert parts(shown.text)[0] == "plot | nitrogen | note"


def test_notes_that_stand_in_the_passage_come_first() -> None:
    bees, elsewhere = "Bees were kept at the gate.", "The school was closed in 2009."
    notes = (note(bees), note(elsewhere, "a.md::S2"), note("The bees are gone."), note(TALE))
    near = "Were bees kept where total soil nitrogen rose with red alder at school?"
    assert passages_for_model(model(*notes), [passage()], near, 1)[0].text == bees
    assert passages_for_model(model(), [passage()], near, 1)[0].text != bees
    assert passages_for_model(model(note(bees)), [passage()], "soil nitrogen", 1)[0].text != bees, (
        "it has no word of what is asked"
    )


def test_what_is_left_as_it_is() -> None:
    work = passage(is_file=False)
    short = passage("Alder grows. It is tall.")
    assert passages_for_model(model(), [work, short], "alder") == [work, short]
    offline = SimpleNamespace(uses_model=False, digest=[])
    assert passages_for_model(offline, [passage()], "alder") == [passage()]
    (shown,) = passages_for_model(model(), [passage(heading="On alder " * 30)], "alder")
    assert len(shown.heading) <= LIMIT


def test_a_mark_that_a_file_has_itself_puts_nothing_together() -> None:
    text = BETWEEN.join(["Alder has grown on this plot for a hundred years and a day, it is told"] * 9)
    (shown,) = passages_for_model(model(), [passage(text)], "alder")
    assert not copied(shown.text, windows([text]))


# Sentences of a report


def claims(*texts: str) -> list[ClaimToCheck]:
    """Each resting on the third sentence."""
    start = TALE.index("It stayed")
    place = Span(start, start + len("It stayed at 0.22% without."))
    rests = PassageWithSpans(**passage().model_dump(), places=(place,))
    return [ClaimToCheck(id=f"C{n}", text=text, passages=[rests]) for n, text in enumerate(texts, 1)]


def test_a_claim_is_shown_its_words_and_what_stands_around() -> None:
    asked = narrowed(model(), VerifyAsked(claims=claims("The level did not change.", "The barn burnt down.")))
    seen = {one.passages[0].text for one in asked.claims}
    assert len(seen) == 1, "a passage is told once, for all of them"
    (shown,) = seen
    for words in ("It stayed at 0.22% without.", "to 0.34% within", "The shade was measured", "its barn burnt down."):
        assert words in shown
    assert "school" not in shown
    faulty = [Faulty(id="C1", text="The barn stands.", verdict="CONTRADICTED", reason="", passages=[passage()])]
    (one,) = narrowed(model(), RepairAsked(sentences=faulty)).sentences
    assert "its barn burnt down." in one.passages[0].text


def test_the_places_are_no_part_of_what_is_asked() -> None:
    """So a journal that was kept before answers the same question."""
    plain = VerifyAsked(claims=[ClaimToCheck(id="C1", text="It stayed.", passages=[passage()])])
    assert VerifyAsked(claims=claims("It stayed.")).model_dump() == plain.model_dump()
    assert claims("x")[0].passages[0].model_dump() == passage().model_dump()


def test_of_a_study_what_tells_how_it_was_made() -> None:
    told = "The study was a randomised controlled trial with 120 participants. A limitation was the low response rate."
    text = "\n\n".join([TALE.replace("alder", f"alder{n}") for n in range(8)] + [told])
    asked = AssessAsked(title="a.md", text=text, is_file=True)
    shown = narrowed(model(), asked).text
    assert "randomised controlled trial with 120 participants." in shown
    assert "A limitation was the low response rate." in shown
    assert len(parts(shown)) <= OF_A_STUDY
    published = asked.model_copy(update={"is_file": False})
    assert narrowed(model(), published).text == text
    assert asked.model_dump() == published.model_dump()


# Quotes


@pytest.mark.parametrize(
    ("quote", "stands_on"),
    [
        ("It stayed at 0.22% without.", "It stayed at 0.22% without."),
        ("0.34% within … It stayed at 0.22% without.", "It stayed at 0.22% without."),
        ("Bees were kept at the gate. […] A road was built", "Bees were kept at the gate."),
        ("Bees were kept at the gate ...", "Bees were kept at the gate"),
        ("Bees were kept at the gate. … A railway was built", None),
        (" … ", None),
        ("", None),
        ("Bees were never kept", None),
    ],
)
def test_where_a_quote_stands(quote: str, stands_on: str | None) -> None:
    span = quote_span(quote, TALE, is_file=True)
    assert (span and TALE[span.start : span.end]) == stands_on
    assert (quote_span(quote, TALE, is_file=False) is None) == (quote not in TALE or not quote)


# What somebody else wrote


@settings(deadline=None)
@given(st.integers(0, 500), st.integers(0, 400), st.sampled_from(list(ODD.values())), st.text(max_size=40))
def test_long_runs_are_cut(start: int, length: int, text: str, around: str) -> None:
    bodies = RepeatedTextIndex([text, TALE], LIMIT)
    said = f"{around}{text[start : start + length]}{around}"
    cut = bodies.without_runs(said)
    assert not copied(cut, windows([text, TALE]))
    if not copied(said, windows([text, TALE])):
        assert cut == said


def test_a_run_is_cut_to_what_says_most() -> None:
    bodies = RepeatedTextIndex([TALE, ENDLESS], LIMIT)
    first = TALE[: TALE.index(" Total")]
    assert bodies.without_runs(first) == first, "as long as this it may be"
    said = f"We found: {TALE[: TALE.index(' It stayed')]} That is all."
    cut = bodies.without_runs(said)
    assert cut.startswith("We found: ")
    assert cut.endswith(" That is all.")
    assert "…" in cut
    assert len(bodies.without_runs(ENDLESS)) <= LIMIT
    torn = TALE.replace(" ", "\n  ")
    assert not copied(bodies.without_runs(torn), windows([TALE])), "white space makes no other words"
    assert RepeatedTextIndex([], LIMIT).without_runs(TALE) == TALE
    assert RepeatedTextIndex(["a" * 9000], LIMIT).without_runs("a" * 3000).count("a") <= LIMIT
