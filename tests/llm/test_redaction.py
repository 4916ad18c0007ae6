"""SPEC T4: private details are taken out of a text and put back, whatever the text, and nothing of them stays in it."""

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from llm.placeholders import StreamRestorer, placeholder, restore
from llm.redaction import Redaction, _redacted
from tests.examples import examples
from tests.llm.redacted import redact
from tests.time_limits import HANGS
from text.personal_data.find_names import Names
from text.personal_data.plain_view import seen, unescaped

NAMES = Names(
    people=("Asha Iyer", "Max Power", "May Young", "Jörg Müller", "王小明", "Анна Иванова", "Séan O'Brien", "आशा अय्यर",
        "Ben Ng"),
    emails=("asha@localhost",),
    lines=("Ward Seven", "Keller", "Reed", "黒沢病院", "3M-Kontrollgruppe"),
)  # fmt: skip
SALT = "thesis"


def redacted(text: str, names: Names = NAMES) -> str:
    """`text` as a model is told it, once it was seen that it comes back whole."""
    hidden, values = redact(text, names, SALT)
    assert restore(hidden, values) == text
    assert redact(hidden, names, SALT)[0] == hidden, "what was taken out once stays as it is"
    return hidden


# (a text, what must not be left of it)
HIDDEN = [
    ("\\author{Asha Iyer}", "Asha Iyer"),
    ("by Asha~Iyer and", "Asha Iyer"),
    ("by Asha\\ Iyer", "Asha Iyer"),
    ("by Asha\nIyer", "Asha Iyer"),
    ("by Asha \\textsc{Iyer}", "Asha Iyer"),
    ("Iyer, Asha K.", "Asha Iyer"),
    ("ASHA IYER", "ASHA IYER"),
    ("asha iyer", "asha iyer"),
    ("asha_iyer_thesis.tex", "asha iyer"),
    ("Iyer's plots", "Iyer"),
    ("Iyers Felder", "Iyer"),
    ("Asha K. Iyer", "Asha Iyer"),
    ("A. Iyer", "Iyer"),
    ("Dr Power said", "Power"),
    ("M. Power said", "Power"),
    ("Max Power said", "Max Power"),
    ("by May Young", "May Young"),
    ('M\\"uller', 'M\\"uller'),
    ('J{\\"o}rg M\\"{u}ller', "rg ller"),
    ("Mueller and MÜLLER", "Mueller MÜLLER"),
    (unicodedata.normalize("NFD", "Jörg Müller"), "rg ller"),
    ("患者王小明在这里", "王小明"),
    ("Анна Иванова и Иванова", "Анна Иванова"),
    ("आशा अय्यर ने कहा", "आशा अय्यर"),
    ("Sean O’Brien", "Sean Brien"),
    ("B. Ng and Ben Ng", "Ng Ben"),
    ("ward  seven, WARD~SEVEN", "ward seven WARD SEVEN"),
    ("keller", "keller"),
    ("Reed, but not the reed", "Reed"),
    ("das 黒沢病院で", "黒沢病院"),
    ("der 3M-Kontrollgruppe", "3M Kontrollgruppe"),
    ("asha@localhost", "asha"),
    ('{"text": "seen by Asha\\nIyer and \\"Iyer\\" too"}', "Asha Iyer"),
    ('{"text": "M\\\\\\"uller came"}', "uller"),
    ('{"text": "Geburtsdatum:\\n12.03.1954"}', "12.03.1954"),
    ("Patient: Maria Huber, MRN 0042317 (0042317)", "Maria Huber 0042317"),
    ("https://lab.example/asha-iyer", "asha iyer"),
]

KEPT = [
    "Power was 80 %. In May the young may do more than Young said.",
    "\\cite{Iyer_2019,keller:2020} and \\parencite[see][12]{Iyer-Keller}, \\nocite{Keller}",
    "@article{Keller_2019, title = {Soil}}",
    '{"cite_key": "Keller_Iyer"}',
    "doi:10.1000/keller.2019 and Iyer_2019 and iyer2019",
    "In a reed bed, li and ng; Ng; LiCl",
    "NCT01234567, PMID 31234567, ISBN 978-3-16-148410-0, 12 345 678 participants",
    "PRIVATE-NAME-ABCDEFGHIJ is no placeholder of ours",
    "\\Power \\Iyer \\newcommand",
]


@pytest.mark.parametrize(("text", "words"), HIDDEN)
def test_a_detail_is_hidden_however_it_is_written(text: str, words: str) -> None:
    hidden = redacted(text)
    assert [word for word in words.split() if word in hidden] == []


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_detail_stays(text: str) -> None:
    assert redacted(text) == text


def test_the_same_detail_has_the_same_placeholder_in_its_thesis_alone() -> None:
    first, again = redacted("Asha Iyer wrote."), redacted("Ask Iyer.")
    assert again.removeprefix("Ask ")[:23] in first
    other = redact("Asha Iyer wrote.", NAMES, "another")[0]
    assert not set(first.split()[:2]) & set(other.split()[:2])


def test_names_keep_what_stands_between_them() -> None:
    hidden, values = redact("\\author{Asha~Iyer}\nAsha\nIyer", NAMES, SALT)
    first, second = (placeholder(SALT, "patient_name", word) for word in ("Asha", "Iyer"))
    assert hidden == f"\\author{{{first}~{second}}}\n{first}\n{second}"
    assert values == {first: "Asha", second: "Iyer"}


def test_people_are_told_each_detail_once() -> None:
    redaction = Redaction(SALT, NAMES)
    redaction.texts(["Asha Iyer, IYER and Iyer, tel. 061 265 25 25.", "Tel. 061 265 25 25; ward seven"])
    assert [tuple(one) for one in redaction.redacted] == [
        ("patient_name", "Asha Iyer"),
        ("phone", "061 265 25 25"),
        ("kept_private", "Ward Seven"),
    ]


def test_what_is_found_in_one_text_is_taken_out_of_the_others() -> None:
    redaction = Redaction(SALT, NAMES)
    first, second = redaction.texts(["MRN 0042317, born 12.03.1954", "What of 0042317 (12.03.1954)? And 100423170?"])
    assert "0042317" not in first
    assert "12.03.1954" not in first + second
    assert second.startswith("What of PRIVATE-NUMBER-")
    assert second.endswith("And 100423170?")
    assert redaction.restore(second) == "What of 0042317 (12.03.1954)? And 100423170?"
    named = Redaction(SALT, NAMES).texts(["Patient name: Hans Muster, DOB: 03/04/1948", "Ask Hans Muster; Hans waits."])
    assert "Muster" not in "".join(named)
    assert named[1].endswith("; Hans waits.")
    many = [f"MRN {1_000_000 + n}" for n in range(100)]
    assert "1000042" not in Redaction(SALT, NAMES).texts(["\n".join(many), "patient 1000042"])[1]


@pytest.mark.parametrize(
    "written",
    [
        "{}", "\\emph{{{}}}", "{}'s", "“{}”", "{}s", "({})", "~{}.", "x{}",
    ],
)  # fmt: skip
def test_a_model_may_put_a_placeholder_anywhere(written: str) -> None:
    hidden, values = redact("Iyer", NAMES, SALT)
    assert restore(written.format(hidden), values) == written.format("Iyer")


@pytest.mark.parametrize(
    ("old", "new"), [("-", "\\-"), ("-", "{-}"), ("-", "--"), ("-", "–"), ("-", "\\_"), ("-", "-\n"), ("-", "\u2011")]
)
def test_a_model_may_spoil_its_hyphens_or_its_letters(old: str, new: str) -> None:
    hidden, values = redact("Iyer", NAMES, SALT)
    assert restore(hidden.replace(old, new), values) == "Iyer"
    assert restore(hidden.lower(), values) == restore(hidden.title(), values) == "Iyer"


def test_a_placeholder_that_a_model_made_up_stays() -> None:
    hidden, values = redact("Iyer", NAMES, SALT)
    for invented in ("PRIVATE-NAME-ABCDEFGHIJ", "PRIVATE-NAME-1", "PRIVATE-", hidden[:-1]):
        assert restore(f"{invented} said", values) == f"{invented} said"


def test_what_looks_like_a_placeholder_hides_nothing() -> None:
    assert "Keller" not in redacted("PRIVATE-NAME-Keller")
    names = Names(lines=("ABCDEFGHIJ", "PRIVATE", "Name"))
    assert "ABCDEFGHIJ" not in redacted("PRIVATE-NAME-ABCDEFGHIJ", names)
    assert redact("Private, name", names, SALT)[0].count("PRIVATE-WORD-") == 2


def test_details_from_json_lose_its_backslashes_in_an_answer() -> None:
    redaction = Redaction(SALT, NAMES)
    (hidden,) = redaction.texts(['{"text": "M\\\\\\"uller", "said": "by \\"Iyer\\""}'])
    name = next(word for word in hidden.split('"') if word.startswith("PRIVATE"))
    assert redaction.answered({"quote": [f"{name} came"], name: 1}) == {"quote": ['M\\"uller came'], name: 1}


WORDS = st.text(st.characters(categories=["Lu", "Ll", "Lo", "Nd"]), min_size=2, max_size=8)
TEXTS = st.text(st.characters() | st.sampled_from(' \n\\{}~"-.,@0123456789'), max_size=80)
PIECES = st.sampled_from([text for text, _ in HIDDEN] + KEPT)


@examples(200)
@given(
    st.lists(WORDS, max_size=4),
    st.lists(WORDS, max_size=3),
    st.lists(TEXTS | PIECES | st.sampled_from(["PRIVATE-NAME-", "PRIVATE"]), max_size=6),
    st.randoms(use_true_random=False),
)
def test_any_text_comes_back_whole(people: list[str], lines: list[str], parts: list[str], chance: object) -> None:
    names = Names(people=(*NAMES.people, " ".join(people)), lines=tuple(lines))
    text = "".join(parts + people + lines)
    hidden, values = redact(text, names, SALT)
    assert restore(hidden, values) == text


@examples(200)
@given(st.lists(WORDS, min_size=1, max_size=3), TEXTS, TEXTS)
def test_no_line_is_left_in_what_is_sent(words: list[str], before: str, after: str) -> None:
    line = " ".join(words)
    text = f"{before} \n{line}\n {after}"
    hidden, values = redact(text, Names(lines=(line,)), SALT)
    assert line not in hidden.split("\n")
    assert any(placed in hidden for placed in values)


@examples(100)
@given(st.lists(TEXTS | PIECES, max_size=6))
def test_what_was_taken_out_once_stays_as_it_is(parts: list[str]) -> None:
    hidden = redact(" ".join(parts), NAMES, SALT)[0]
    assert redact(hidden, NAMES, SALT)[0] == hidden


@examples(200)
@given(st.lists(PIECES | TEXTS, max_size=4), st.lists(st.integers(1, 30), min_size=1, max_size=40))
def test_an_answer_in_pieces_is_restored_as_a_whole(parts: list[str], lengths: list[int]) -> None:
    redaction = Redaction(SALT, NAMES)
    (hidden,) = redaction.texts(["p PRIVATE- ".join(parts)])
    stream, shown, at = redaction.streaming(), "", 0
    while at < len(hidden):
        for length in lengths:
            shown += stream.feed(hidden[at : at + length])
            assert "PRIVATE-NAME-" not in shown.replace("PRIVATE-NAME-ABCDEFGHIJ", "") or "PRIVATE-NAME-" in "".join(
                parts
            )
            at += length
    assert shown + stream.end() == redaction.answered(hidden)


def test_a_placeholder_that_ends_as_another_begins_is_not_cut() -> None:
    names = (f"Iyer{number}" for number in range(2_000))
    name = next(name for name in names if placeholder(SALT, "patient_name", name)[-1] == "P")
    hidden = placeholder(SALT, "patient_name", name)
    stream = StreamRestorer({hidden: name})
    assert "".join(map(stream.feed, f"{hidden}RIVATE-NAME {hidden}")) + stream.end() == f"{name}RIVATE-NAME {name}"


def test_a_stream_holds_back_no_more_than_it_must() -> None:
    stream = StreamRestorer({placeholder(SALT, "patient_name", "Iyer"): "Iyer"})
    assert stream.feed("The plots ") == "The plots "
    assert stream.feed("stop") == "sto"
    assert stream.feed(" at PRIVATE") == "p at "
    assert stream.feed("LY owned") == "PRIVATELY owned"
    assert StreamRestorer({}).feed("PRIVATE-NA") == "PRIVATE-NA"


@given(TEXTS)
def test_places_lead_back_to_the_text_as_written(text: str) -> None:
    assert len(unescaped(text)) == len(text)
    view = seen(text)
    places = [view.place(at) for at in range(len(view.text) + 1)]
    assert places == sorted(places)
    assert places[-1] == len(text)
    assume(len(view.text) == len(text))
    assert view.text == text


SENTENCE = (
    "Of 1,204 patients (mean age 54.3 years) with asthma, Asha Iyer saw 17 % in 2019 \\cite{Iyer_2019}; Müller none. "
)
LONG = 40_000  # characters
HOSTILE = [
    (piece * LONG)[:LONG]
    for piece in (
        "P", "PRIVATE-", "PRIVATE-NAME-ABCDEFGHIJ", "Asha ", "Iyer, ", "A. ", "\\", "\\\"u", "{\\\"", "\\cite{",
        "\\citecite", "Ward ",
        "MRN 1234567 ", "Müller", "王", "a ", "@a{", "\n",
    )
]  # fmt: skip


@pytest.mark.sample(1)
@pytest.mark.timeout(HANGS)
@pytest.mark.parametrize("text", HOSTILE, ids=[text[:8] for text in HOSTILE])
def test_no_text_takes_long(text: str) -> None:
    redact(text, NAMES, SALT)
    stream = StreamRestorer({placeholder(SALT, "patient_name", "Iyer"): "Iyer"})
    for at in range(0, 4_000, 4):
        stream.feed(text[at : at + 4])


@pytest.mark.timeout(HANGS)
def test_time_does_not_grow_with_the_list_of_names() -> None:
    """Each name looked for in each word would take minutes."""
    many = Names(
        people=tuple(f"Person{n} Namesake{n}" for n in range(1_000)), lines=tuple(f"Line{n}" for n in range(10_000))
    )
    assert _redacted(SALT, many, SENTENCE * 800)


def test_a_text_that_comes_again_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (SENTENCE * 2_000)[:100_000]
    first = Redaction(SALT, NAMES).texts([text])
    monkeypatch.delattr("llm.redaction._redacted")
    assert Redaction(SALT, NAMES).texts([text]) == first
