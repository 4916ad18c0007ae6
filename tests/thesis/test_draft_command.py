"""manage.py draft_section: a proposal with the verdicts on its citations, offline and by a model
(DESIGN, "Commands")."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from config.demo.install import install
from projects.models import Project, User
from sections.models import Section
from tests.people import signed_in
from tests.servers.messages import Service
from tests.thesis.draft_rows import TEXT, section, service
from tests.thesis.proposals import references, run_with

__all__ = ["section", "service"]
pytestmark = pytest.mark.django_db(transaction=True)  # the text is told from a thread of its own


def run(*arguments: Any) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("draft_section", *map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def refused(*arguments: Any) -> tuple[int, str]:
    with pytest.raises(CommandError) as error:
        run(*arguments)
    return error.value.returncode, str(error.value)


def test_the_demo_thesis_offline() -> None:
    install()
    printed, told = run("demo", "introduction", "--format", "json")
    made = json.loads(printed)
    assert "\\cite{" in made["latex"]
    assert made["bibtex"] == ""
    assert made["citations"]
    assert all(set(one) == {"key", "status", "tier", "is_demo"} for one in made["citations"])
    assert {one["key"] for one in made["citations"]} == {
        key for part in made["latex"].split("\\cite{")[1:] for key in part.split("}")[0].split(",")
    }
    assert made["usage"] == {"output_tokens": 0, "input_tokens": 0, "cost_usd": "0.000000"}
    assert made["engine"].startswith("Offline engine")
    assert made["notes"][0].startswith("The offline engine wrote no")
    assert "\\cite{" in told
    assert "The proposal is ready" in told


def test_a_model_with_findings_and_references(section: Section, owner: User, service: Service) -> None:
    references(section.project)
    run_with(section.project, owner, 2, "How does alder change nitrogen in an introduction?")
    service.says("Roots fix it \\cite{menon2021,berg2019}.\n", usage={"input_tokens": 700, "output_tokens": 30})
    printed, told = run(section.project_id, "1", "--instructions", "On nitrogen.", "--format", "json", "--accept")
    made = json.loads(printed)
    assert made["latex"] == "Roots fix it \\cite{menon2021,berg2019}.\n"
    assert made["citations"] == [
        {"key": "menon2021", "status": "verified", "tier": "A", "is_demo": False},
        {"key": "berg2019", "status": "not_found", "tier": "D", "is_demo": False},
    ]
    assert (made["usage"]["output_tokens"], made["usage"]["input_tokens"]) == (30, 700)
    asked = json.dumps(service.requests[0])
    assert "Plot 2 held 2 kg" in asked
    assert "menon2021" in asked
    assert "berg2019" not in asked
    latex = Section.objects.get(pk=section.pk).latex
    assert latex.startswith(TEXT.rstrip())
    assert "Roots fix it \\cite{menon2021}% UNRESOLVED: berg2019" in latex
    assert "Left out, because they could not be verified: berg2019." in told


def test_text_is_latex_too(section: Section, owner: User, service: Service) -> None:
    references(section.project)
    service.says("Roots fix it \\cite{menon2021}.\n")
    printed, _ = run(section.project_id, "introduction", "--user", owner.email)
    assert "% menon2021: verified, tier A\n\nRoots fix it \\cite{menon2021}.\n" in printed


def test_what_goes_wrong(section: Section, owner: User, outsider: User, reader: User, service: Service) -> None:
    project: Project = section.project
    assert refused("nonsense", "introduction") == (2, "There is no thesis nonsense.")
    code, said = refused(project.pk, "nowhere")
    assert code == 2
    assert said.startswith("This thesis has no section nowhere. Available: front-matter, abstract, 1 introduction,")
    for person in (outsider, reader):
        assert refused(project.pk, "2", "--user", person.email) == (2, f"{person.email} may not change this thesis.")
    service.fails(401, "authentication_error")
    code, said = refused(project.pk, "introduction")
    assert code == 1
    assert "ANTHROPIC_API_KEY" in said
    assert Section.objects.get(pk=section.pk).latex == TEXT


def test_the_demo_catalogue_is_named(section: Section, owner: User, service: Service) -> None:
    references(section.project)
    section.project.citations.filter(cite_key="menon2021").update(evidence_type="demo", evidence_value="")
    service.says("Roots fix it \\cite{menon2021}.\n")
    service.says("Roots fix it \\cite{menon2021}.\n")
    asked = (section.project_id, "introduction", "--user", owner.email)
    assert "% menon2021: verified, tier A, by the demo catalogue only\n" in run(*asked)[0]
    assert json.loads(run(*asked, "--format", "json")[0])["citations"][0]["is_demo"] is True
    draft = section.project.drafts.latest("created_at")
    read = signed_in(owner).get(f"/api/drafts/{draft.pk}").json()
    assert read["citations"][0]["is_demo"] is True
