"""Drafts and short answers of quoted sentences (T3, R17)."""

from llm.offline.drafts import NOTHING, assist, draft
from llm.roles import AssistAsked, DraftAsked, DraftFinding
from tests.llm.question_tree import passages_of


def test_a_draft_cites_every_sentence_and_escapes_it() -> None:
    findings = [
        DraftFinding(content="Mortality fell by 5% & more.", cite_key="horby2021"),
        DraftFinding(content="**Costs** were $3_000", cite_key="horby2021"),
        DraftFinding(content="| a | b |\n|---|---|\n| drug | 25 |", cite_key="sterne2020"),
    ]
    answer = draft(DraftAsked(section_title="Results", findings=findings))
    assert answer.cite_keys == ["horby2021", "sterne2020"]
    assert answer.latex == (
        "Mortality fell by 5\\% \\& more~\\cite{horby2021}. Costs were \\$3\\_000~\\cite{horby2021}.\n\n"
        "drug, 25~\\cite{sterne2020}."
    )


def test_a_short_answer_is_quoted() -> None:
    passages = passages_of("Alder raised soil nitrogen to 0.34%. Rye bread needs 45 minutes.")
    answer = assist(AssistAsked(question="Does alder raise soil nitrogen?", passages=passages))
    assert answer.sentences[0].text == "Alder raised soil nitrogen to 0.34%."
    assert answer.note == ""


def test_no_answer_is_said() -> None:
    answer = assist(AssistAsked(question="Do bees sleep?", passages=passages_of("Rye bread needs 45 minutes.")))
    assert answer.sentences == []
    assert answer.note == NOTHING
