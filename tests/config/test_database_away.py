"""SPEC P6: a database that is away, or busy for too long, is said in a sentence, on pages and in the API."""

import pytest
from django.db import OperationalError, connection, transaction
from django.test import Client

from projects.models import Project, User
from tests.concurrent_calls import Other
from tests.people import signed_in

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
IMPATIENT = 100  # milliseconds for which a connection waits for a lock, instead of the usual 20 s


@pytest.fixture
def client(owner: User) -> Client:
    """A browser in which Asha has signed in, that is given the page which people see of a fault."""
    client = signed_in(owner)
    client.raise_request_exception = False
    return client


def lose_patience() -> None:
    impatient = {"sqlite": f"PRAGMA busy_timeout={IMPATIENT}", "postgresql": f"SET lock_timeout={IMPATIENT}"}
    with connection.cursor() as cursor:
        cursor.execute(impatient[connection.vendor])


def test_what_is_locked_for_too_long_is_said_by_page_and_api(project: Project, client: Client) -> None:
    def add() -> tuple[int, str, int, str]:
        lose_patience()
        page = client.post(f"/projects/{project.pk}/sections/", {"title": "Soil"})
        api = client.post(f"/api/projects/{project.pk}/sections", {"title": "Soil"}, content_type="application/json")
        return page.status_code, page.content.decode(), api.status_code, api.json()["error"]["code"]

    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        page, said, api, code = Other(add).ended()
    assert (page, api, code) == (503, 503, "busy")
    assert "Scholium is busy" in said
    assert project.sections.count() == 9
    assert client.post(f"/projects/{project.pk}/sections/", {"title": "Soil"}).status_code == 302


def test_a_line_that_is_cut_before_anybody_is_known_is_no_fault(project: Project, client: Client) -> None:
    """Who is signed in is looked up before a page is asked for: there no page can say it."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no line to cut")
    with pytest.raises(OperationalError), connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    page = client.get(f"/projects/{project.pk}/")
    connection.close()
    assert (page.status_code, page["Retry-After"]) == (503, "5")
    assert "Scholium is busy" in page.content.decode()
    assert client.get(f"/projects/{project.pk}/").status_code == 200
