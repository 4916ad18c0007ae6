"""The JSON API for the title page and the forms of a thesis (SPEC T5)."""

from typing import Any, Literal
from uuid import UUID

from ninja import Router, Schema
from pydantic import Field

from core.errors import Refused
from projects.access import get_project
from projects.forms import clean_or_refuse
from projects.signed_in_request import PersonRequest
from thesis.front_matter.page_fields import BY_NAME, TITLES, Unfilled, printed, unfilled
from thesis.front_matter.word_limits import Limit, limits
from thesis.layout import Advice, advice, save_layout
from thesis.layout_form import LayoutForm, as_posted, initial
from thesis.manuscript import Manuscript
from thesis.manuscript_data import layout_manuscript

router = Router(tags=["Layout"])


class LayoutIn(Schema):
    """What to change; null changes nothing. `facts` and `pages` change only the named ones; "" empties a fact.

    `appendices` are ids of sections, `abbreviations` one per line as "ICU = intensive care unit".
    """

    template: Literal["report", "nbems"] | None = None
    facts: dict[str, str] | None = None
    pages: dict[str, bool] | None = None
    acknowledgements: str | None = None
    abbreviations: str | None = None
    appendices: list[UUID] | None = Field(None, max_length=200)


class LayoutOut(Schema):
    """`pages` says whether each page is on; `printed` lists those that are printed (empty lists are not).

    A thesis that `is_brought` (imported as LaTeX) keeps its own preamble and title page: nothing of this is printed.
    """

    is_brought: bool
    template: str
    facts: dict[str, str]
    pages: dict[str, bool]
    printed: list[str]
    acknowledgements: str
    abbreviations: str
    appendices: list[UUID]
    unfilled: list[Unfilled]
    advice: list[Advice]
    limits: list[Limit]


@router.get("/projects/{uuid:project_id}/layout", response=LayoutOut, summary="Title page and forms")
def read(request: PersonRequest, project_id: UUID) -> Any:
    """The layout, which pages are printed, empty fields, advice, and rules on length."""
    return _shown(layout_manuscript(get_project(request.user, project_id)))


@router.put("/projects/{uuid:project_id}/layout", response=LayoutOut, summary="Change the title page and forms")
def change(request: PersonRequest, project_id: UUID, payload: LayoutIn) -> Any:
    """422 names the invalid field; nothing is changed then."""
    project = get_project(request.user, project_id, "write")
    manuscript = layout_manuscript(project)
    form = LayoutForm(manuscript, as_posted(_merged(manuscript, payload)))
    clean_or_refuse(form)
    save_layout(project, form.layout())
    return _shown(layout_manuscript(project))


def _merged(manuscript: Manuscript, payload: LayoutIn) -> dict[str, Any]:
    """Return the values of the form with the changes of `payload`."""
    for field, named, there in (("facts", payload.facts, BY_NAME), ("pages", payload.pages, TITLES)):
        if unknown := [name for name in named or () if name not in there]:
            raise Refused(f"Unknown name “{unknown[0][:60]}” in {field}. Available: {', '.join(there)}.", field=field)
    layout = manuscript.layout
    template = payload.template or layout.template
    values = initial(layout._replace(template=template, facts={**layout.facts, **(payload.facts or {})}))
    values |= {f"page_{name}": is_on for name, is_on in (payload.pages or {}).items()}
    values |= payload.dict(include={"acknowledgements", "abbreviations"}, exclude_none=True)
    here = {chapter.id for chapter in manuscript.chapters}
    kept = [one for one in values["appendices"] if one in here]
    return values | {"appendices": kept if payload.appendices is None else list(map(str, payload.appendices))}


def _shown(manuscript: Manuscript) -> dict[str, Any]:
    layout = manuscript.layout
    values = initial(layout)
    return {
        **layout._asdict(),
        "facts": {name: str(word) for name, word in layout.facts.items()},
        "is_brought": manuscript.is_brought,
        "pages": {name: values[f"page_{name}"] for name in TITLES},
        "printed": printed(manuscript),
        "unfilled": unfilled(manuscript),
        "advice": advice(manuscript),
        "limits": limits(manuscript),
    }
