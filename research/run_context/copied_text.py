"""Finding long runs of characters that a text shares with other texts: copied rather than reworded (SPEC X6).

The time is linear in the length of both. A run of 2 n - 1 characters or more contains at least one whole block when the
other texts are cut into blocks of n characters. So the blocks are indexed, and each stretch of the text is looked up.
"""

from collections.abc import Iterable

from claims.quotes import Span
from llm.offline.digest import shortened

KNOWN = 8  # indexed places of one block; for a block that occurs more often, the texts are searched
BLOCK = 32  # characters that are compared at once
_END = "\0"  # end of a text; stored text never contains it


class RepeatedTextIndex:
    """Texts of which at most `most` characters in a row may be repeated. All white space counts as one space."""

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
        """Return the first run of more than `most` characters of `text`, from `start` on, found in one of the texts."""
        tried = start
        ends: dict[int, int] = {}  # ends of the runs already looked at, by the offset between the two texts
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
        """Return the whole run around the block that is at `at` in `text` and at `place` in the indexed texts."""
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
        """Return the run that begins at `first`, extended as far as it matches."""
        stands, fails = first + self.most + 1, len(text) + 1
        while fails - stands > 1:
            half = (stands + fails) // 2
            stands, fails = (half, fails) if text[first:half] in self.text else (stands, half)
        return Span(first, stands)

    def without_runs(self, text: str) -> str:
        """Return `text` with each such run cut to its most telling whole clauses, "…" where words are left out.

        A text without a run is returned unchanged; otherwise its white space is normalised.
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
            # Text well before the cut was searched already; the kept words may form a new run with it.
            found = self.run_in(flat, max(0, found.start - self.most))
        return flat

    def _cut(self, run: str) -> str:
        # Shorter than the run by more than the marks, so that the loop always ends.
        kept = shortened(run.strip(), self.most - 6).strip()
        at = run.find(kept.rstrip("…"))
        before = "… " if run[:at].strip() else ""
        after = "" if kept.endswith("…") or run.rstrip().endswith(kept) else " …"
        first, last = " " if run[0] == " " else "", " " if run[-1] == " " else ""
        return f"{first}{before}{kept}{after}{last}"


def _flat(text: str) -> str:
    return " ".join(text.split())
