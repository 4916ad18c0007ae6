"""The demo's references are checked by the identity gate with the demo catalogue alone, and everything says so."""

from typing import Any

import pytest
from django.core.management import call_command

from citations.audit.audit import audit_project, summary
from citations.audit.audit_json import audit_json
from citations.badges import badge_of
from citations.importing.file_import import import_entries
from citations.models import Citation
from citations.resolution.check_job import check_again
from citations.resolution.demo_catalogue import check_with_demo_catalogue, demo_verdict, work_from_csl
from projects.models import Project, User
from tests.people import signed_in
from thesis.preflight import blocking

ALDER: dict[str, Any] = {
    "id": "menon2019",
    "type": "article-journal",
    "title": "Nitrogen fixation by alder roots in young forests",
    "author": [{"family": "Menon", "given": "Asha"}, {"family": "Lund", "given": "Nils"}],
    "issued": {"date-parts": [[2019]]},
    "container-title": "Forest Ecology",
    "DOI": "10.1000/alder",
}
BIRCH: dict[str, Any] = {
    **ALDER,
    "id": "lund2020",
    "title": "RETRACTED: Growth of birch on poor soils after fire",
    "issued": {"date-parts": [[2020]]},
    "DOI": "10.1000/birch",
    "custom": {"retracted": True},
}
CATALOGUE = [work_from_csl(ALDER), work_from_csl(BIRCH)]
BIB = """
@article{menon2019, author={Menon, Asha and Lund, Nils}, year=2019, doi={10.1000/alder},
  title={Nitrogen fixation by alder roots in young forests}}
@article{lund2020, author={Menon, Asha and Lund, Nils}, year=2020, doi={10.1000/birch},
  title={Growth of birch on poor soils after fire}}
@article{oak2001, author={Oak, Ann}, year=2001, title={Mosses of the northern coast and islands}, doi={10.1000/alder}}
@article{elm2002, author={Elm, Bo}, year=2002, title={Ferns that were never seen by anybody}, doi={10.99999/none}}
@article{fir2003, author={Fir, Cy}, year=2003, title={Lichens on the walls of old towns}}
"""
ASKED_NOBODY = ("Crossref", "PubMed", "No registry knows", "OpenAlex")


@pytest.fixture
def rows(project: Project, owner: User) -> dict[str, Citation]:
    import_entries(project, BIB)
    section = project.sections.get(slug="results")
    section.write(r"Alder \cite{menon2019}.", based_on=section.version, by=owner)
    assert check_with_demo_catalogue(project, CATALOGUE, ["fir2003"]) == 4
    return {row.cite_key: row for row in Citation.objects.filter(project=project)}


def test_each_verdict_is_that_of_the_gate_and_names_the_demo_catalogue(rows: dict[str, Citation]) -> None:
    assert {key: (row.status, row.tier) for key, row in rows.items()} == {
        "menon2019": ("verified", "A"),
        "lund2020": ("verified", "A"),
        "oak2001": ("conflict", "D"),
        "elm2002": ("not_found", "D"),
        "fir2003": ("unresolved", ""),
    }
    assert {key: badge_of(row).words for key, row in rows.items()} == {
        "menon2019": "Demo catalogue",
        "lund2020": "Retracted, demo catalogue",
        "oak2001": "Conflict, demo catalogue",
        "elm2002": "Not found, demo catalogue",
        "fir2003": "Not looked up yet",
    }
    for row in rows.values():
        assert row.checked_at is None  # no registry answered
        assert not any(name in row.reason for name in ASKED_NOBODY)
        assert ("demo catalogue only" in row.reason) is (row.cite_key != "fir2003")
    assert rows["lund2020"].notices.get().told_by == "the demo catalogue"


@pytest.mark.parametrize(
    "changed",
    [
        {"title": "Nitrogen fixation by pine roots in young forests"},
        {"author": [{"family": "Xavier", "given": "Zoe"}]},
        {"issued": {"date-parts": [[1990]]}},
    ],
)
def test_a_changed_reference_is_not_proven(changed: dict[str, Any]) -> None:
    assert demo_verdict(ALDER, CATALOGUE).status == "verified"
    assert demo_verdict(ALDER | changed, CATALOGUE).status != "verified"


def test_the_audit_counts_it_apart_and_the_final_export_is_blocked(project: Project, rows: dict[str, Citation]) -> None:
    found = audit_project(project)
    assert [one.entry.key for one in found.demo] == ["menon2019"]
    assert "1 cited work was checked with the demo catalogue only; no registry was asked." in summary(found)
    assert [one["cite_key"] for one in audit_json(found)["demo_catalogue_in_use"]] == ["menon2019"]
    assert "1 cited work was checked with the demo catalogue only" in [one.title for one in blocking(project)]


def test_the_pages_and_the_api_say_so(project: Project, owner: User, rows: dict[str, Citation]) -> None:
    client, base = signed_in(owner), f"/projects/{project.pk}/citations/"
    listed = client.get(base).content.decode()
    assert "2 in the demo catalogue" in listed
    assert "4 works were checked with the demo catalogue only" in listed
    assert 'value="demo">Look them all up' in listed
    for place in ("", "card/"):
        page = client.get(f"{base}{rows['menon2019'].pk}/{place}", headers={"HX-Request": "true"}).content.decode()
        assert "Demo catalogue" in page
        assert "no registry was asked" in page
    audited = client.get(f"{base}audit/").content.decode()
    assert "checked with the demo catalogue only" in audited
    assert "% proven" not in audited
    told = client.get(f"/api/projects/{project.pk}/citations/{rows['menon2019'].pk}").json()
    assert told["evidence"] == {"type": "demo", "value": "10.1000/alder"}


def test_one_click_looks_all_of_them_up(project: Project, owner: User, rows: dict[str, Citation]) -> None:
    signed_in(owner).post(f"/projects/{project.pk}/citations/check/", {"all": "demo"})
    assert project.jobs.get(kind="check")
    now = {row.cite_key: row for row in Citation.objects.filter(project=project)}
    assert {key for key, row in now.items() if row.check_due_at} == rows.keys() - {"fir2003"}
    # What it proved stays until there is another verdict, named as before; the others wait for theirs.
    assert badge_of(now["menon2019"]).words == "Demo catalogue"
    assert badge_of(now["elm2002"]).words == "Being looked up"


def test_a_reference_is_checked_once_and_never_over_another_verdict(
    project: Project, owner: User, rows: dict[str, Citation]
) -> None:
    check_again(project, [rows["elm2002"], rows["fir2003"]], owner)
    assert check_with_demo_catalogue(project, CATALOGUE) == 0


def test_a_look_up_by_a_registry_replaces_it(project: Project, rows: dict[str, Citation]) -> None:
    """Without an answer it stays as it is; a verdict takes its place with the evidence of the registry."""
    from django.utils import timezone

    from citations.identity.verdict_types import Verdict
    from citations.resolution.apply_verdict import apply_verdict

    row = rows["menon2019"]
    apply_verdict(row, Verdict("unresolved", None, "Crossref did not answer."), timezone.now())
    before = row.is_of_demo_catalogue
    work = CATALOGUE[0].model_copy(update={"provider": "crossref"})
    apply_verdict(row, Verdict("verified", "A", "Crossref knows it.", work, (), "doi", "10.1000/alder"), timezone.now())
    assert (before, row.is_of_demo_catalogue) == (True, False)
    assert badge_of(row).words == "DOI and title"


def test_the_command_names_them_too(
    project: Project, rows: dict[str, Citation], capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("audit_citations", str(project.pk), "--format", "json")
    assert "demo_catalogue_in_use" in capsys.readouterr().out
