"""Queries and server time of the pages people open most, with few theses and with many."""

from collections.abc import Callable

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from config.demo.install import EMAIL
from projects.models import Project, User
from research.models import Run
from tests.benchmarks.figure import Figure, typical

FEW, MANY = 3, 200
TARGET = 50.0  # milliseconds
TIMES = 9


def fill(user: User, count: int) -> None:
    """Theses of `user`, until there are `count`."""
    for number in range(Project.objects.visible_to(user).count(), count):
        Project.objects.create_for(user, title=f"Thesis {number}")


def addresses() -> dict[str, str]:
    run = Run.objects.latest("created_at")
    return {
        "home": "/",
        "thesis": f"/projects/{run.project_id}/",
        "citations": f"/projects/{run.project_id}/citations/",
        "research": f"/projects/{run.project_id}/research/",
        "run": f"/runs/{run.pk}/",
        "report": f"/runs/{run.pk}/report/",
    }


def measure(address: str) -> list[Figure]:
    user = User.objects.get(email=EMAIL)
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    figures = []
    for count in (FEW, MANY):
        fill(user, count)
        for name, path in addresses().items():
            get = opener(client, path)
            get()
            get()  # the second time, templates and static names are known
            with CaptureQueriesContext(connection) as queries:
                get()
            remark = f"{len(queries)} queries"
            took = typical(get, TIMES) * 1000
            figures.append(Figure(f"{name} page, {count} theses", took, "ms", TARGET, remark))
    return figures


def opener(client: Client, path: str) -> Callable[[], object]:
    def get() -> object:
        response = client.get(path, follow=True)
        if response.status_code != 200:
            raise RuntimeError(f"{path} answered {response.status_code}.")
        return response

    return get
