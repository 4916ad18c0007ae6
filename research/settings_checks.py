"""System checks of the research settings, run when Scholium starts (SPEC R2)."""

from typing import Any

from django.conf import settings
from django.core.checks import Error, register

from core.errors import Refused
from research.export.export import FORMATS
from research.setup.budget import default_usd
from research.setup.profile_registry import site_profiles
from research.setup.profiles import BUILT_IN


@register
def check_profiles(**_: Any) -> list[Error]:
    """Return the errors in RESEARCH_PROFILES, RESEARCH_CITATION_STYLE and RESEARCH_DEFAULT_PROFILE."""
    site = site_profiles()
    errors = [Error(fault, hint="See docs/settings.md for valid values.", id="research.E001") for fault in site.faults]
    known = {**BUILT_IN, **site.site}
    if settings.RESEARCH_DEFAULT_PROFILE not in known:
        said = f"RESEARCH_DEFAULT_PROFILE: unknown profile “{settings.RESEARCH_DEFAULT_PROFILE}”."
        errors.append(Error(said, hint=f"Available: {', '.join(known)}.", id="research.E002"))
    return errors


@register
def check_budget(**_: Any) -> list[Error]:
    """Return an error if RESEARCH_DEFAULT_BUDGET_USD is not a valid budget."""
    try:
        default_usd()
    except Refused as refused:
        return [Error(refused.message, hint="See docs/settings.md for valid values.", id="research.E004")]
    return []


@register
def check_export_format(**_: Any) -> list[Error]:
    """Return an error if RESEARCH_EXPORT_FORMAT is not an export format."""
    if settings.RESEARCH_EXPORT_FORMAT in FORMATS:
        return []
    said = f"RESEARCH_EXPORT_FORMAT: unknown format “{settings.RESEARCH_EXPORT_FORMAT}”."
    return [Error(said, hint=f"Available: {', '.join(FORMATS)}.", id="research.E003")]
