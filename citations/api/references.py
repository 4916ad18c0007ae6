"""The API operations on references: read, add, change, check, attest (SPEC P4, C5).

The pages call the same functions. All methods of one path must be in one router.
"""

from copy import copy
from typing import Any
from uuid import UUID

from ninja import Router, Status

from citations.api.schemas import (
    AddIn,
    AdditionsOut,
    AttestIn,
    ChangeIn,
    CheckIn,
    CitationDetail,
    CitationOut,
    DescriptionIn,
    IdentifierIn,
    JobOut,
    MergeIn,
    PairOut,
    RetractionIn,
    with_relations,
)
from citations.editing.duplicates import find_duplicates, merge
from citations.editing.edit import (
    Description,
    apply_repair,
    attest,
    cite_as_file,
    describe_file,
    edit,
    identify_file,
    rename,
    withdraw_attestation,
)
from citations.importing.add_references import Added, add
from citations.library.list_filter import ListFilter
from citations.models import Citation, explain_retraction, withdraw_retraction_reason
from citations.resolution.check_job import check_again
from core.errors import Refused
from projects.access import Act, get_in_project, get_project
from projects.signed_in_request import PersonRequest

router = Router(tags=["citations"])
ONE = "/projects/{uuid:project_id}/citations/{uuid:citation_id}"


@router.get("/projects/{uuid:project_id}/citations", response=list[CitationOut])
def list_citations(
    request: PersonRequest, project_id: UUID, q: str = "", show: str = "", tag: int | None = None, sort: str = ""
) -> Any:
    """The citations of a thesis by serial number, then age; `q` returns only those that contain all its words.

    `show` is a filter of the page ("a", "d", "retracted" ...), `tag` the id of a tag, `sort` "author", "year", "title"
    or "key".
    """
    everything = Citation.objects.filter(project=get_project(request.user, project_id)).matching(q)
    return with_relations(ListFilter.read({"show": show, "tag": tag, "sort": sort}).of(everything))


@router.post("/projects/{uuid:project_id}/citations", response={201: AdditionsOut})
def add_citations(request: PersonRequest, project_id: UUID, data: AddIn) -> Any:
    """Add references by DOI, PMID, BibTeX or pasted text. A work that already exists is returned with its key."""
    added = add(get_project(request.user, project_id, "write"), request.user, **data.dict(), keep_key=True)
    rows = {row.pk: row for row in with_relations(Citation.objects.filter(pk__in=[one.citation.pk for one in added]))}
    return Status(
        201,
        {
            "citations": [_with_outcome(rows[one.citation.pk], one) for one in added if one.citation.pk in rows],
            "problems": added.problems,
        },
    )


@router.post("/projects/{uuid:project_id}/citations/check", response={202: JobOut})
def check_citations(request: PersonRequest, project_id: UUID, data: CheckIn) -> Any:
    """Look entries up again now. Attested entries stay as they are."""
    project = get_project(request.user, project_id, "write")
    everything = Citation.objects.filter(project=project).only("pk", "status", "evidence_type")
    wanted = None if data.citations is None else set(data.citations)
    job = check_again(
        project,
        [row for row in everything if (row.pk in wanted if wanted is not None else not row.is_settled)],
        request.user,
    )
    return Status(202, {"job": job.pk if job else None})


@router.get(ONE, response=CitationDetail)
def read_citation(request: PersonRequest, project_id: UUID, citation_id: UUID) -> Any:
    """One citation with all its fields."""
    return find_citation(request, project_id, citation_id, "read")


@router.delete(ONE, response={204: None})
def delete_citation(request: PersonRequest, project_id: UUID, citation_id: UUID) -> Any:
    """Delete one citation. Text that cites its key is not changed."""
    find_citation(request, project_id, citation_id, "write").delete()
    return Status(204, None)


@router.put(ONE, response=CitationDetail)
def change_citation(request: PersonRequest, project_id: UUID, citation_id: UUID, data: ChangeIn) -> Any:
    """Replace an entry's BibTeX, or change its key. If it then describes another work, it is checked again."""
    found = find_citation(request, project_id, citation_id, "write")
    if bool(data.bibtex_entry) == bool(data.cite_key):
        raise Refused("Give exactly one of bibtex_entry and cite_key.", field="bibtex_entry")
    return rename(found, data.cite_key) if data.cite_key else edit(found, data.bibtex_entry, request.user)


@router.post(f"{ONE}/attest", response=CitationDetail)
def attest_citation(request: PersonRequest, project_id: UUID, citation_id: UUID, data: AttestIn) -> Any:
    """Attest an entry that no registry proves. Owners, editors and supervisors may do this."""
    return attest(
        find_citation(request, project_id, citation_id, "attest"),
        request.user,
        data.reason,
        data.evidence_type,
        data.evidence_value,
    )


@router.delete(f"{ONE}/attest", response=CitationDetail)
def withdraw(request: PersonRequest, project_id: UUID, citation_id: UUID) -> Any:
    """Withdraw an attestation; the entry is then checked."""
    return withdraw_attestation(find_citation(request, project_id, citation_id, "attest"), request.user)


@router.post(f"{ONE}/check", response={202: JobOut})
def check_citation(request: PersonRequest, project_id: UUID, citation_id: UUID) -> Any:
    """Look one entry up again now."""
    found = find_citation(request, project_id, citation_id, "write")
    job = check_again(found.project, [found], request.user)
    return Status(202, {"job": job.pk if job else None})


@router.post(f"{ONE}/repair", response=CitationDetail)
def repair_citation(request: PersonRequest, project_id: UUID, citation_id: UUID) -> Any:
    """Cite the work that the last check suggests instead, or a preprint's published version."""
    return apply_repair(find_citation(request, project_id, citation_id, "write"), request.user)


@router.get("/projects/{uuid:project_id}/citations/duplicates", response=list[PairOut])
def list_duplicates(request: PersonRequest, project_id: UUID) -> Any:
    """The pairs of references that may be one work, at most 500. Those with different DOIs or PMIDs never match."""
    return find_duplicates(get_project(request.user, project_id))


@router.post("/projects/{uuid:project_id}/citations/merge", response=CitationDetail)
def merge_citations(request: PersonRequest, project_id: UUID, data: MergeIn) -> Any:
    """Merge two references that are one work. The better proven one stays, with both keys; no text is changed."""
    return merge(get_project(request.user, project_id, "write"), request.user, *data.citations)


@router.put(f"{ONE}/retraction", response=CitationDetail)
def explain(request: PersonRequest, project_id: UUID, citation_id: UUID, data: RetractionIn) -> Any:
    """Give the reason for citing a retracted work, which the final export requires.

    Owners, editors and supervisors may do this.
    """
    return explain_retraction(find_citation(request, project_id, citation_id, "attest"), request.user, data.reason)


@router.delete(f"{ONE}/retraction", response=CitationDetail)
def withdraw_reason(request: PersonRequest, project_id: UUID, citation_id: UUID) -> Any:
    """Withdraw the reason for citing a retracted work."""
    return withdraw_retraction_reason(find_citation(request, project_id, citation_id, "attest"))


@router.put(f"{ONE}/file", response=CitationDetail)
def describe(request: PersonRequest, project_id: UUID, citation_id: UUID, data: DescriptionIn) -> Any:
    """Set the authors, title and year of an uploaded file that is cited."""
    return describe_file(find_citation(request, project_id, citation_id, "write"), Description(**data.dict()))


@router.post(f"{ONE}/file", response=CitationDetail)
def as_file(request: PersonRequest, project_id: UUID, citation_id: UUID) -> Any:
    """Cite an uploaded file as a file again, after it was looked up or attested."""
    return cite_as_file(find_citation(request, project_id, citation_id, "write"))


@router.post(f"{ONE}/file/work", response=CitationDetail)
def identify(request: PersonRequest, project_id: UUID, citation_id: UUID, data: IdentifierIn) -> Any:
    """Cite an uploaded file as a published work; it is then looked up like any other."""
    return identify_file(find_citation(request, project_id, citation_id, "write"), data.identifier, request.user)


def _with_outcome(row: Citation, one: Added) -> Citation:
    """Return a copy of the row with the attributes of AddedOut."""
    row = copy(row)  # the same row may appear twice in the answer
    row.existing, row.added_as = one.existing, one.note  # type: ignore[attr-defined]
    return row


def find_citation(request: PersonRequest, project_id: UUID, citation_id: UUID, act: Act) -> Citation:
    """Return the citation if the person may `act` on it. Raises as `get_in_project`."""
    return get_in_project(request.user, Citation.objects.all(), act, pk=citation_id, project_id=project_id)
