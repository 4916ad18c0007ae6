"""R9: the wordings that ask for a literature review, and those that only look like it."""

import pytest

from research.query_type import detect

REVIEW = [
    "A literature review of stroke units",
    "systematic review: statins",
    "meta-analysis of tranexamic acid",
    "a meta analysis on alder",
    "Survey of transformer models",
    "What is the state of the art in ear surgery?",
    "state-of-the-art in ear surgery",
    "The research landscape around gut microbiota",
    "the body of literature about sleep",
    "body of work on memory",
    "Prior work on soil nitrogen",
    "prior studies of falls",
    "existing literature on consent",
    "Existing research about delirium",
    "background research for a thesis",
    "review of the literature on gout",
    "review the research on gout",
    "review of studies of gout",
    "What does the research say about naps?",
    "what has research shown about naps",
    "What does research suggest about naps",
    "research on exercise in older adults",
    "research regarding vaccines for travellers",
    "Compare the existing literature on two drugs",  # wins over the others
]
OTHERS = [
    ("Compare dexamethasone with hydrocortisone", "comparison"),
    ("Is A better than B?", "comparison"),
    ("Differences between CT and MRI", "comparison"),
    ("dexamethasone versus placebo", "comparison"),
    ("List the causes of delirium", "enumeration"),
    ("What are the types of shock?", "enumeration"),
    ("How to measure blood pressure", "howto"),
    ("How do I calculate a sample size?", "howto"),
    ("Why does alder fix nitrogen?", "explanation"),
    ("Do corticosteroids reduce mortality?", "explanation"),
    ("My research on Tuesday", "explanation"),  # not "research on ... in"
    ("The surveyor of roads", "explanation"),
]


@pytest.mark.parametrize("question", REVIEW)
def test_literature_review_wordings(question: str) -> None:
    assert detect(question, academic=False).query_type == "literature_review"


@pytest.mark.parametrize(("question", "kind"), OTHERS)
def test_other_wordings(question: str, kind: str) -> None:
    assert detect(question, academic=False).query_type == kind


def test_academic_leans_to_a_review_only_when_nothing_else_fits() -> None:
    assert detect("Why does alder fix nitrogen?", academic=True).query_type == "literature_review"
    assert detect("Compare A with B", academic=True).query_type == "comparison"


def test_a_template_decides() -> None:
    assert detect("A literature review of X", academic=True, template="howto").query_type == "howto"
