"""Eight works of five sentences each, and a report of 40 claims on them: 16 true, 12 unsupported, 6 contradicted and
6 misquoted.

    inquiry = planted(project, owner, service)
    run = written(inquiry)
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from asgiref.sync import async_to_sync
from django.utils import timezone
from pydantic import SecretStr

from jobs.work import claim
from llm.claude import ClaudeEngine
from llm.redaction_gate import Gate
from projects.models import Project, User
from research.claim_check.check import check_claims
from research.journal.provenance import digest
from research.models import Finding, Node, Run, Source
from research.report.synthesis import synthesise
from research.run_context.run_context import RunContext
from tests.research_model.script import material, role_of, text_of
from tests.servers.messages import Answer, Request, Service, model_answer
from tests.start_run import start_run

QUESTION = "Why do trees grow beside alder?"
TREES = ("Oak", "Ash", "Elm", "Fir", "Pine", "Beech", "Birch", "Larch")
FACTS = (
    "grew by {a} m beside alder within nine years",
    "took up {b} kg of nitrogen per hectare under alder",
    "did not lose any leaves in the shade of alder",
    "was taller beside alder than beside lupin on wet sites",
    "was planted in rows of {a} trees along the river",
)
# What becomes of sentence n of work w in the report.
UNSUPPORTED = [(w, n) for w in (0, 1, 2) for n in (0, 1, 2, 3)]
CONTRADICTED = [(w, 0) for w in (3, 4)] + [(7, n) for n in (0, 1, 2, 3)]
MISQUOTED = [(w, n) for w in (3, 4, 5) for n in (1, 3)]


def sentence(w: int, n: int) -> str:
    return f"{TREES[w]} {FACTS[n].format(a=11 + w, b=41 + w)}."


def _contrary(w: int, n: int) -> str:
    return {
        0: f"{TREES[w]} shrank by {11 + w} m beside alder within nine years.",
        1: f"{TREES[w]} took up no nitrogen under alder.",
        2: f"{TREES[w]} lost all of its leaves in the shade of alder.",
        3: f"{TREES[w]} was smaller beside alder than beside lupin on wet sites.",
    }[n]


def claims() -> Iterator[tuple[str, tuple[int, int], str]]:
    """(text, (work, sentence), what is true of it) of each of the 40."""
    for w in range(8):
        for n in range(5):
            if (w, n) in UNSUPPORTED:
                yield f"{TREES[w]} was sold for more than {500 + 10 * w + n} francs a tree.", (w, n), "UNSUPPORTED"
            elif (w, n) in CONTRADICTED:
                yield _contrary(w, n), (w, n), "CONTRADICTED"
            elif (w, n) in MISQUOTED:
                words = sentence(w, n).rstrip(".").replace("alder", "willow", 1)
                yield f"The authors found that “{words}”.", (w, n), "MISQUOTED"
            elif n == 4:
                yield f"It is told that “{sentence(w, n)[:-1].replace(' in rows', '  in rows')}”.", (w, n), "SUPPORTED"
            else:
                yield sentence(w, n), (w, n), "SUPPORTED"


PLANTED = list(claims())
IS = {" ".join(text.split()): what for text, _, what in PLANTED}


def finding_id(w: int, n: int) -> str:
    return f"F1-{5 * w + n + 1}"


def planted(project: Project, owner: User, service: Service) -> RunContext:
    """A run that has its findings, about to write its report with the model at `service`."""
    run = start_run(project, owner, QUESTION, profile="general", enqueue=False)
    job = claim(str(run.job_id), "planted")
    assert job is not None
    node = Node.objects.create(run=run, number="1", depth=0, topic="Growth", question=QUESTION)
    for w, tree in enumerate(TREES):
        text = " ".join(sentence(w, n) for n in range(5))
        source = Source.objects.create(
            run=run,
            source_id=f"doi:10.5555/{tree}::openalex-1",
            document=f"doi:10.5555/{tree}",
            kind=Source.Kind.WORK,
            provider="openalex",
            source_type="article-journal",
            title=f"On {tree}",
            url=f"https://doi.org/10.5555/{tree}",
            csl={"type": "article-journal", "title": f"On {tree}", "author": [{"family": f"{tree}man", "given": "A."}]},
            text=text,
            text_hash=digest(text),
            retrieved_at=timezone.now(),
        )
        for n in range(5):
            start = text.index(sentence(w, n))
            Finding.objects.create(
                run=run,
                node=node,
                source=source,
                finding_id=finding_id(w, n),
                content=sentence(w, n),
                start=start,
                end=start + len(sentence(w, n)),
                confidence=round(0.9 - 0.01 * w, 2),
                category="outcome",
            )
    return RunContext.of(job, ClaudeEngine(SecretStr("key"), Gate.of(project), service.url))


def report(*, extra: str = "") -> dict[str, Any]:
    """The 40 claims in two sections, and `extra` at the end."""
    cited = [f"{text[:-1]} [[{finding_id(*place)}]]." for text, place, _ in PLANTED]
    sections = [
        {"key": "summary", "body": " ".join(cited[:20])},
        {"key": "themes", "body": "### Growth\n\n- " + "\n- ".join(cited[20:]) + extra},
    ]
    return {"title": "Trees beside alder", "sections": sections}


def yes(request: Request) -> dict[str, Any]:
    """A check that finds everything well."""
    given = {"verdict": "SUPPORTED", "source_id": "", "quote": "", "reason": "It says so."}
    return {"verdicts": [{"id": one["id"], **given} for one in material(request, "claims")]}


def honest(request: Request) -> dict[str, Any]:
    """A check that knows what was planted, and takes every other sentence that stands in a passage."""
    texts = " ".join(passage["text"] for passage in material(request, "passages"))
    verdicts = []
    for one in material(request, "claims"):
        bare = re.sub(r"[“”]", "", one["text"])
        known = IS.get(one["text"]) or ("SUPPORTED" if bare in texts else "UNSUPPORTED")
        verdicts.append({"id": one["id"], "verdict": known, "source_id": "", "quote": "", "reason": "So it is."})
    return {"verdicts": verdicts}


def serve(
    service: Service,
    *,
    verify: Callable[[Request], dict[str, Any]] = honest,
    repair: Callable[[dict[str, Any]], str] = lambda sentence: "",
    extra: str = "",
) -> None:
    """Let `service` write the planted report, check it with `verify` and put right each sentence with `repair`."""

    def answer(request: Request) -> Answer:
        role = role_of(request)
        if role == "verify":
            return model_answer(answer=verify(request))
        if role == "repair":
            corrections = [{"id": one["id"], "text": repair(one)} for one in material(request, "sentences")]
            return model_answer(answer={"corrections": corrections})
        assert role == "synthesize", text_of(request)
        return model_answer(answer=report(extra=extra))

    service.otherwise = answer


def written(inquiry: RunContext, prefix: str = "", *, is_checked: bool = True) -> Run:
    """The run when its report is written and, if `is_checked`, checked; in an attempt of its own."""

    async def work(attempt: RunContext) -> None:
        draft = await synthesise(attempt, prefix)
        if is_checked:
            await check_claims(attempt, draft, prefix)

    async_to_sync(work)(RunContext.of(inquiry.job, inquiry.engine))
    return Run.objects.get(pk=inquiry.run.pk)
