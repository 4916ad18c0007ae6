"""Long runs of characters that a text has in common with others: what was copied rather than said anew (SPEC X6).

Looked for in time that grows with both texts added, not multiplied: a run of 2 n - 1 characters or more holds one of the
stretches of n characters into which a text is cut, whole. So these are kept, and every stretch of the other is looked up.
"""

from collections.abc import Iterable

from claims.quotes import Span
from llm.offline.digest import shortened

KNOWN = 8  # places of one stretch that are remembered; for what is repeated more often, the texts are searched
BLOCK = 32  # characters that are compared at once
_END = "\0"  # of a text; nothing that is stored has one


class Bodies:
    """Texts of which at most `most` characters in a row may be repeated. White space of every kind and length is the same."""

    def __init__(self, texts: Iterable[str], most: int) -> None:
        self.most = most
        self.size = (most + 2) // 2
        self.text = _END.join(_flat(text) for text in texts)
        self.places: dict[str, list[int]] = {}
        for at in range(0, len(self.text) - self.size + 1, self.size):
            known = self.places.setdefault(self.text[at : at + self.size], [])
            if len(known) <= KNOWN:
                known.append(at)

    def run_in(self, text: str, start: int = 0) -> Span | None:
        """Return the first run of more than `most` characters of `text`, from `start` on, that stands in one of the texts."""
        tried = start
        ends: dict[int, int] = {}  # of the runs that were looked at, by how far apart they stand in both
        for at in range(start, len(text) - self.size + 1):
            known = self.places.get(text[at : at + self.size], ())
            if len(known) <= KNOWN:
                for place in known:
                    if at >= ends.get(place - at, 0):
                        run = self._grown(text, start, at, place)
                        ends[place - at] = run.end
                        if run.end - run.start > self.most:
                            return run
                continue
            for first in range(max(tried, at + self.size - self.most - 1), min(at, len(text) - self.most - 1) + 1):
                tried = first + 1
                if text[first : first + self.most + 1] in self.text:
                    return self._reaching(text, first)
        return None

    def _grown(self, text: str, start: int, at: int, place: int) -> Span:
        """Return the run that holds the stretch of `text` at `at`, which is the one at `place` of the texts."""
        first, last, offset = at, at + self.size, place - at
        floor = max(start, -offset)
        while first - BLOCK >= floor and self.text.startswith(text[first - BLOCK : first], first - BLOCK + offset):
            first -= BLOCK
        while (block := text[last : last + BLOCK]) and self.text.startswith(block, last + offset):
            last += len(block)
        while first > start and first + offset > 0 and text[first - 1] == self.text[first - 1 + offset]:
            first -= 1
        while last < len(text) and last + offset < len(self.text) and text[last] == self.text[last + offset]:
            last += 1
        return Span(first, last)

    def _reaching(self, text: str, first: int) -> Span:
        """Return the run from `first` on, which is long enough: as far as it goes."""
        stands, fails = first + self.most + 1, len(text) + 1
        while fails - stands > 1:
            half = (stands + fails) // 2
            stands, fails = (half, fails) if text[first:half] in self.text else (stands, half)
        return Span(first, stands)

    def without_runs(self, text: str) -> str:
        """`text` with each such run cut to the whole clauses of it that say most, "…" where words are left out.

        Untouched when it has none; else its white space is made even.
        """
        if len(text) <= self.most or not self.places:
            return text
        flat = _flat(text)
        found = self.run_in(flat)
        if found is None:
            return text
        while found:
            cut = self._cut(flat[found.start : found.end])
            flat = flat[: found.start] + cut + flat[found.end :]
            # What stands well before it was looked through; with what was kept there may be another.
            found = self.run_in(flat, max(0, found.start - self.most))
        return flat

    def _cut(self, run: str) -> str:
        # Shorter than the run by more than the marks, so that this comes to an end whatever the texts are.
        kept = shortened(run.strip(), self.most - 6).strip()
        at = run.find(kept.rstrip("…"))
        before = "… " if run[:at].strip() else ""
        after = "" if kept.endswith("…") or run.rstrip().endswith(kept) else " …"
        first, last = " " if run[0] == " " else "", " " if run[-1] == " " else ""
        return f"{first}{before}{kept}{after}{last}"


def _flat(text: str) -> str:
    return " ".join(text.split())
