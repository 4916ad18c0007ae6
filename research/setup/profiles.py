"""The configuration of a run as a profile, and the built-in profiles (SPEC R1, R2; docs/decisions/profiles.md)."""

import difflib
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError

from citations.styles.formatting import style_exists
from core.errors import Refused
from core.storable_text import check_storable
from research.query_type import QueryType
from research.setup.limits import MOST_ROUNDS, MOST_ROUNDS_OTHERWISE

MODES = ("general", "academic", "technical")
LIBRARY = "library"
LOCAL_ONLY = "local-only"
FOR_A_SENTENCE = "for-a-sentence"  # name of a profile narrowed to one sentence of a text
LONGEST_NAME = 60  # characters

Provider = Literal["library", "semantic_scholar", "openalex", "pubmed", "crossref", "tavily", "google"]
Format = Literal["md", "json", "pdf", "docx", "bibtex", "ris", "csl", "provenance", "structured"]
Words = Annotated[str, Field(max_length=200)]
Few = Annotated[tuple[Words, ...], Field(max_length=20)]


class ResearchProfile(BaseModel, extra="forbid", frozen=True):
    """A profile: the keys of R1, and no others. Tuples are in order of preference."""

    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    providers: tuple[Provider, ...] = ()
    source_quality_mode: Literal["general", "academic", "technical"] = "general"
    citation_style: str = "default"
    export_formats: tuple[Format, ...] = (
        "md", "docx", "pdf", "bibtex", "ris", "csl", "json", "structured", "provenance",
    )  # fmt: skip
    synthesis_template: QueryType | None = None
    enable_citation_tools: bool = False
    enable_methodology_assessment: bool = False
    enable_citation_network: bool = False
    enable_pdf_extraction: bool = False
    enable_claim_verification: bool = True
    source_type_hierarchy: Few = ()
    disciplinary_scope: Few = ()
    time_period: Words = ""
    methodology_preferences: Few = ()

    @property
    def is_local_only(self) -> bool:
        """Whether nothing may leave this machine.

        True for the built-in of that name, whatever was overridden, and for each profile whose only provider is the
        library.
        """
        return self.name == LOCAL_ONLY or set(self.providers) == {LIBRARY}

    @property
    def is_narrow(self) -> bool:
        """Whether it researches a single question once: without plan, split or further rounds."""
        return self.name == FOR_A_SENTENCE

    @property
    def most_rounds(self) -> int:
        """The largest number of rounds (R7)."""
        return 1 if self.is_narrow else MOST_ROUNDS.get(self.source_quality_mode, MOST_ROUNDS_OTHERWISE)

    @property
    def catalogues(self) -> tuple[str, ...]:
        """The providers besides the library, which is part of every profile; each once."""
        return tuple(name for name in dict.fromkeys(self.providers) if name != LIBRARY)


SCHOLARLY = (
    "peer-reviewed articles",
    "systematic reviews",
    "books",
    "preprints",
    "technical reports",
    "blogs, news and wikis",
)
BUILT_IN = {
    profile.name: profile
    for profile in (
        ResearchProfile(name="general", providers=("tavily", "semantic_scholar")),
        ResearchProfile(
            name="academic",
            providers=("semantic_scholar", "openalex", "tavily"),
            source_quality_mode="academic",
            citation_style="apa",
            enable_citation_tools=True,
            source_type_hierarchy=SCHOLARLY,
        ),
        ResearchProfile(
            name="systematic-review",
            providers=("semantic_scholar", "openalex", "pubmed", "tavily"),
            source_quality_mode="academic",
            citation_style="apa",
            enable_citation_tools=True,
            enable_methodology_assessment=True,
            enable_pdf_extraction=True,
            source_type_hierarchy=SCHOLARLY,
        ),
        ResearchProfile(
            name="bibliometric",
            providers=("openalex", "semantic_scholar"),
            source_quality_mode="academic",
            citation_style="apa",
            enable_citation_tools=True,
            enable_citation_network=True,
            source_type_hierarchy=SCHOLARLY,
        ),
        ResearchProfile(name="technical", providers=("tavily", "google"), source_quality_mode="technical"),
        ResearchProfile(name=LOCAL_ONLY, providers=(LIBRARY,), citation_style="apa"),
    )
}
KEYS = tuple(key for key in ResearchProfile.model_fields if key != "name")
_LISTS = {name for name, field in ResearchProfile.model_fields.items() if isinstance(field.get_default(), tuple)}


def with_keys(profile: ResearchProfile, keys: Mapping[str, Any]) -> ResearchProfile:
    """Return `profile` with the values of `keys`, which may be strings from a command line; lists are comma-separated.

    Raises Refused for an unknown key, listing the available ones, and for an invalid value.
    """
    values = profile.model_dump()
    for key, value in keys.items():
        _check_storable(value)
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise Refused(f"Unknown profile key “{key}”.{hint} Available: {', '.join(KEYS)}.", field="overrides")
        values[key] = _value(key, value)
    try:
        changed = ResearchProfile.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise Refused(f"{first['loc'][0]}: {first['msg']}.", field="overrides") from None
    if changed.citation_style != "default" and not style_exists(changed.citation_style):
        raise Refused(f"No citation style is called “{changed.citation_style}”.", field="overrides")
    return changed


def _check_storable(value: Any) -> None:
    if isinstance(value, str):
        check_storable(value, "overrides")
    elif isinstance(value, list | tuple):
        for part in value:
            _check_storable(part)


def _value(key: str, value: Any) -> Any:
    if key in _LISTS and isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    if key == "synthesis_template" and isinstance(value, str) and value.casefold() in ("", "none"):
        return None
    return value


def kept_local(base: ResearchProfile, changed: ResearchProfile) -> ResearchProfile:
    """Return `changed`, which was made from `base`, restricted to the library when `base` is local-only.

    Raises Refused when it names other providers.
    """
    if not base.is_local_only:
        return changed
    if changed.catalogues:
        raise Refused(
            f"providers: {base.name} contacts no other services, and neither does a profile made from it. Leave out "
            f"{', '.join(changed.catalogues)}, or start from another profile.",
            field="providers",
        )
    return changed.model_copy(update={"providers": (LIBRARY,)})


def narrowed(profile: ResearchProfile) -> ResearchProfile:
    """Return `profile` narrowed to one sentence of a text (T3).

    It keeps the providers, researches one question, and skips the claim check of a report that nobody reads.
    """
    return profile.model_copy(
        update={
            "name": FOR_A_SENTENCE,
            "providers": (LIBRARY,) if profile.is_local_only else profile.providers,
            "source_quality_mode": "general",
            "enable_claim_verification": False,
            "enable_methodology_assessment": False,
            "enable_citation_network": False,
            "enable_pdf_extraction": False,
        }
    )


_SAID = {
    LOCAL_ONLY: "your files and references; nothing leaves this machine",
    "academic": "scholarly structure, APA style",
    "systematic-review": "like academic, with PubMed, full texts and each study's methods",
    "bibliometric": "like academic, with a network of who cites whom",
    "general": "a short report with a plain list of sources",
    "technical": "a short report, web pages first",
}


def sentence_of(profile: ResearchProfile) -> str:
    """Return what `profile` does, in a few words."""
    if profile.name in _SAID:
        return _SAID[profile.name]
    style = [] if profile.citation_style == "default" else [f"{profile.citation_style} style"]
    asked = ", ".join(name.replace("_", " ") for name in profile.catalogues) or "no catalogue"
    whom = "nothing leaves this machine" if profile.is_local_only else asked
    return "; ".join([f"{profile.source_quality_mode} sources", *style, whom])
