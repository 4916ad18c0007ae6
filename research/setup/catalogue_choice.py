"""Which catalogues a run asks, which it leaves out, and why (SPEC P7, R1)."""

from typing import NamedTuple

from research.setup.profiles import ResearchProfile
from sources.providers import PROVIDERS

_NO_FULL_TEXTS = "Not read: full texts; without a model, only titles and abstracts of works are used."


class CatalogueChoice(NamedTuple):
    """The catalogues of a profile, by name: those that are `asked`, and those that are not because a setting is empty.

    `withheld` says why none of them may be asked, `unread` what the profile reads that this run does not; else "".
    """

    asked: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    withheld: str = ""
    unread: str = ""

    @property
    def skipped(self) -> list[str]:
        """A sentence on each catalogue that is left out, or on all of them, and on what is not read."""
        lacking = (
            f"Not searched: {PROVIDERS[name].label}, which needs {' and '.join(PROVIDERS[name].missing())}."
            for name in self.lacking
        )
        return [*filter(None, [self.withheld]), *lacking, *filter(None, [self.unread])]


def catalogues_of(profile: ResearchProfile, *, uses_model: bool) -> CatalogueChoice:
    """Return which catalogues a run of `profile` asks with the current settings."""
    named = [name for name in profile.catalogues if name in PROVIDERS]
    if why := _why_none(profile, uses_model=uses_model):
        labels = ", ".join(PROVIDERS[name].label for name in named)
        return CatalogueChoice(withheld=f"Not searched: {labels}; {why}." if named else "")
    missing = {name: PROVIDERS[name].missing() for name in named}
    asked = tuple(name for name in named if not missing[name])
    lacking = tuple(name for name in named if missing[name])
    reads_less = bool(asked) and profile.enable_pdf_extraction and not uses_model
    return CatalogueChoice(asked, lacking, unread=_NO_FULL_TEXTS if reads_less else "")


def _why_none(profile: ResearchProfile, *, uses_model: bool) -> str:
    if profile.is_local_only:
        return "a local-only run contacts no other services"
    if profile.is_narrow and not uses_model:
        # Its question is a sentence of the text, and the offline engine could only send that sentence's own words.
        return "the words of your text are not sent to catalogues"
    return ""
