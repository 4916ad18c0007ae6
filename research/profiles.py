"""How a run is configured, and which configuration a run gets (SPEC R1, R2)."""

import difflib
from collections.abc import Mapping
from typing import Any, Literal

from django.conf import settings
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from citations.styles import style_exists
from projects.errors import Refused
from projects.text import check_storable
from research.query_type import QueryType

MODES = ("general", "academic", "technical")


Provider = Literal["library", "semantic_scholar", "openalex", "pubmed", "crossref", "tavily", "google"]
Format = Literal["md", "json", "structured", "bibtex", "provenance"]


class ResearchProfile(BaseModel):
    """The keys of R1, and no others. Tuples are in order of preference."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, max_length=60)
    providers: tuple[Provider, ...] = ()
    source_quality_mode: Literal["general", "academic", "technical"] = "general"
    citation_style: str = "default"
    export_formats: tuple[Format, ...] = ("md", "json", "bibtex", "provenance")
    synthesis_template: QueryType | None = None
    enable_citation_tools: bool = False
    enable_methodology_assessment: bool = False
    enable_citation_network: bool = False
    enable_pdf_extraction: bool = False
    enable_claim_verification: bool = True
    source_type_hierarchy: tuple[str, ...] = ()
    disciplinary_scope: tuple[str, ...] = ()
    time_period: str = ""
    methodology_preferences: tuple[str, ...] = ()

    @property
    def is_local_only(self) -> bool:
        """Whether nothing may leave this machine, whatever else was overridden."""
        return self.name == "local-only"


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
            source_type_hierarchy=(
                "peer-reviewed articles",
                "systematic reviews",
                "books",
                "preprints",
                "technical reports",
                "blogs, news and wikis",
            ),
        ),
        ResearchProfile(name="technical", providers=("tavily", "google"), source_quality_mode="technical"),
        ResearchProfile(name="local-only", providers=("library",), citation_style="apa"),
    )
}
_LISTS = {name for name, field in ResearchProfile.model_fields.items() if "tuple" in str(field.annotation)}


def resolve(
    *, profile: str = "", mode: str = "", project_default: str = "", overrides: Mapping[str, Any] | None = None
) -> tuple[ResearchProfile, list[str]]:
    """The profile a run gets and the warnings to show with it, in the order of R2.

    An explicit `profile`, else the legacy `mode`, else the project's default, else the site's; `overrides`
    apply on top (values may be strings as typed on a command line; lists are comma-separated). Raises Refused
    for an unknown name or key, listing the known ones, and for a value the key does not take.
    """
    warnings = []
    if mode:
        if mode not in MODES:
            raise Refused(f"No research mode is called “{mode}”. Known: {', '.join(MODES)}.", field="mode")
        also = f" The profile “{profile}” was used." if profile else f" Use the profile “{mode}” instead."
        warnings.append(f"research_mode is deprecated.{also}")
    name = profile or mode or project_default or settings.RESEARCH_DEFAULT_PROFILE
    if name not in BUILT_IN:
        raise Refused(f"No profile is called “{name}”. Known: {', '.join(BUILT_IN)}.", field="profile")
    chosen = BUILT_IN[name]
    if overrides:
        chosen = _overridden(chosen, overrides)
    return chosen, warnings


def _check_storable(value: Any) -> None:
    if isinstance(value, str):
        check_storable(value, "overrides")
    elif isinstance(value, list):
        for part in value:
            _check_storable(part)


def _overridden(profile: ResearchProfile, overrides: Mapping[str, Any]) -> ResearchProfile:
    known = [key for key in ResearchProfile.model_fields if key != "name"]
    values = profile.model_dump()
    for key, value in overrides.items():
        _check_storable(value)
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise Refused(f"A profile has no key “{key}”.{hint} Known: {', '.join(known)}.", field="overrides")
        values[key] = (
            [part.strip() for part in value.split(",") if part.strip()]
            if (key in _LISTS and isinstance(value, str))
            else value
        )
    try:
        changed = ResearchProfile.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise Refused(f"{first['loc'][0]}: {first['msg']}.", field="overrides") from None
    if changed.citation_style != "default" and not style_exists(changed.citation_style):
        raise Refused(f"No citation style is called “{changed.citation_style}”.", field="overrides")
    return changed
