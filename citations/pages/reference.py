"""The page of one reference: its proof or problem, and the actions on it (SPEC C5, C9, C11)."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.validators import MaxLengthValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from citations.audit.key_uses import uses_by_key
from citations.editing.edit import (
    Description,
    apply_record,
    apply_repair,
    attest,
    bibtex_for_editing,
    cite_as_file,
    describe_file,
    description_of,
    edit,
    identify_file,
    max_bibtex_length,
    withdraw_attestation,
)
from citations.formats.markdown import as_html
from citations.identity.comparison import comparison_fields, suggested_reference, type_name, unsaved_reference
from citations.library.tags import tags_by_citation, tags_of_project
from citations.models import Citation, explain_retraction, is_explained, withdraw_retraction_reason
from citations.pages.forms import AttestForm, EditForm, add_refused
from citations.pages.reference_rows import places_of, waiting_mark
from citations.resolution.check_job import check_again
from citations.styles.formatting import print_references
from core.errors import Refused
from projects.access import Act, get_in_project, may
from projects.signed_in_request import PersonRequest
from projects.stored_files import has_file

_S = Citation.Status


def find(request: HttpRequest, project_id: UUID, citation_id: UUID, act: Any = "read") -> Citation:
    """Return the reference if the person may `act` on it. Raises as `get_in_project`."""
    return get_in_project(
        request.user,
        Citation.objects.select_related("attested_by", "retraction_reason_by"),
        act,
        pk=citation_id,
        project_id=project_id,
    )


@require_safe
@vary_on_headers("HX-Request", "HX-Target")
def citation(request: PersonRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    """Show the page of a reference. While it is checked, htmx polls and gets the new contents, or 204 for no change."""
    found = find(request, project_id, citation_id)
    waits = waiting_mark(found)
    if request.htmx and request.htmx.target == "entry" and waits and request.GET.get("seen") == waits:
        return HttpResponse(status=204)
    return show_reference(request, found)


@require_safe
@vary_on_headers("HX-Request")
def card(request: PersonRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    """Show the card of a reference, for a popover: its badge, what it is, and why it has this tier."""
    found = find(request, project_id, citation_id)
    if not request.htmx:
        return redirect("citations:detail", found.project_id, found.pk)
    return render(
        request,
        "citations/_card.html",
        {"entry": found, "is_explained": is_explained(found), "tags": tags_by_citation([found.pk]).get(found.pk, [])},
    )


@require_POST
def delete(request: PersonRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    """Delete a reference and go back to the list."""
    found = find(request, project_id, citation_id, "write")
    found.delete()
    messages.success(request, f"{found.cite_key} was deleted.")
    return redirect("citations:list", found.project.pk)


def _action_view(act: Act, do: Callable[..., object], said: str, *fields: str) -> Callable[..., HttpResponse]:
    """Return a view that calls `do` for a reference on which the person may `act`, with the POST values of `fields`.

    It goes back to the page of the reference with the message `said`. A refused action shows that page with the error,
    and the typed values stay.
    """

    @require_POST
    def deed(request: PersonRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
        found = find(request, project_id, citation_id, act)
        typed = {name: request.POST.get(name, "") for name in fields}
        try:
            do(found, request.user, **typed)
        except Refused as refused:
            return show_reference(request, found, wrong=refused.message, status=refused.status, typed=typed)
        messages.success(request, said)
        return redirect("citations:detail", found.project.pk, found.pk)

    return deed


# Look the reference up again.
check = _action_view(
    "write", lambda found, who: check_again(found.project, [found], who), "The reference is being looked up."
)
# Cite the work that the check suggests, or a preprint's published version; or the work of the record that was found.
repair = _action_view("write", apply_repair, "Saved. The reference is being checked again.")
record = _action_view("write", apply_record, "Saved. The reference is being checked again.")
withdraw = _action_view(
    "attest", withdraw_attestation, "The attestation was withdrawn. The reference is being checked again."
)
# Give or withdraw the reason for citing a retracted work.
retraction = _action_view("attest", explain_retraction, "Saved.", "reason")
withdraw_reason = _action_view(
    "attest",
    lambda found, _: withdraw_retraction_reason(found),
    "The reason was withdrawn. The final export is blocked while the work is cited without one.",
)
# Set authors, title and year of a cited file; say which published work it is; or cite it as a file again.
describe = _action_view(
    "write",
    lambda found, _, **typed: describe_file(found, Description(**typed)),
    "Saved.",
    *Description._fields,
)
identify = _action_view(
    "write",
    lambda found, who, identifier: identify_file(found, identifier, who),
    "The reference is being looked up.",
    "identifier",
)
as_file = _action_view("write", lambda found, _: cite_as_file(found), "The reference is now cited as your own file.")


def show_reference(
    request: PersonRequest,
    found: Citation,
    *,
    wrong: str = "",
    status: int = 200,
    typed: Mapping[str, str] | None = None,
) -> HttpResponse:
    """Show the page of `found`, or for htmx only its contents, with the error `wrong` above them."""
    project, now = found.project, timezone.now()
    role = project.role  # type: ignore[attr-defined]
    notices = sorted(found.notices.all(), key=lambda one: (not one.retracts, "concern" not in one.label))
    template = "citations/citation.html"
    return render(
        request,
        f"{template}#entry" if request.htmx else template,
        {
            "project": project,
            "tab": "citations",
            "citation": found,
            "wrong": wrong,
            "why": HEADINGS.get(found.tier) or HEADINGS.get(_S(found.status), "Status of the check"),
            "so": CONSEQUENCES.get(_S(found.status), ""),
            "fields": comparison_fields(found),
            "claimed": unsaved_reference(found.claim),
            "found": unsaved_reference(found.record),
            "repair": suggested_reference(found),
            "notices": notices,
            "told_retracted": any(one.retracts for one in notices),
            "is_explained": is_explained(found),
            "description": description_of(found)._asdict() if found.status == _S.FILE else {},
            "typed": typed or {},
            "used": places_of(project, uses_by_key(project).get(found.cite_key, ())),
            "other_keys": list(found.other_keys.all()),
            "tags": tags_by_citation([found.pk]).get(found.pk, []),
            "all_tags": tags_of_project(project) if may(role, "write") else [],
            "waits": waiting_mark(found),
            "again_at": found.check_due_at if found.check_due_at and found.check_due_at > now else None,
            "reference": printed_reference(found),
            "passages": mark_passages(found, request.GET.get("start", ""), request.GET.get("end", "")),
            "people": people(found),
            "kind": "File" if found.status == _S.FILE else type_name(str(found.csl.get("type") or "document")),
            "details": details(found),
            "link": web_address(found),
            "file": file_of(found),
            "free": found.open_access_url if found.open_access_url.startswith(("https://", "http://")) else "",
            "may_write": may(role, "write"),
            "may_attest": may(role, "attest"),
        },
        status=status,
    )


@require_http_methods(["GET", "HEAD", "POST"])
def attest_page(request: PersonRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    """Show the form to attest a reference, or save the attestation and go back to the reference."""
    found = find(request, project_id, citation_id, "attest")
    form = AttestForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            attest(found, request.user, **form.cleaned_data)
        except Refused as refused:
            add_refused(form, refused)
        else:
            messages.success(request, f"{found.cite_key} was attested. It is now tier {found.tier}.")
            return redirect("citations:detail", found.project.pk, found.pk)
    return render(
        request,
        "citations/attest.html",
        {
            "project": found.project,
            "tab": "citations",
            "citation": found,
            "claimed": unsaved_reference(found.claim),
            "found": unsaved_reference(found.record) if found.status == "conflict" else None,
            "form": form,
        },
        status=422 if form.errors else 200,
    )


@require_http_methods(["GET", "HEAD", "POST"])
def edit_page(request: PersonRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    """Show the form to edit an entry's BibTeX, or save it and go back to the reference."""
    found = find(request, project_id, citation_id, "write")
    before = found.cite_key
    form = (
        EditForm(request.POST) if request.method == "POST" else EditForm(initial={"bibtex": bibtex_for_editing(found)})
    )
    form.fields["bibtex"].validators.append(
        MaxLengthValidator(max_bibtex_length(found), "An entry can have at most %(limit_value)s characters.")
    )
    if form.is_valid():
        try:
            edited = edit(found, form.cleaned_data["bibtex"].replace("\r\n", "\n"), request.user)
        except Refused as refused:
            add_refused(form, refused)
        else:
            again = " The reference is being checked again." if edited.check_due_at else ""
            messages.success(request, f"Saved.{again}")
            return redirect("citations:detail", found.project.pk, found.pk)
    return render(
        request,
        "citations/edit.html",
        {
            "project": found.project,
            "tab": "citations",
            "citation": found,
            "form": form,
            "used": places_of(found.project, uses_by_key(found.project).get(before, ())),
        },
        status=422 if form.errors else 200,
    )


MOST_PEOPLE = 60
_DETAILS = {
    "Journal or book": "container-title",
    "Volume": "volume",
    "Issue": "issue",
    "Pages": "page",
    "Number": "number",
    "Edition": "edition",
    "Publisher": "publisher",
    "Place": "publisher-place",
    "Series": "collection-title",
    "ISBN": "ISBN",
    "ISSN": "ISSN",
    "Keywords": "keyword",
}


HEADINGS = {
    "A": "Why tier A?",
    "B": "Why tier B?",
    "C": "Why tier C?",
    _S.CONFLICT: "The identifier belongs to another work",
    _S.REVIEW: "Is this the right work?",
    _S.NOT_FOUND: "Why tier D?",
    _S.FILE: "Your own file",
}
# What happens to it in a build (SPEC C2), and what to do.
CONSEQUENCES = {
    _S.CONFLICT: (
        "Citations of it are left out of the PDF, and block the final export, until you choose the work that you mean."
    ),
    _S.REVIEW: "Citations of it stay in your text, and block the final export until you confirm or correct it.",
    _S.NOT_FOUND: (
        "Citations of it are left out of the PDF until it is proven. Compare its title and year with the work itself, "
        "add a DOI, PMID or ISBN, or attest it with a reason."
    ),
    _S.UNRESOLVED: "Citations of it stay in your text, and block the final export until it is looked up.",
    _S.FILE: (
        "Citations of it stay in your text and do not block the final export. It has no tier: no registry knows your "
        "files."
    ),
}


@dataclass(frozen=True)
class Passage:
    """A paragraph of the title or the note, split where evidence begins and ends. The `first` mark is a link target."""

    before: str
    marked: str
    after: str
    first: bool = False


def mark_passages(citation: Citation, start: str, end: str) -> dict[str, list[Passage]]:
    """Return title and note with the characters `start` to `end` of `text_for_search` marked."""
    first, last = (int(place) if place.isdecimal() and len(place) < 8 else 0 for place in (start, end))
    shown: list[Passage] = []
    position, anchored = 0, False
    for paragraph in citation.text_for_search.split("\n"):
        begin, stop = (min(max(place - position, 0), len(paragraph)) for place in (first, max(first, last)))
        shown.append(Passage(paragraph[:begin], paragraph[begin:stop], paragraph[stop:], begin < stop and not anchored))
        anchored = anchored or begin < stop
        position += len(paragraph) + 1
    titled = citation.title.count("\n") + 1
    return {"title": shown[:titled], "note": [one for one in shown[titled:] if one.before or one.marked or one.after]}


def printed_reference(citation: Citation) -> SafeString | str:
    """Return the reference as the thesis prints it; empty when its style cannot be used by citeproc."""
    with suppress(Refused):
        return as_html(print_references([citation.csl], citation.project.citation_style)[0])
    return ""


def details(citation: Citation) -> list[tuple[str, str]]:
    """Return the fields of the entry besides title, names and identifiers: (label, value)."""
    return [(label, str(value)) for label, variable in _DETAILS.items() if (value := citation.csl.get(variable))]


def people(citation: Citation) -> list[str]:
    """Return the full names of the authors, else of the editors; a long list ends with "and 12 more"."""
    found = citation.csl.get("author") or citation.csl.get("editor") or []
    parts = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix")
    names = [name.get("literal") or " ".join(filter(None, (name.get(part) for part in parts))) for name in found]
    more = len(names) - MOST_PEOPLE
    return [*names[:MOST_PEOPLE], f"and {more} more"] if more > 0 else names


def file_of(citation: Citation) -> dict[str, str]:
    """Return the uploaded file of the entry: {name, id}, with an empty id once the file is deleted (SPEC T7)."""
    if not citation.file_name:
        return {}
    return {
        "name": citation.file_name,
        "id": str(citation.file_id)
        if (citation.file_id is not None and has_file(citation.project, citation.file_id))
        else "",
    }


def web_address(citation: Citation) -> str:
    """Return the entry's web address; empty if the text is not an address, or is only the DOI again."""
    is_address = citation.url.lower().startswith(("https://", "http://"))
    is_doi = bool(citation.doi) and citation.url.casefold().endswith(f"doi.org/{citation.doi.casefold()}")
    return citation.url if is_address and not is_doi else ""
