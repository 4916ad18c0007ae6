"""Whether a model may draft the text of a thesis: the site can switch it off for all, an owner for one (SPEC T9)."""

from core.errors import Refused
from projects.models import Project


def check_drafting(project: Project) -> None:
    """Raises Refused, 403 drafting_off, where nothing is to be drafted for `project`."""
    if why := project.why_not_drafting:
        raise Refused(why, code="drafting_off", status=403)


def switch_drafting(project: Project, *, enabled: bool) -> None:
    """Let models draft the text of `project`, or not. The caller has seen to it that the owner asks."""
    project.drafting_enabled = enabled
    project.save(update_fields=["drafting_enabled", "updated_at"])
