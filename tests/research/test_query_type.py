"""R9: the wordings that ask for a literature review, and those that only look like it."""

import pytest

from research.query_type import detect

# Every wording of R9, one by one.
WORDINGS = [
    *("literature review", "systematic review", "Literature  Review", "SYSTEMATIC REVIEW"),
    *("meta-analysis", "meta analysis", "metaanalysis", "meta-analyses"),
    *("survey of", "state of the art", "state-of-the-art", "research landscape"),
    *("body of research", "body of literature", "body of work"),
    *("prior work", "prior research", "prior studies"),
    *("existing research", "existing literature", "existing studies"),
    *("background research", "background review"),
    *("review of literature", "review of research", "review of studies"),
    *("review of the literature", "review of the research", "review of the studies"),
    *(
        f"what {does} {the}research {verb}"
        for does, verbs in {
            "does": ("say", "show", "suggest", "indicate", "find"),
            "has": ("said", "shown", "suggested", "indicated", "found"),
        }.items()
        for the in ("the ", "")
        for verb in verbs
    ),
    *(f"research {on} sleep {where} nurses" for on in ("on", "into", "about", "regarding") for where in ("in", "for",
        "across")),
]  # fmt: skip
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
    "research on A. thaliana in poor soils",
    "research regarding vaccines for travellers",
    "Compare the existing literature on two drugs",  # wins over the others
    "List prior studies of gout",
    "How to write a meta-analysis",
]
# What only looks like one of them.
TRAPS = [
    "Does prior work experience help nurses stay?",
    "How are existing research staff paid?",
    "What do existing research assistants earn?",
    "My research on Tuesday",
    "Is research on alder dear?",  # not "research on ... in"
    "Who did the research on bees? They live in hives for years.",
    "Is it research on mice. They live in cages.",
    "Does peer review of research work?",
    "Did they peer review the studies?",
    "The surveyor of roads",
    "A survey on roads",
    "The state of the arts council",
    "What does the researcher say?",
    "What does the search show?",
    "Why does literature matter to reviewers?",
    "the body of the work force",
    "Analyses of metal",
    "Background noise and review boards",
    "a priori studies",
    "Research question in brief",
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
]


@pytest.mark.parametrize("wording", WORDINGS)
def test_every_wording_of_the_list(wording: str) -> None:
    """R9: at the beginning, in the middle and at the end, and it wins over other wordings."""
    for question in (
        wording,
        f"Compare, please: {wording} gout",
        f"How do I find a {wording}?",
        f"List the {wording}.",
    ):
        assert detect(question, academic=False).query_type == "literature_review", question


@pytest.mark.parametrize("question", TRAPS)
def test_what_only_looks_like_a_review(question: str) -> None:
    detected = detect(question, academic=False)
    assert detected.query_type != "literature_review", detected.reason


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
