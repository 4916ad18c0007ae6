"""What is wrong with the settings of research is said when Scholium starts (SPEC R2)."""

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
    """Return each fault of RESEARCH_PROFILES, RESEARCH_CITATION_STYLE and RESEARCH_DEFAULT_PROFILE, by name and key."""
    site = site_profiles()
    errors = [Error(fault, hint="docs/settings.md says what it takes.", id="research.E001") for fault in site.faults]
    known = {**BUILT_IN, **site.site}
    if settings.RESEARCH_DEFAULT_PROFILE not in known:
        said = f"RESEARCH_DEFAULT_PROFILE: no profile is called “{settings.RESEARCH_DEFAULT_PROFILE}”."
        errors.append(Error(said, hint=f"Known: {', '.join(known)}.", id="research.E002"))
    return errors


@register
def check_budget(**_: Any) -> list[Error]:
    """Return whether RESEARCH_DEFAULT_BUDGET_USD is a budget that a run can have."""
    try:
        default_usd()
    except Refused as refused:
        return [Error(refused.message, hint="docs/settings.md says what it takes.", id="research.E004")]
    return []


@register
def check_export_format(**_: Any) -> list[Error]:
    """Return whether RESEARCH_EXPORT_FORMAT names a format."""
    if settings.RESEARCH_EXPORT_FORMAT in FORMATS:
        return []
    said = f"RESEARCH_EXPORT_FORMAT: no format is called “{settings.RESEARCH_EXPORT_FORMAT}”."
    return [Error(said, hint=f"Known: {', '.join(FORMATS)}.", id="research.E003")]
