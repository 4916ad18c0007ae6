"""R11: a model that writes facts without a source, misquotes, makes up figures and skips verdicts: the report line
by line, and one ledger of its claims, the same in the report, on its pages, in every export and in the log.
"""

import html
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pypdfium2
import pytest
from django.urls import reverse

from claims.verification import COLUMNS, in_words, ledger
from projects.models import Project, User
from research.claim_check.claim_list import sentences_of
from research.export.export import export
from research.follow_ups.revise_report import restore_report, state_before
from research.journal.provenance import log_of
from research.models import FollowUp, Run
from research.pages.report_html import report_html
from research.replay import replay
from tests.people import her_thesis, signed_in
from tests.research.finished_run import for_all_tests, forest, owner, project, run
from tests.research.forest_thesis import plant, researched
from tests.research_model.conftest import serving_alone
from tests.research_model.planted_claims import finding_id, planted, sentence, written
from tests.research_model.script import material, reply, role_of
from tests.servers.messages import Answer, Failure, Request, Service, model_answer
from thesis.insert.report_latex import report_to_latex

__all__ = ["forest", "owner", "project", "run"]

pytestmark = pytest.mark.django_db


def cited(text: str, w: int, n: int) -> str:
    return f"{text.removesuffix('.')} [[{finding_id(w, n)}]]."


SKIPPED = "Fir did not lose any leaves in the shade of alder."
SKIPPED_ONCE = "Pine was taller beside alder than beside lupin on wet sites."
CONTRARY = "Beech shrank by 16 m beside alder within nine years."
PARTLY = "Birch was planted in rows of 17 trees along the river and the road."
MISQUOTE = "The authors wrote that “Ash took up 42 kg of nitrogen per hectare under willow”."
SUMMARY = [
    "This section discusses the trees beside alder.",
    "Dexamethasone cut mortality by 87 % in 45 000 patients.",
    sentence(0, 0),  # true, and it names no source
    cited(MISQUOTE, 1, 1),
    cited("Elm grew by 99 m beside alder within nine years.", 2, 0),
    cited("Elm grew by 13 % beside alder within nine years.", 2, 0),
    cited(SKIPPED, 3, 2),
    cited(SKIPPED_ONCE, 4, 3),
    cited(CONTRARY, 5, 0),
    cited(PARTLY, 6, 4),
    "Eight trials were found by the search.",
]
CONCLUSIONS = (
    f"- Larches cure malaria.\n- {cited(sentence(7, 1), 7, 1)}\n\n| tree | height |\n|---|---|\n| Oak | 812 m |"
)
WITHOUT, NOT_BORNE, UNCHECKED = (
    "*(without a source)*",
    "*(not borne out by the passage cited)*",
    "*(not checked)*",
)
LEDGER = {
    "claims": 12, "supported": 3, "partly": 1, "unsupported": 6, "contradicted": 0, "not_checked": 1, "removed": 1,
}  # fmt: skip


def serve(service: Service) -> None:
    """A check that finds all well that it is asked, but for what is scripted above."""
    asked: list[str] = []

    def verdict(claim: dict[str, Any]) -> list[dict[str, Any]]:
        text = claim["text"]
        asked.append(text)
        if text == SKIPPED or (text == SKIPPED_ONCE and asked.count(text) == 1) or "willow" in text:
            return []
        known = {CONTRARY: "CONTRADICTED", PARTLY: "PARTIALLY"}.get(text, "SUPPORTED")
        return [{"id": claim["id"], "verdict": known, "source_id": "", "quote": "", "reason": "So it is."}]

    def answer(request: Request) -> Answer:
        role = role_of(request)
        if role == "verify":
            return model_answer(
                answer={"verdicts": [one for claim in material(request, "claims") for one in verdict(claim)]}
            )
        if role == "repair":
            return model_answer(answer={"corrections": []})
        sections = [{"key": "summary", "body": " ".join(SUMMARY)}, {"key": "themes", "body": CONCLUSIONS}]
        return model_answer(answer={"title": "Trees", "sections": sections})

    service.otherwise = answer


@pytest.fixture(scope="module")
def run_and_requests(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[UUID, list[Request]]]:
    """The key of the run, and what the model was asked."""
    with for_all_tests(django_db_blocker) as owner, serving_alone() as service:
        serve(service)
        yield written(planted(her_thesis(owner), owner, service)).pk, service.requests


@pytest.fixture(scope="module")
def finished(run_and_requests: tuple[UUID, list[Request]]) -> UUID:
    return run_and_requests[0]


def test_the_report_line_by_line(run: Run) -> None:
    head, _, rest = run.report.partition("\n## Summary\n\n")
    summary, _, rest = rest.partition("\n\n## ")
    assert re.sub(r" \[\d+\]", " [n]", summary) == " ".join(
        [
            "This section discusses the trees beside alder.",
            f"Dexamethasone cut mortality by 87 % in 45 000 patients {WITHOUT}.",
            f"{sentence(0, 0)[:-1]} [n].",
            f"The authors wrote that Ash took up 42 kg of nitrogen per hectare under willow [n] {NOT_BORNE}.",
            f"Elm grew by 99 m beside alder within nine years [n] {NOT_BORNE}.",
            f"Elm grew by 13 % beside alder within nine years [n] {NOT_BORNE}.",
            f"{SKIPPED[:-1]} [n] {UNCHECKED}.",
            f"{SKIPPED_ONCE[:-1]} [n].",
            f"{PARTLY[:-1]} [n].",
            "Eight trials were found by the search.",
        ]
    )
    assert f"- Larches cure malaria {WITHOUT}." in rest
    assert f"| Oak | 812 m |\n\n{WITHOUT}" in rest
    assert CONTRARY[:-1] not in run.report
    assert in_words(LEDGER) in head, "so the Markdown, the Word file and the PDF have it"


def test_the_ledger(run: Run) -> None:
    assert run.fidelity["ledger"] == LEDGER
    assert sum(LEDGER.values()) == 2 * LEDGER["claims"]
    rows = sentences_of(run.claims.all())
    assert ledger((one.verdict, one.outcome) for one in rows) == LEDGER
    given = run.claims.get(given=True)
    assert (given.text, given.source and given.source.title, given.verdict) == (sentence(0, 0), "On Oak", "SUPPORTED")
    wrong = {claim.text: claim.reason for claim in run.claims.filter(verdict="UNSUPPORTED")}
    assert wrong["Elm grew by 99 m beside alder within nine years."] == "“99” stands in no passage that it cites."
    assert wrong["Elm grew by 13 % beside alder within nine years."] == "“13 %” stands in no passage that it cites."
    assert run.claims.filter(source=None).count() == 3


def test_what_got_no_verdict_is_asked_once_again(run_and_requests: tuple[UUID, list[Request]]) -> None:
    texts = [one["text"] for request in run_and_requests[1] for one in material(request, "claims")]
    assert texts.count(SKIPPED) == texts.count(SKIPPED_ONCE) == 2
    assert not any("99 m" in text or "13 %" in text or "87 %" in text or "malaria" in text for text in texts)


def test_the_same_ledger_everywhere(run: Run, owner: User) -> None:
    words = in_words(LEDGER)
    assert words in export(run, "md").text
    with zipfile.ZipFile(io.BytesIO(export(run, "docx").body)) as word:
        assert words in re.sub(r"<[^>]+>", "", word.read("word/document.xml").decode())
    with pypdfium2.PdfDocument(export(run, "pdf").body) as pdf:
        pages = " ".join(page.get_textpage().get_text_bounded() for page in pdf)
    assert words in " ".join(pages.split())
    for name in ("structured", "json"):
        claims = json.loads(export(run, name).text)["claims"]
        assert claims["ledger"] == LEDGER
        ends = ((one["verdict"], one["outcome"]) for one in claims["each"])
        assert ledger(ends) == LEDGER
    logged = run.provenance.get(event_type="claims_checked").details
    assert logged["ledger"] == LEDGER
    assert ledger((one["verdict"], one["outcome"]) for one in logged["claims_checked"]) == LEDGER
    client = signed_in(owner)
    page = client.get(reverse("research:report", args=[run.pk])).content.decode()
    table = page.partition('id="ledger"')[2].partition("</table>")[0]
    figures = [int(n) for n in re.findall(r'class="num">(?:<b>)?(\d+)', table)]
    assert figures == [*(LEDGER[name] for name in COLUMNS), LEDGER["removed"], LEDGER["claims"]]
    for address, number in zip(re.findall(r'href="(/[^"]+)"', table), figures, strict=True):
        listed = client.get(html.unescape(address)).content.decode()
        assert listed.count('<li id="C') == number, address
    assert words in html.unescape(client.get(reverse("research:claims", args=[run.pk])).content.decode())


def test_every_marker_leads_to_its_claim(run: Run) -> None:
    shown = report_html(run, list(run.claims.all()))
    markers = re.findall(r"evidence/(C\d+)/\" data-tier=\"(\w+)\"", shown)
    kept = run.claims.exclude(source=None).exclude(outcome="removed").order_by("id")
    assert [name for name, _ in markers] == [claim.claim_id for claim in kept]


def test_the_evidence_of_a_claim_without_a_source(run: Run, owner: User) -> None:
    claim = run.claims.filter(source=None).first()
    assert claim
    page = signed_in(owner).get(reverse("research:evidence", args=[run.pk, claim.claim_id]))
    assert page.status_code == 200
    assert "It names no source" in page.content.decode()


def test_a_run_from_before_the_ledger(run: Run, owner: User) -> None:
    run.claims.filter(source=None).delete()
    run.claims.update(sentence="")
    Run.objects.filter(pk=run.pk).update(
        fidelity={k: v for k, v in run.fidelity.items() if k not in ("ledger", "given", "uncited")}
    )
    client = signed_in(owner)
    for name in ("report", "claims"):
        page = client.get(reverse(f"research:{name}", args=[run.pk]))
        assert page.status_code == 200
        assert 'id="ledger"' not in page.content.decode()
    claims = json.loads(export(Run.objects.get(pk=run.pk), "structured").text)["claims"]
    assert claims["ledger"] is None
    assert len(claims["each"]) == 9


def test_one_without_a_source_is_put_right_by_the_nearest_finding(
    project: Project, owner: User, service: Service
) -> None:
    serve(service)
    scripted = service.otherwise
    wrong = "Oak grew by 400 m beside alder within nine years."

    def answer(request: Request) -> Answer | Failure:
        if role_of(request) == "synthesize":
            return model_answer(
                answer={"title": "T", "sections": [{"key": "summary", "body": f"{wrong} {SUMMARY[9]}"}]}
            )
        if role_of(request) == "repair":
            (one,) = material(request, "sentences")
            assert one["text"] == wrong
            return model_answer(answer={"corrections": [{"id": one["id"], "text": sentence(0, 0)}]})
        return scripted(request)

    service.otherwise = answer
    run = written(planted(project, owner, service))
    claim = run.claims.get(claim_id="C1")
    assert (claim.text, claim.outcome, claim.verdict, claim.given) == (sentence(0, 0), "repaired", "SUPPORTED", True)
    assert f"{sentence(0, 0)[:-1]} [1]." in run.report
    assert run.fidelity["ledger"]["claims"] == run.fidelity["ledger"]["supported"] + run.fidelity["ledger"]["partly"]
    assert report_html(run, list(run.claims.all())).count("evidence/C") == 4


def test_of_a_long_report_the_rest_says_that_it_was_not_drawn(project: Project, owner: User, service: Service) -> None:
    serve(service)
    scripted = service.otherwise
    plain = [cited(f"Larch {word} by the river", 7, 4) for word in ("stood grew lay bent rose hung shone " * 8).split()]

    def answer(request: Request) -> Answer | Failure:
        if role_of(request) == "synthesize":
            body = " ".join(one.replace("by the river", f"by the river {'x' * n}y") for n, one in enumerate(plain))
            return model_answer(answer={"title": "T", "sections": [{"key": "summary", "body": body}]})
        return scripted(request)

    service.otherwise = answer
    run = written(planted(project, owner, service))
    lines = run.fidelity["ledger"]
    assert lines["claims"] == 56
    assert 5 < lines["supported"] < 30
    assert lines["supported"] + lines["not_checked"] == 56
    assert run.report.count("[1] *(°)*") == lines["not_checked"]
    assert "(°) marks a sentence that was not drawn for the check." in run.report


@pytest.mark.long
def test_an_offline_run_has_its_ledger_and_is_replayed(project: Project, owner: User, tmp_path: Path) -> None:
    run = researched(plant(project, owner, tmp_path), owner)
    lines = run.fidelity["ledger"]
    assert lines["claims"] == lines["supported"] == len(sentences_of(run.claims.all())) > 0
    assert "without a source" not in run.report
    assert in_words(lines) in run.report
    assert replay(log_of(run)).same


@pytest.mark.long
def test_a_run_with_skipped_verdicts_is_replayed(
    project: Project, owner: User, service: Service, tmp_path: Path
) -> None:
    def answer(request: Request) -> Answer:
        if role_of(request) == "verify":
            return model_answer(answer={"verdicts": []})
        if role_of(request) == "synthesize":
            first = material(request, "findings")[0]
            body = f"Aspirin cures 87 % of all. {first['content']} [[{first['id']}]]"
            return model_answer(answer={"title": "T", "sections": [{"key": "summary", "body": body}]})
        return reply(request)

    service.otherwise = answer
    run = researched(plant(project, owner, tmp_path), owner)
    assert run.fidelity["ledger"] == {
        "claims": 2, "supported": 0, "partly": 0, "unsupported": 1, "contradicted": 0, "not_checked": 1, "removed": 0,
    }  # fmt: skip
    assert replay(log_of(run)).same


def test_what_a_follow_up_puts_back_has_its_claims_without_a_source(run: Run) -> None:
    asked = FollowUp(run=run, about="1", kind=FollowUp.Kind.RERUN)
    before = json.loads(json.dumps(state_before(run, asked)))
    rows = list(run.claims.order_by("id").values_list("claim_id", "text", "source_id", "verdict", "sentence", "given"))
    run.claims.all().delete()
    restore_report(run, before)
    assert rows == list(
        run.claims.order_by("id").values_list("claim_id", "text", "source_id", "verdict", "sentence", "given")
    )
    assert Run.objects.get(pk=run.pk).fidelity["ledger"] == LEDGER


def test_a_thesis_takes_no_sentence_without_a_source(run: Run) -> None:
    # Comments name the run by its id, in which any figures may stand.
    latex = "\n".join(line for line in report_to_latex(run).latex.splitlines() if not line.startswith("%"))
    assert "mortality" not in latex
    assert "malaria" not in latex
    assert "812" not in latex
    assert "not checked" not in latex
    assert SKIPPED[:-1] in latex
    told = {one.text: one.verdict for one in report_to_latex(run).left_out}
    assert told["Dexamethasone cut mortality by 87 % in 45 000 patients."] == "UNSUPPORTED"
    assert "Dexamethasone" in report_to_latex(run, with_unsupported=True).latex
