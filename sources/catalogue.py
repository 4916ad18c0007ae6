"""What the files of all catalogues do alike: refuse what is no id of theirs, say which key they lack, read one work or a list."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.conf import settings

from sources.http import Client
from sources.identifiers import clean_arxiv, doi_of_url
from sources.outcomes import Failed, Found, NothingFound, Skipped, Unreadable, not_an_id, of
from sources.reading import at, mappings, whole
from sources.replies import Reply
from sources.work import Work

P = ParamSpec("P")
T = TypeVar("T")
ReadWork = Callable[[dict[str, Any]], Work | None]
Read = Callable[[Reply], Found | NothingFound]
Asking = Callable[P, Coroutine[Any, Any, T]]
ById = Callable[Concatenate[Client, str, P], Coroutine[Any, Any, T]]


def by_id(clean: Callable[[str], str | None], what: str) -> Callable[[ById[P, T]], ById[P, T | Failed]]:
    """Have a look-up called with the id as `clean` spells it. What is none is not asked for, but Failed.

    `what` ends the sentence that says so: "not a DOI".
    """

    def decorate(look_up: ById[P, T]) -> ById[P, T | Failed]:
        @wraps(look_up)
        async def looked_up(client: Client, given: str, /, *args: P.args, **more: P.kwargs) -> T | Failed:
            known = clean(given)
            return await look_up(client, known, *args, **more) if known else not_an_id(given, what)

        return looked_up

    return decorate


def needs(*names: str, said: str) -> Callable[[Asking[P, T]], Asking[P, T | Skipped]]:
    """Have a catalogue not asked while one of the settings `names` is empty: the first such stands for {} in `said`."""

    def decorate(ask: Asking[P, T]) -> Asking[P, T | Skipped]:
        @wraps(ask)
        async def asked(*args: P.args, **more: P.kwargs) -> T | Skipped:
            missing = next((name for name in names if not getattr(settings, name)), None)
            return Skipped(f"{said.format(missing)} and was not asked.") if missing else await ask(*args, **more)

        return asked

    return decorate


def one_work(read_work: ReadWork, *path: str) -> Read:
    """A reader of answers with one work in them, under `path`."""

    def read(reply: Reply) -> Found | NothingFound:
        record = at(reply.mapping(), *path)
        if not isinstance(record, dict):
            raise Unreadable("sent an answer without the work in it")
        return of([read_work(record)], 1, 1)

    return read


def list_of_works(
    read_work: ReadWork,
    *path: str,
    total: tuple[str, ...] = (),
    what: str = "a list of works",
) -> Read:
    """A reader of answers with a list of works under `path`, and the number of all there are under `total`."""

    def read(reply: Reply) -> Found | NothingFound:
        data = reply.mapping()
        sent = at(data, *path)
        if not isinstance(sent, list):
            raise Unreadable(f"sent an answer without {what} in it")
        return of([read_work(one) for one in mappings(sent)], len(sent), whole(at(data, *total)))

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
    """What a web search engine found: a page, or the publication its address is the DOI of.

    `snippet` is what the engine shows of the page, `page` its whole text where the engine sends it along.
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
