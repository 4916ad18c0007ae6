"""The audit on the page, for programs and on the command line (SPEC C5, C7, C9)."""

import json
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from citations.audit.key_uses import uses_by_key
from citations.models import Citation
from projects.models import Project, User
from sections.models import Section
from tests.people import signed_in


@pytest.fixture
def results(project: Project) -> Section:
    """The section with number 6; the thesis has none with another text."""
    found: Section = project.sections.get(number=6)
    return found


def cite(section: Section, latex: str) -> None:
    Section.objects.filter(pk=section.pk).update(latex=latex)


def add(project: Project, key: str, tier: str = "A", status: str = "verified", **more: Any) -> Citation:
    made: Citation = Citation.objects.create(project=project, cite_key=key, tier=tier, status=status, title=key, **more)
    return made


def card_of(user: User, project: Project, *, whole: bool = False) -> str:
    headers = {} if whole else {"HX-Request": "true"}
    response = signed_in(user).get(reverse("citations:audit", args=[project.pk]), headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("audit_citations", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_everything_is_well(reader: User, project: Project, results: Section) -> None:
    assert "Nothing cited yet</p>" in card_of(reader, project)
    add(project, "a")
    cite(results, "\\cite{a}")
    card = card_of(reader, project)
    assert card.strip().startswith('<section class="sheetlike pad audit" id="audit"')
    assert "100<small>% proven</small>" in card
    assert "1 of 1 citation in the text is proven." in card
    assert "No problems: every key" in card


def test_each_finding_has_its_line_with_links(owner: User, project: Project, results: Section) -> None:
    for key, tier, status in (
        ("okafor2022", "D", "not_found"),
        ("meduri2020", "D", "conflict"),
        ("review2020", "", "review"),
        ("angus2020", "", "unresolved"),
        ("lamontagne2020", "", "unresolved"),
        ("arabi2018", "A", "verified"),
        ("menon2019", "C", "attested"),
    ):
        add(project, key, tier, status)
    Citation.objects.filter(cite_key="angus2020").update(check_due_at=timezone.now())
    add(project, "mehra2020", retracted=True)
    cite(
        results,
        (
            "\\cite{okafor2022,meduri2020} \\cite{review2020,lamontagne2020} "
            "\\cite{angus2020,mehra2020,menon2019} \\cite{villar2020}"
        ),
    )
    card = card_of(owner, project)
    section = reverse("sections:section", args=[project.pk, results.slug])
    place = f'<a href="{section}">{results.title}</a>'
    for title, key in (
        ("1 not found", "okafor2022"),
        ("1 identifier conflict", "meduri2020"),
        ("1 retracted work in use", "mehra2020"),
        ("1 key without an entry", "villar2020"),
        ("1 to be confirmed", "review2020"),
        ("1 being looked up", "angus2020"),
        ("1 not looked up yet", "lamontagne2020"),
        ("1 entry never cited", "arabi2018"),
    ):
        line = card.split(title)[1].split("</dd>")[0]
        assert f"<code>{key}</code>" in line
        assert (place in line) == (key != "arabi2018")
    places = [card.index(title) for title in ("1 not found", "1 identifier", "1 key with", "1 entry never")]
    assert places == sorted(places), "worst first"
    compared = reverse("citations:detail", args=[project.pk, Citation.objects.get(cite_key="meduri2020").pk])
    assert f'<a href="{compared}#why">compare the two' in card
    assert "0<small>% proven</small>" in card
    assert "menon2019" not in card
    assert signed_in(owner).get(section).status_code == 200


def test_a_share_is_never_rounded_up_to_all(owner: User, project: Project, results: Section) -> None:
    add(project, "a")
    cite(results, "\\cite{a}" * 499 + "\\cite{none}")
    assert "99<small>% proven</small>" in card_of(owner, project)


def test_long_lists_are_folded(owner: User, project: Project, results: Section) -> None:
    Citation.objects.bulk_create(Citation(project=project, cite_key=f"k{number:03}") for number in range(300))
    cite(results, "".join(f"\\cite{{n{number}}}" for number in range(9)))
    card = card_of(owner, project)
    orphans, missing = (
        card.split("300 entries never cited")[1],
        card.split("9 keys without an entry")[1].split("</dd>")[0],
    )
    assert orphans.split("<details>")[0].count("<code>") == 5
    assert "and 295 more" in orphans
    assert orphans.count("<code>") == 205
    assert "95 more are not listed here" in orphans
    assert "and 4 more" in missing
    assert missing.count("<code>") == 9


def test_a_key_is_text_whatever_it_holds(owner: User, project: Project, results: Section) -> None:
    add(project, "<i>k</i>", "D", "not_found")
    cite(results, '\\cite{"><script>x</script>,' + "long" * 100 + "} \\cite{<i>k</i>}")
    card = card_of(owner, project)
    assert "<script>" not in card
    assert "<i>k" not in card
    assert "long" * 20 not in card
    assert "&lt;script&gt;" in card


def test_capitals(owner: User, project: Project, results: Section) -> None:
    add(project, "sterne2020")
    cite(results, "\\cite{Sterne2020}")
    assert "(did you mean sterne2020? Capitals must match)" in card_of(owner, project)
    assert "sterne2020 exists, but capitals must match" in command(str(project.pk))


def test_a_page_of_its_own_without_script(reader: User, project: Project) -> None:
    page = card_of(reader, project, whole=True)
    assert "<h1>Audit</h1>" in page
    assert 'id="audit"' in page


def test_it_is_as_the_text_stands_now(owner: User, project: Project, results: Section) -> None:
    add(project, "a", "D", "not_found")
    cite(results, "\\cite{a}")
    assert "1 not found" in card_of(owner, project)
    Citation.objects.update(tier="C", status="attested")
    assert "100<small>% proven</small>" in card_of(owner, project)


def test_many_rows_take_as_many_queries_as_few(owner: User, project: Project, results: Section) -> None:
    client, address = signed_in(owner), reverse("citations:audit", args=[project.pk])

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(address, headers={"HX-Request": "true"})
        return len(captured)

    few = queries()
    for number in range(30):
        add(project, f"k{number}", "D", "not_found")
    cite(results, "".join(f"\\cite{{k{number}}}" for number in range(20)))
    assert queries() == few


def test_where_each_key_is_used(owner: User, project: Project, results: Section) -> None:
    introduction = project.sections.get(number=2)
    cite(results, "\\cite{a} \\citet{a,b}")
    cite(introduction, "\\cite{b}")
    with CaptureQueriesContext(connection) as captured:
        used = uses_by_key(project)
        assert uses_by_key(project) is used
    assert len(captured) == 6, "three of them for keys that no row has"
    assert {key: [(use.number, use.slug, use.title, use.count) for use in places] for key, places in used.items()} == {
        "a": [(6, results.slug, results.title, 2)],
        "b": [(2, introduction.slug, introduction.title, 1), (6, results.slug, results.title, 1)],
    }
    assert used["a"][0].section_id == results.pk


def test_programs_get_it_as_json(owner: User, outsider: User, reader: User, project: Project, results: Section) -> None:
    found = add(project, "a", "D", "conflict")
    add(project, "b")
    cite(results, "\\cite{a} \\cite{none}")
    address = f"/api/projects/{project.pk}/citations/audit"
    told = signed_in(reader).get(address).json()
    place = {"section_id": str(results.pk), "number": 6, "slug": results.slug, "title": results.title, "count": 1}
    assert told["missing_citations"] == [{"cite_key": "none", "used_in": [place]}]
    assert told["tier_d_blocking"] == [
        {"citation_id": str(found.pk), "cite_key": "a", "tier": "D", "status": "conflict", "used_in": [place]}
    ]
    assert [one["cite_key"] for one in told["orphaned_citations"]] == ["b"]
    assert (told["total_citations"], told["total_cite_commands"], told["integrity_score"]) == (2, 2, 0)
    assert signed_in(outsider).get(address).status_code == 404
    assert signed_in(owner).post(address).status_code == 405
    assert told == json.loads(command(str(project.pk), "--format", "json"))


def test_on_the_command_line(project: Project, results: Section, reader: User, outsider: User) -> None:
    add(project, "a", "D", "not_found")
    add(project, "b", "", "review")
    add(project, "c", retracted=True)
    add(project, "d")
    cite(results, "\\cite{a,b,c} \\cite{none} \\cite{c}")
    lines = command(str(project.pk), "--user", reader.email).splitlines()
    assert lines == [
        "Integrity 33.33 of 100. 1 of 3 citations in the text is proven. 1 "
        "is refuted, 1 has no entry. Refuted means that "
        "no registry knows the work, or that its identifier belongs to another work. 4 entries.",
        f"Tier D in use (not found): a in “{results.title}”",
        f"No entry: none in “{results.title}”",
        f"Not proven yet (to confirm): b in “{results.title}”",
        f"Retracted, in use: c in “{results.title}”, no reason given",
        "Never cited: d",
    ]
    for wrong in ([str(uuid4())], ["demo"], [str(project.pk), "--user", outsider.email], ["x", "--user", "no@one.org"]):
        with pytest.raises(CommandError) as refused:
            command(*wrong)
        assert refused.value.returncode == 2


def test_strangers_and_wrong_methods(owner: User, outsider: User, project: Project, client: Any) -> None:
    address = reverse("citations:audit", args=[project.pk])
    assert signed_in(outsider).get(address).status_code == 404
    assert client.get(address).status_code == 302
    assert signed_in(owner).post(address).status_code == 405
