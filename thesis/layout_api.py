"""The title page and the forms of a thesis, for programs (SPEC T5). As the pages do it."""

from typing import Any, Literal
from uuid import UUID

from ninja import Router, Schema
from pydantic import Field

from core.errors import Refused
from projects.access import get_project
from projects.forms import checked
from projects.signed_in_request import PersonRequest
from thesis.front_matter.title_page_facts import BY_NAME, TITLES, Unfilled, printed, unfilled
from thesis.front_matter.word_limits import Limit, limits
from thesis.layout import Advice, advice, lay
from thesis.layout_form import LayoutForm, as_posted, initial
from thesis.manuscript import Manuscript
from thesis.manuscript_data import laid

router = Router(tags=["Layout"])


class LayoutIn(Schema):
    """What to change; null leaves it as it is. `facts` and `pages` change those that are named; "" empties a fact.

    `appendices` are ids of sections, `abbreviations` one a line as "ICU = intensive care unit".
    """

    template: Literal["report", "nbems"] | None = None
    facts: dict[str, str] | None = None
    pages: dict[str, bool] | None = None
    acknowledgements: str | None = None
    abbreviations: str | None = None
    appendices: list[UUID] | None = Field(None, max_length=200)


class LayoutOut(Schema):
    """`pages` says of each page whether it is switched on, `printed` which of them are printed: a list of tables only where
    there are tables. A thesis that `is_brought` as LaTeX keeps its own preamble and title page: nothing of this is printed.
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
    return _shown(laid(get_project(request.user, project_id)))


@router.put("/projects/{uuid:project_id}/layout", response=LayoutOut, summary="Change the title page and forms")
def change(request: PersonRequest, project_id: UUID, payload: LayoutIn) -> Any:
    """422 names the field that cannot be taken; nothing is changed then."""
    project = get_project(request.user, project_id, "write")
    manuscript = laid(project)
    form = LayoutForm(manuscript, as_posted(_merged(manuscript, payload)))
    checked(form)
    lay(project, form.layout())
    return _shown(laid(project))


def _merged(manuscript: Manuscript, payload: LayoutIn) -> dict[str, Any]:
    """Return the fields of the form, with what `payload` changes."""
    for field, named, there in (("facts", payload.facts, BY_NAME), ("pages", payload.pages, TITLES)):
        if unknown := [name for name in named or () if name not in there]:
            raise Refused(f"“{unknown[0][:60]}” is none of the {field}: {', '.join(there)}.", field=field)
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
