"""R11: a sentence without a source is a claim, unless a stated rule tells that it states no fact."""

import pytest

from claims.exempt_sentences import ExemptStatements
from claims.extraction import claims_of
from projects.models import Project, User
from research.claim_check.check import statements_of
from research.models import Gap, Node
from research.query_type import HEADINGS
from research.report.section_headings import NOTHING
from tests.start_run import start_run
from text.stemming import content_stems

pytestmark = pytest.mark.django_db

RUN = ExemptStatements(
    content_stems("Does dexamethasone lower mortality in patients with COVID-19? Harms of steroids"),
    frozenset({"Nothing was said of children"}),
    works=8,
    unknown=frozenset({"gaps"}),
    ours=frozenset({NOTHING.rstrip(".")}),
)


def uncited(body: str, section: str = "summary") -> list[str]:
    return [claim.text for claim in claims_of({section: body}, RUN) if not claim.findings]


@pytest.mark.parametrize(
    "text",
    [
        "This section discusses the effects of dexamethasone on mortality.",
        "The following section turns to the harms of steroids.",
        "Dieser Abschnitt behandelt dexamethasone.",
        "Cette section présente mortality.",
        "It is not known whether dexamethasone lowers mortality in patients.",
        "No trials were found on harms of steroids.",
        "Six trials were found by the search.",
        "8 studies were read for this review.",
        "Nothing was found for this part.",
        "The search was limited to trials of dexamethasone.",
        "### Mortality and harms\n",
        "**Harms**",
        "---",
    ],
)
def test_no_claim(text: str) -> None:
    assert uncited(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Dexamethasone cut mortality by 87 % in 45 000 patients.",
        "Aspirin cures malaria.",
        "Dexamethason senkte die Sterblichkeit.",
        "La dexaméthasone réduit la mortalité.",
        "地塞米松降低死亡率。",
        "This section discusses how dexamethasone cut mortality by 87 %.",
        "This section describes the cure of malaria by aspirin.",
        "This section discusses dexamethasone, which lowers mortality.",
        "This section shows that dexamethasone lowers mortality.",
        "The search found that dexamethasone lowers mortality.",
        "It is not known whether steroids harm, but dexamethasone lowers mortality.",
        "Six hundred trials were found by the search.",
        "9 trials were found by the search.",
        "Did you know that aspirin cures malaria?",
        "No trial found harms of steroids.",
        "In conclusion, dexamethasone lowers mortality.",
        "**Dexamethasone cut mortality by 87 %**",
    ],
)
def test_a_claim(text: str) -> None:
    assert len(uncited(text)) == 1


def test_a_gap_is_one_where_gaps_are_told() -> None:
    assert uncited("Nothing was said of children.", "gaps") == []
    assert uncited("Nothing was said of children.") == ["Nothing was said of children."]


def test_what_a_model_calls_a_gap_has_to_lack_something(project: Project, owner: User) -> None:
    run = start_run(project, owner, "Does it help?", profile="general", enqueue=False)
    node = Node.objects.create(run=run, number="1", depth=0, topic="Help", question="Does it help?")
    for number, text in enumerate(("It cut deaths by half.", "No trial asked children. Roots were never dug up."), 1):
        Gap.objects.create(run=run, node=node, gap_id=f"G1-{number}", description=text, priority=1)
    statements = statements_of(run, HEADINGS["explanation"])
    (section,) = statements.unknown
    assert not statements.is_exempt("It cut deaths by half.", section)
    assert statements.is_exempt("No trial asked children.", section)
    assert statements.is_exempt("Roots were never dug up.", section)
    assert not statements.is_exempt("No trial asked children.", "summary")


def test_a_heading_that_states_something_is_a_claim() -> None:
    assert uncited("### Dexamethasone cut mortality by 87 %\n\n- Aspirin cures malaria\n- Harms rose. [[F1-1]]") == [
        "Dexamethasone cut mortality by 87 %",
        "Aspirin cures malaria",
    ]


def test_each_sentence_before_and_behind_a_cited_one() -> None:
    assert uncited("Deaths fell. Harms rose [[F1-1]]. Fever went. It was so [[F1-2]] All got well. 好。") == [
        "Deaths fell.", "Fever went.", "All got well.", "好。",
    ]  # fmt: skip


def test_rows_of_a_table() -> None:
    table = "| drug | deaths |\n|---|---|\n| a | 12 [[F1-1]] |\n| b | 87 |"
    claims = claims_of({"summary": table}, RUN)
    assert [(claim.text.splitlines()[-1], claim.findings) for claim in claims] == [
        ("| a | 12 |", ("F1-1",)),
        ("| b | 87 |", ()),
    ]
    assert all(claim.text.startswith("| drug | deaths |\n|---|---|\n") for claim in claims), "told with its columns"
    whole = "| drug | deaths |\n|---|---|\n| a | 12 |"
    assert uncited(whole) == [whole]
