"""X6, over the model's request log: no run of more than 180 characters of an uploaded file's body outside digest
calls."""

import base64
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from contextfiles.models import FileText
from jobs.models import State
from projects.models import Project, User
from research.follow_ups.start import ask, extend, rerun
from research.journal.provenance import log_of, verify_run
from research.models import Run
from research.replay import replay
from tests.people import signed_in
from tests.research.follow_up_run import worked
from tests.research.forest_thesis import researched, write
from tests.research.repeated_text import copied, windows, words_in
from tests.research_model.conversation import passages_in, tool_results
from tests.research_model.script import material, reply, role_of, text_of
from tests.servers.messages import Answer, Failure, Request, Service, model_answer
from text.sentences import sentences

pytestmark = pytest.mark.django_db

LONG = (
    "Red alder was planted beside Douglas-fir on 14 plots that lay on a slope above the river, and total soil nitrogen "
    "under the mixture rose from 0.21% to 0.34% within twelve years, "
    "while on plots without red alder it stayed at 0.22% "
    "in all of these years and even fell a little on the driest of the sites that were looked at. "
    "Douglas-fir was taller beside red alder than without it on nine of the plots. It reached 11.4 m there. "
    "Nitrate leaching from the soil under red alder reached 18 kg of "
    "nitrogen per hectare in the two wettest years, which "
    "was three times as much as under Douglas-fir alone and more than any "
    "other stand in the valley had lost since 1990. "
)
FILES = {
    "alder.md": "# Alder\n\n" + "\n\n".join(LONG.replace("plots", f"plots of row {n}") for n in range(3)),
    "endless.txt": " ".join(
        f"under red alder row {n} the soil nitrogen went from 0.{n} to 0.{n + 7} and" for n in range(60)
    ),
    "solid.txt": "Soil nitrogen under red alder. " + base64.b64encode(bytes(n % 251 for n in range(3000))).decode(),
    "chinese.txt": "red alder 土壤氮 " + "赤杨与花旗松混交林土壤氮含量在十二年内显著上升而对照样地没有变化" * 30,
    "table.csv": "plot,species,remark\n" + "\n".join(
        f"{n},red alder,{'soil nitrogen was measured with care by the same two people ' * 6}" for n in range(30, 37)
    ),
}  # fmt: skip
MALFORMED = model_answer('{"findings": 3')


@pytest.fixture
def grove(project: Project, owner: User, tmp_path: Path) -> Project:
    for name, text in FILES.items():
        write(tmp_path, project, owner, name, text)
    return project


def bodies() -> list[str]:
    return [*FILES.values(), *FileText.objects.values_list("text", flat=True)]


def repeated(service: Service) -> list[tuple[str, str]]:
    """(role, words) of each request outside digest calls that repeats too much of a file."""
    known = windows(bodies())

    @cache  # the prompt of a role, the tools and what was said before stand in one request after the other
    def copied_in(text: str) -> str:
        return copied(text, known)

    found = []
    for request in service.requests:
        role = role_of(request)
        words = next((run for text in words_in(request) if (run := copied_in(text))), "")
        if role != "digest" and words:
            found.append((role, words))
        assert words or role != "digest", "a digest call reads a file, and this check can see it"
    return found


def at_once(answer: dict[str, Any]) -> Answer:
    """An answer in one piece: long ones take their time as a stream."""
    return model_answer(answer=answer, streams=False)


def together(text: str) -> str:
    """Pieces of a file as if nothing had been left out between them."""
    return text.replace(" … ", " ")


def greedy(request: Request) -> Answer | Failure:
    """A model that says as much of the files as it can, in every role, and puts together what it was shown apart."""
    seen = [passage["text"] for passage in material(request, "passages")]
    most = together(" ".join(seen))[:1500]
    match role_of(request):
        case "digest":
            texts = [one["text"] for one in material(request, "an uploaded file") if "text" in one]
            note = {"kind": "fact", "sources": ["S1"], "why_relevant": texts[0][:900]}
            first = texts[0].partition(". ")[0][:150]
            return at_once({"items": [{**note, "text": text} for text in (first, texts[0][:700])]})
        case "decompose" if seen:
            parts = [
                {"topic": topic, "question": f"What of {topic}? {most[:600]}", "perspective": "soil", "priority": 1}
                for topic in ("red alder", "soil nitrogen")
            ]
            return at_once({"directives": parts, "rationale": most})
        case "condense":
            found = []
            for passage in material(request, "passages"):
                pieces = passage["text"].split(" … ")
                for quote in (pieces[0], " … ".join(pieces[:2]), together(passage["text"])):
                    said_of = {"content": together(passage["text"]), "quote": quote, "source_id": passage["source_id"]}
                    found.append({**said_of, "confidence": 0.9, "category": "outcome"})
            gap = {"description": f"Roots. {most}", "priority": 1, "suggested_queries": ["alder roots"]}
            return at_once({"findings": found[:12], "contradictions": [], "gaps": [gap], "summary": most})
        case "sufficiency":
            most = together(" ".join(one["content"] for one in material(request, "findings")))
            gap = {"description": f"Nothing on mosses. {most}", "priority": 1, "suggested_queries": []}
            return at_once({"is_sufficient": False, "reasoning": most, "gaps": [gap]})
        case "verify":
            ids = [claim["id"] for claim in material(request, "claims")]
            given = {"verdict": "UNSUPPORTED", "source_id": "", "quote": seen[0].split(" … ")[0], "reason": most}
            return at_once({"verdicts": [{"id": id, **given} for id in ids]})
        case "repair":
            text = together(seen[0])
            return at_once({"corrections": [{"id": one["id"], "text": text} for one in material(request, "sentences")]})
        case "assist":
            found = [{"text": one["text"], "source_id": one["source_id"]} for one in material(request, "findings")]
            return at_once({"sentences": found, "note": ""})
        case _:
            return reply(request)


def but(*roles: str) -> Callable[[Request], Answer | Failure]:
    """The same model, whose answers in `roles` cannot be used, so that the offline engine quotes in its place."""
    return lambda request: MALFORMED if role_of(request) in roles else greedy(request)


def run_of(project: Project, owner: User, **options: Any) -> Run:
    overrides = {"enable_methodology_assessment": True}
    run = researched(project, owner, profile="general", overrides=overrides, **options)
    assert run.job.state == State.DONE, run.job.reason
    return run


def holds(run: Run) -> None:
    run = Run.objects.get(pk=run.pk)
    assert verify_run(run).ok
    again = replay(log_of(run))
    assert again.same, again.sentence


@pytest.mark.long
def test_no_long_run_of_a_file_leaves_outside_digest_calls(grove: Project, owner: User, service: Service) -> None:
    service.otherwise = greedy
    run = run_of(grove, owner)
    worked(ask(run, owner, "How much nitrogen was under red alder?"))
    gap = run.gaps.open().order_by("id").first()
    assert gap is not None
    worked(extend(run, owner, gap.gap_id))
    asked = worked(rerun(run, owner, "1.1"))
    assert asked.state == "answered", asked.answer
    roles = {role_of(request) for request in service.requests}
    assert roles >= {
        "digest", "brief", "decompose", "route", "research", "condense", "assess", "sufficiency", "synthesize",
        "verify", "repair",
        "assist",
    }  # fmt: skip
    assert repeated(service) == []
    holds(run)


@pytest.mark.long
@pytest.mark.parametrize(
    "roles", [("condense",), ("condense", "synthesize", "sufficiency", "decompose"), ("verify", "assist")]
)
def test_what_the_offline_engine_says_in_its_place_is_cut_too(
    grove: Project, owner: User, service: Service, roles: tuple[str, ...]
) -> None:
    service.otherwise = but(*roles)
    run = run_of(grove, owner)
    worked(ask(run, owner, "How much nitrogen was under red alder?"))
    assert run.provenance.filter(event_type="stand_in").exists() or "verify" in roles
    if "condense" in roles:
        assert any(finding.end - finding.start > 180 for finding in run.findings.all()), (
            "it reads and quotes whole passages"
        )
    assert repeated(service) == []
    holds(run)


def test_findings_rest_on_exact_words_of_the_full_text(grove: Project, owner: User, service: Service) -> None:
    """What was shown in pieces is found again, also where a quote puts two of them together."""
    seen: dict[str, list[str]] = {}

    def answer(request: Request) -> Answer | Failure:
        if role_of(request) != "condense":
            return reply(request)
        found = []
        for passage in material(request, "passages"):
            pieces = passage["text"].split(" … ")
            seen[passage["source_id"]] = pieces
            for quote in (pieces[0], " … ".join(pieces[:2]), f"{pieces[0]} … Alder is blue."):
                draft = {"content": "Alder helps.", "quote": quote, "source_id": passage["source_id"]}
                found.append({**draft, "confidence": 0.9, "category": "outcome"})
        return model_answer(answer={"findings": found[:12], "contradictions": [], "gaps": [], "summary": ""})

    service.otherwise = answer
    run = run_of(grove, owner)
    assert {name.partition("::")[0] for name in seen} == {*FILES} - {"endless.txt"}, "which has no sentence"
    findings = list(run.findings.select_related("source"))
    assert len(findings) == 8, "of three quotes each third one is in no file"
    texts = {text.sha256: text.text for text in FileText.objects.all()}
    for finding in findings:
        source = finding.source
        words = source.text[finding.start : finding.end]
        assert any(piece in words for piece in seen[source.source_id][:2])
        assert words in {one.text for one in sentences(source.text)}, "whole sentences and rows"
        assert source.file is not None
        assert len(source.text) > 180, "the row keeps the full text"
        start = source.offset + finding.start
        assert texts[source.file.sha256][start : start + len(words)] == words
    client = signed_in(owner)
    claim = run.claims.first()
    assert claim is not None
    evidence = client.get(reverse("research:evidence", args=[run.pk, claim.claim_id])).content.decode()
    assert "<mark>" in evidence
    holds(run)


@pytest.mark.long
def test_library_hits_come_back_as_one_short_piece_each(grove: Project, owner: User, service: Service) -> None:
    service.otherwise = greedy
    run = run_of(grove, owner)
    hits = [hit for call in tool_results(service, 1) for hit in passages_in(call) if hit.get("is_file")]
    assert {hit["source_id"].partition("::")[0] for hit in hits} == set(FILES)
    assert all(len(hit["text"]) <= 180 for hit in hits)
    assert all(hit["text"] in run.sources.get(source_id=hit["source_id"]).text for hit in hits)


def test_only_what_is_theirs_is_cut(grove: Project, owner: User, service: Service) -> None:
    """The note of a reference is no upload: a model reads all of it."""
    from citations.importing.file_import import import_entries

    abstract = (
        f"Soil nitrogen under red alder was 0.30% after 50 years. {'The plots were visited each spring by all. ' * 9}"
    )
    import_entries(
        grove, f"@article{{a1, title = {{Red alder and nitrogen}}, year = {{2001}}, abstract = {{{abstract}}}}}"
    )
    run_of(grove, owner)
    asked = [request for request in service.requests if role_of(request) == "condense"]
    texts = [passage["text"] for request in asked for passage in material(request, "passages")]
    assert abstract.strip() in [text.strip() for text in texts]
    assert repeated(service) == []


@pytest.mark.long
def test_what_a_person_asks_goes_out_as_it_was_asked(grove: Project, owner: User, service: Service) -> None:
    service.otherwise = greedy
    question = f"Is this so of red alder? {LONG[:300]}"
    run_of(grove, owner, question=question)
    for role in ("brief", "condense", "synthesize"):
        request = next(one for one in service.requests if role_of(one) == role)
        assert question in text_of(request)
