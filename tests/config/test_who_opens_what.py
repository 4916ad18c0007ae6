"""Who opens what: every page and API path, asked for with each role; the table in docs/access.md is what came back.

A new address is asked for without being named here. Written anew by
`WRITE_ACCESS_TABLE=1 python -m pytest tests/config/test_who_opens_what.py`; read what changes before you commit it.
"""

import json
import os
import re
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from analysis.models import Analysis
from contextfiles.models import ContextFile
from jobs.models import Job, State
from projects.models import Project, User
from research.models import Run
from tests.analysis.database_rows import RESULT, SCRIPT, a_dataset
from tests.config.addresses import filled, ids_of
from tests.config.test_every_address import private
from tests.people import person, signed_in
from tests.research.finished_run import finished, forest, owner, run

__all__ = ["finished", "forest", "owner", "run"]

pytestmark = pytest.mark.django_db

PAGE = Path(settings.BASE_DIR) / "docs" / "access.md"
ROLES = ("owner", "editor", "supervisor", "reader", "outsider")
WORDS = {200: "yes", 302: "yes", 403: "no", 404: "not found"}
# Words of the uploaded files, and cells of the data: whoever reads one of them has opened it.
TEXT = re.compile(rb"14 plots in 2003|0\.21% to 0\.34%|18 kg of nitrogen|not randomised|QZ0\d\d|n/qz|9\.8 m without")
ROWS = "patient,arm,hb\n" + "".join(
    f"QZ{n:03},{'a' if n % 2 else 'b'},{'n/qz' if n == 7 else 90 + n}\n" for n in range(20)
)
JOBS = {"research": "job_id", "data": "data_job", "analysis": "analysis_job"}
FORMATS = ("md", "docx", "bibtex", "provenance", "structured")


@pytest.fixture
def things(run: Run, owner: User) -> dict[str, str]:
    """What every address of the thesis needs, with data, a failed analysis and a proposal that quote rows and files."""
    found = ids_of(run, owner)
    version = a_dataset(run.project, owner, ROWS, state="ready")
    version.remarks = [{"level": "warning", "code": "odd", "text": "“n/qz” is no number.", "column": "c3", "rows": [8]}]
    version.job = _job(run.project, owner, "dataset", version.pk, "Row 8 holds “n/qz”.")
    version.save()
    says = {"code": "not_numeric", "message": "“n/qz” of QZ007 is no number.", "hint": "Mend it.", "column": "c3"}
    job = _job(run.project, owner, "analysis", version.pk, says["message"])
    failed: Analysis = run.project.analyses.create(
        number=2, title="Hb?", name="t_test", data=version, job=job, error=says, ended_at=job.ended_at
    )
    script = {
        "script": SCRIPT,
        "versions": RESULT["versions"],
        "params": {"outcome": "c3", "group": "c2"},
        "ended_at": job.ended_at,
    }
    done = run.project.analyses.create(number=3, title="Hb", name="t_test", data=version, result=RESULT, **script)
    finding = run.findings.filter(source__kind="file").first()
    assert finding is not None
    section = run.project.sections.first()
    assert section is not None
    latex = "Growth was measured on 14 plots in 2003."
    draft = run.project.drafts.create(
        section=section,
        blocks=[{"number": 0, "start": 0, "end": 0, "was": "", "latex": latex}],
        latex=latex,
        findings=[{"run": str(run.pk), "finding_id": finding.finding_id}],
        created_by=owner,
    )
    more = {"dataset_id": version.dataset_id, "version_id": version.pk, "draft_id": draft.pk, "other_id": done.pk}
    return found | {name: str(one) for name, one in more.items()} | {
        "done": str(done.pk), "failed": str(failed.pk), "data_job": str(version.job_id), "analysis_job": str(job.pk)
    }  # fmt: skip


def _job(project: Project, user: User, kind: str, subject: Any, says: str) -> Job:
    job: Job = Job.objects.start(project=project, kind=kind, subject=subject, user=user, enqueue=False)
    job.change_state(State.FAILED, says)
    return job


def addresses(things: dict[str, str]) -> Iterator[tuple[str, str]]:
    """(how the table calls it, its path) of all that can be asked for."""
    for route in private():
        if "analysis_id>" in route:
            for name in ("done", "failed"):
                label = _named(route, "analysis_id", f"analysis, {name}")
                yield label, filled(route, things | {"analysis_id": things[name]})
        elif "job_id>" in route:
            for name, job in JOBS.items():
                yield _named(route, "job_id", f"job, {name}"), filled(route, things | {"job_id": things[job]})
        elif route.endswith("export/<str:name>/"):
            for format in FORMATS:
                yield route.replace("<str:name>", format), filled(route, things | {"name": format})
        else:
            yield route, filled(route, things)


def _named(route: str, parameter: str, name: str) -> str:
    return re.sub(rf"<(?:\w+:)?{parameter}>", f"<{name}>", route)


@pytest.fixture
def people(run: Run, owner: User, outsider: User) -> dict[str, Client]:
    clients = {"owner": signed_in(owner), "outsider": signed_in(outsider)}
    for role in ("editor", "supervisor", "reader"):
        user = person(f"{role}@example.org", role.title())
        run.project.memberships.create(user=user, role=role)
        clients[role] = signed_in(user)
    return clients


def read(client: Client, address: str) -> str:
    """What the table says of `address` for one person."""
    answer: Any = client.get(address)
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    if body.startswith(b"PK"):  # a ZIP archive, or a Word file
        with zipfile.ZipFile(BytesIO(body)) as packed:
            body = b"".join(packed.read(name) for name in packed.namelist())
    if TEXT.search(body):
        return "**with data**"
    return WORDS.get(answer.status_code, str(answer.status_code))


def table(things: dict[str, str], people: dict[str, Client]) -> list[str]:
    lines = [f"| address | {' | '.join(ROLES)} |", f"|---|{'---|' * len(ROLES)}"]
    for label, address in sorted(dict(addresses(things)).items()):
        said = [read(people[role], address) for role in ROLES]
        shown = re.sub(r"<(?:\w+:)?([^<>]+)>|\(\?P<(\w+)>[^)]*\)", lambda found: f"{{{found[1] or found[2]}}}", label)
        lines.append(f"| {shown} | {' | '.join(said)} |")
    return lines


@pytest.mark.long
def test_the_table_is_what_comes_back(things: dict[str, str], people: dict[str, Client]) -> None:
    lines = table(things, people)
    page = PAGE.read_text(encoding="utf-8")
    head, _, _ = page.partition("\n| address |")
    if os.environ.get("WRITE_ACCESS_TABLE"):
        PAGE.write_text(head + "\n" + "\n".join(lines) + "\n", encoding="utf-8")
    written = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    assert lines == written
    for line in lines[2:]:
        cells = [cell.strip() for cell in line.split("|")][2:-1]
        assert "**with data**" not in cells[2:], line
    assert sum("**with data** | **with data** |" in line for line in lines) > 20, "there was something to keep back"


@pytest.mark.long
def test_what_they_may_not_open_comes_by_no_other_method(things: dict[str, str], people: dict[str, Client]) -> None:
    for _, address in addresses(things):
        for role in ("supervisor", "reader"):
            for method in ("POST", "PUT", "PATCH", "DELETE"):
                answer = people[role].generic(method, address, b"{}", content_type="application/json")
                assert not TEXT.search(answer.content), (role, method, address)


@pytest.mark.parametrize("open_to", Project.DataOpenTo.values)
def test_the_owner_opens_them(open_to: str, things: dict[str, str], people: dict[str, Client], run: Run) -> None:
    where = f"/projects/{run.project_id}/data-access/"
    for role, status in (("editor", 403), ("supervisor", 403), ("reader", 403), ("outsider", 404)):
        assert people[role].post(where, {"data_open_to": open_to}).status_code == status
    for role in ("editor", "supervisor"):
        body = {"data_open_to": open_to}
        answer = people[role].patch(f"/api/projects/{run.project_id}", body, content_type="application/json")
        assert answer.status_code == 403
    assert people["owner"].put(where).status_code == 405
    assert people["owner"].post(where, {"data_open_to": "everybody"}).status_code == 422
    assert people["owner"].post(where, {"data_open_to": open_to}).status_code == 302
    told = people["reader"].get(f"/api/projects/{run.project_id}").json()
    assert told["data_open_to"] == open_to
    file = ContextFile.objects.filter(project=run.project, name="alder.md").get()
    closed = {
        f"/projects/{run.project_id}/files/{file.pk}/download/",
        f"/runs/{run.pk}/report/",
        f"/api/projects/{run.project_id}/datasets/{things['dataset_id']}/rows",
        f"/api/jobs/{things['data_job']}/events",
        f"/api/drafts/{things['draft_id']}",
    }
    opens = {"writers": (), "supervisors": ("supervisor",), "members": ("supervisor", "reader")}[open_to]
    for address in closed:
        for role in ("supervisor", "reader"):
            assert (read(people[role], address) == "**with data**") == (role in opens), (role, address)
        assert read(people["outsider"], address) == "not found"


def test_the_api_sets_it_too(people: dict[str, Client], run: Run) -> None:
    def sent(method: str, **facts: str) -> Any:
        body = json.dumps(facts)
        return people["owner"].generic(method, f"/api/projects/{run.project_id}", body, content_type="application/json")

    assert sent("PATCH", data_open_to="members").json()["data_open_to"] == "members"
    assert sent("PATCH", data_open_to="all").status_code == 422
    assert sent("PUT", title="Alder").json()["data_open_to"] == "members"
