"""Host names that do not resolve, remembered for one task such as a run (SPEC R18).

names = HostNames()
await fetch("https://journal.example/a", resolve=names)
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from sources.address_guard import Resolve, Unresolved, system_resolve

SECONDS = 5.0  # for one look-up
REST = 60.0  # seconds until a name is looked up again that the resolver did not answer for
GONE = 600.0  # the same for a name that does not exist: longer than most runs; a network may come back in a long one


@dataclass(eq=False)
class HostNames:
    """Resolves host names with `ask`; a name that fails is not asked for again at each page.

    A name that does not exist is remembered for GONE seconds, one that was not answered for within `seconds` for
    `rest` seconds. Addresses are not remembered: each request checks them anew. Requests for one name at the same time
    share a look-up.
    """

    ask: Resolve = system_resolve
    seconds: float = SECONDS
    rest: float = REST
    _failed: dict[str, tuple[Unresolved, float]] = field(default_factory=dict, init=False)
    _asking: dict[str, asyncio.Task[Sequence[str] | Unresolved]] = field(default_factory=dict, init=False)

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """Return the addresses of `host`. Raises Unresolved, at once where that is known."""
        error, until = self._failed.get(host, (None, 0.0))
        if error and time.monotonic() < until:
            raise Unresolved(host, is_passing=error.is_passing)
        if (asking := self._asking.get(host)) is None:
            asking = self._asking[host] = asyncio.create_task(self._look_up(host, port))
        found = await asyncio.shield(asking)  # others may wait for it when this request is cancelled
        if isinstance(found, Unresolved):
            raise Unresolved(host, is_passing=found.is_passing)
        return found

    async def _look_up(self, host: str, port: int) -> Sequence[str] | Unresolved:
        try:
            async with asyncio.timeout(self.seconds):
                found = await self.ask(host, port)
            if found:
                self._failed.pop(host, None)
                return found
            error = Unresolved(host)
        except TimeoutError:
            error = Unresolved(host, is_passing=True)
        except Unresolved as raised:
            error = raised
        finally:
            del self._asking[host]
        self._failed[host] = error, time.monotonic() + (self.rest if error.is_passing else GONE)
        return error
