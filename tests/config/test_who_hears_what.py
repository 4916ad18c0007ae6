"""Who hears what a job tells: of research that read uploaded files only those who may open these."""

from pathlib import Path

import pytest
from asgiref.sync import sync_to_async

from projects.models import Membership, Project, User
from research.models import Run
from tests.config.test_every_socket import first_message
from tests.people import open_data, person
from tests.research.forest_thesis import plant, researched

CLOSED = (None, {"type": "websocket.close", "code": 4404})


@pytest.mark.django_db(transaction=True)
async def test_no_socket_tells_those_to_whom_uploads_are_closed(tmp_path: Path) -> None:
    def made() -> tuple[Project, Run, User, list[User]]:
        owner = person("asha@example.org", "Asha Menon")
        project = plant(Project.objects.create_for(owner, title="Alder"), owner, tmp_path)
        users = [person(f"{role}@example.org", role) for role in ("supervisor", "reader")]
        for user, role in zip(users, (Membership.Role.SUPERVISOR, Membership.Role.READER), strict=True):
            project.memberships.create(user=user, role=role)
        return project, researched(project, owner), owner, users

    project, run, owner, users = await sync_to_async(made)()
    address = f"/ws/jobs/{run.job_id}/"
    assert [await first_message(address, user) in CLOSED for user in users] == [True, True]
    assert (await first_message(address, owner))["type"] == "websocket.send"
    await sync_to_async(open_data)(project)
    assert [(await first_message(address, user))["type"] for user in users] == ["websocket.send"] * 2
