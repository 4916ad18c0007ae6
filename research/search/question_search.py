"""Searching the catalogues without a model: once for the whole run, with words of its question only (SPEC P7, R5).

What the catalogues return is given to each question of the run beside what the library returns for it. Only titles and
abstracts are used: no page is fetched (docs/decisions/offline-engine.md).
"""

from core.concurrency import gather_all
from research.models import Node
from research.run_context.run_context import RunContext
from research.search.catalogues import PER_QUERY, search_catalogue
from research.search.hits import Answer
from research.search.question_queries import queries_of
from sources.providers import PROVIDERS


async def search_for_question(inquiry: RunContext, prefix: str) -> list[Answer]:
    """Return the answers of the run's catalogues to its question; none where a model chooses the queries.

    They are asked once for each `prefix`, which a round that is researched again has, and each follow-up.
    """
    if inquiry.uses_model or not inquiry.catalogues:
        return []
    place = inquiry.journal.prefix + prefix
    async with inquiry.question_lock:  # questions are worked at the same time
        if place not in inquiry.question_answers:
            inquiry.question_answers[place] = await _ask_all(inquiry, prefix)
    return inquiry.question_answers[place]


async def _ask_all(inquiry: RunContext, prefix: str) -> list[Answer]:
    root = await Node.objects.aget(run=inquiry.run, number="1")
    root.prefix = prefix
    queries = queries_of(inquiry.run.question)
    by_catalogue = await gather_all(_ask(inquiry, root, name, queries) for name in inquiry.catalogues)
    answers = [answer for found in by_catalogue for answer in found]
    if all(answer.failed for answer in answers):
        await inquiry.once(root.key("search/unanswered"), lambda: _tell_unanswered(inquiry, root))
    return answers


async def _ask(inquiry: RunContext, root: Node, name: str, queries: list[str]) -> list[Answer]:
    """Return a catalogue's answers to `queries`, from narrow to wide, until it has enough works or fails."""
    answers: list[Answer] = []
    works: set[str] = set()
    for number, query in enumerate(queries, start=1):
        answer = await search_catalogue(inquiry, root, number, name, query)
        answers.append(answer)
        works.update(hit.passage.source_id for hit in answer.hits)
        if answer.failed or len(works) >= PER_QUERY:
            break
    return answers


def _tell_unanswered(inquiry: RunContext, root: Node) -> None:
    labels = ", ".join(PROVIDERS[name].label for name in inquiry.catalogues)
    inquiry.say(
        "supervision",
        "catalogues_unanswered",
        f"No catalogue could be searched ({labels}). The run goes on with your library and files.",
        {"providers": inquiry.catalogues},
        node=root,
        trouble=True,
    )
