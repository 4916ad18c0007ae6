"""Many look-ups in few requests, where one bad id must not cost its neighbours anything (SPEC C3)."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from sources.outcomes import Batch, Failed, Kind, not_an_id
from sources.work import Work

_SPOILT = {Kind.REFUSED, Kind.TOO_LARGE}  # what one id among many can bring about; all else is the host's own trouble
_MORE = 24  # requests for halves, and two for each part that was answered; who uses them up refuses everything

Part = Sequence[str]
Ask = Callable[[Part], Awaitable[dict[str, Work] | Failed]]


async def ask_for_each(
    given: Iterable[str], clean: Callable[[str], str | None], what: str, most: int, ask: Ask
) -> Batch:
    """What `ask` finds for each of the ids, keyed as it was `given`; it is asked for as `clean` spells it.

    `what` ends the sentence on something that is no id: "not a DOI".
    """
    asked = {one: clean(one) for one in given}
    wanted = sorted({known for known in asked.values() if known}, key=lambda one: (len(one), one))  # as numbers go
    found, failed = await ask_in_parts(wanted, most, ask)
    works = {one: found[known] for one, known in asked.items() if known in found}
    lost = {
        one: failed[known] if known else not_an_id(one, what)
        for one, known in asked.items()
        if not known or known in failed
    }
    return Batch(works, frozenset(asked.keys() - works.keys() - lost.keys()), lost)


async def ask_in_parts(ids: Part, most: int, ask: Ask) -> tuple[dict[str, Work], dict[str, Failed]]:
    """The works that `ask` finds for `ids`, at most `most` of them in a request, and the ids that failed.

    The parts are asked at the same time. A part that is refused is halved, until the bad id is alone; a part that fails
    in any other way fails as a whole, since its host is in trouble and must not be asked more often for it.
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
