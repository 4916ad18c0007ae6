"""Helpers shared by all catalogues: id validation, required settings, reading one work or a list, batch look-ups.

In a batch look-up, one bad id does not affect the others (SPEC C3).
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.conf import settings

from sources.field_values import at, mappings, whole
from sources.http_client import Client
from sources.identifiers import clean_arxiv, doi_of_url
from sources.responses import RawResponse
from sources.work import (
    Batch,
    Failed,
    FailureKind,
    Found,
    NothingFound,
    Skipped,
    Unreadable,
    Work,
    not_an_id,
    search_outcome,
)

P = ParamSpec("P")
T = TypeVar("T")
ReadWork = Callable[[dict[str, Any]], Work | None]
Read = Callable[[RawResponse], Found | NothingFound]
Asking = Callable[P, Coroutine[Any, Any, T]]
ById = Callable[Concatenate[Client, str, P], Coroutine[Any, Any, T]]


def with_valid_id(clean: Callable[[str], str | None], what: str) -> Callable[[ById[P, T]], ById[P, T | Failed]]:
    """Decorate a look-up: call it with the id normalised by `clean`, or return Failed for an invalid id.

    `what` completes the message: "not a DOI".
    """

    def decorate(look_up: ById[P, T]) -> ById[P, T | Failed]:
        @wraps(look_up)
        async def looked_up(client: Client, given: str, /, *args: P.args, **more: P.kwargs) -> T | Failed:
            known = clean(given)
            return await look_up(client, known, *args, **more) if known else not_an_id(given, what)

        return looked_up

    return decorate


def requires_settings(*names: str, said: str) -> Callable[[Asking[P, T]], Asking[P, T | Skipped]]:
    """Decorate a request: return Skipped while one of the settings `names` is empty, which replaces {} in `said`."""

    def decorate(ask: Asking[P, T]) -> Asking[P, T | Skipped]:
        @wraps(ask)
        async def asked(*args: P.args, **more: P.kwargs) -> T | Skipped:
            missing = next((name for name in names if not getattr(settings, name)), None)
            return Skipped(f"{said.format(missing)} and was not asked.") if missing else await ask(*args, **more)

        return asked

    return decorate


def one_work(read_work: ReadWork, *path: str) -> Read:
    """Return a function that reads the one work under `path` in a response."""

    def read(reply: RawResponse) -> Found | NothingFound:
        record = at(reply.mapping(), *path)
        if not isinstance(record, dict):
            raise Unreadable("sent an answer without the work in it")
        return search_outcome([read_work(record)], 1, 1)

    return read


def list_of_works(
    read_work: ReadWork,
    *path: str,
    total: tuple[str, ...] = (),
    what: str = "a list of works",
) -> Read:
    """Return a function that reads the list of works under `path`, and the total number of matches under `total`."""

    def read(reply: RawResponse) -> Found | NothingFound:
        data = reply.mapping()
        sent = at(data, *path)
        if not isinstance(sent, list):
            raise Unreadable(f"sent an answer without {what} in it")
        return search_outcome([read_work(one) for one in mappings(sent)], len(sent), whole(at(data, *total)))

    return read


def web_work(
    provider: str,
    url: str,
    title: str | None,
    snippet: str | None,
    *,
    page: str | None = None,
    site: str | None = None,
    score: float | None = None,
) -> Work:
    """Return a Work for a web search result: a page, or the publication if its address contains a DOI or arXiv id.

    `snippet` is the engine's excerpt of the page, `page` its full text if the engine sends it.
    """
    return Work(
        provider=provider,
        provider_id=url,
        title=title or url,
        venue=site,
        doi=doi_of_url(url),
        arxiv=clean_arxiv(url),
        url=url,
        abstract=snippet,
        text=page,
        type="webpage",
        score=score,
    )


_SPOILT = {
    FailureKind.REFUSED,
    FailureKind.TOO_LARGE,
}  # failures that one bad id can cause; all others are the host's problem
_MORE = 24  # budget of extra requests for halves; each answered part adds two. Used up only if everything is refused.

Part = Sequence[str]
Ask = Callable[[Part], Awaitable[dict[str, Work] | Failed]]


async def ask_for_each(
    given: Iterable[str], clean: Callable[[str], str | None], what: str, most: int, ask: Ask
) -> Batch:
    """Return the works for many ids, keyed by the `given` ids; `ask` gets them normalised by `clean`.

    `what` completes the message about an invalid id: "not a DOI".
    """
    asked = {one: clean(one) for one in given}
    wanted = sorted({known for known in asked.values() if known}, key=lambda one: (len(one), one))  # numeric order
    found, failed = await ask_in_parts(wanted, most, ask)
    works = {one: found[known] for one, known in asked.items() if known in found}
    lost = {
        one: failed[known] if known else not_an_id(one, what)
        for one, known in asked.items()
        if not known or known in failed
    }
    return Batch(works, frozenset(asked.keys() - works.keys() - lost.keys()), lost)


async def ask_in_parts(ids: Part, most: int, ask: Ask) -> tuple[dict[str, Work], dict[str, Failed]]:
    """Return the works for `ids` and the ids that failed, with at most `most` ids per request.

    Requests run concurrently. A refused request is split in halves until the bad id is alone. A request that fails
    otherwise fails as a whole, since a host in trouble must not get more requests.
    """
    found: dict[str, Work] = {}
    failed: dict[str, Failed] = {}
    parts, more = [ids[start : start + most] for start in range(0, len(ids), most)], _MORE
    while parts:
        answers = list(zip(parts, await asyncio.gather(*(ask(part) for part in parts)), strict=True))
        parts = []
        for _, answer in answers:
            if not isinstance(answer, Failed):
                found |= answer
                more += 2
        for part, answer in answers:
            if not isinstance(answer, Failed):
                continue
            if answer.kind in _SPOILT and len(part) > 1 and more >= 2:
                more -= 2
                parts += [part[: len(part) // 2], part[len(part) // 2 :]]
            else:
                failed |= dict.fromkeys(part, answer)
    return found, failed
