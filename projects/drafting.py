"""Whether a model may draft the text of a thesis: the site can switch it off for all, an owner for one (SPEC T9)."""

from django.conf import settings

from core.errors import Refused
from projects.models import Project

OFF_FOR_SITE = "Drafting is switched off on this site. You can write by hand, and put in findings and results."
OFF_FOR_THESIS = (
    "Drafting is switched off for this thesis. Its owner can switch it on in the settings. "
    "You can write by hand, and put in findings and results."
)


def why_not_drafting(project: Project) -> str:
    """Why nothing is drafted for `project`, as a sentence for people; "" where it is. No query is made."""
    if not settings.DRAFTING:
        return OFF_FOR_SITE
    return "" if project.drafting_enabled else OFF_FOR_THESIS


def check_drafting(project: Project) -> None:
    """Raises Refused, 403 drafting_off, where nothing is to be drafted for `project`."""
    if why := why_not_drafting(project):
        raise Refused(why, code="drafting_off", status=403)


def switch_drafting(project: Project, *, enabled: bool) -> None:
    """Let models draft the text of `project`, or not. The caller has seen to it that the owner asks."""
    project.drafting_enabled = enabled
    project.save(update_fields=["drafting_enabled", "updated_at"])
