"""The first rows of the dialog for citing, in a thesis of 2,000 references and 5,000 cite commands (SPEC C8)."""

import json
from collections.abc import Callable

from django.test import Client

from citations.models import Citation
from config.demo.install import EMAIL
from projects.models import Project, User
from tests.benchmarks.figure import Figure, typical

REFERENCES, COMMANDS, TIMES = 2_000, 5_000, 15
TARGET = 50.0  # milliseconds
TYPED = {"one letter": "m", "a word": "alder", "a DOI": "10.1000/77"}


def large(user: User) -> Project:
    """A thesis with many references, cited often."""
    project = Project.objects.create_for(user, title="A large library")
    Citation.objects.bulk_create(
        Citation(
            project=project,
            cite_key=f"menon{number}",
            title=f"Alder and soil, part {number}",
            authors="Menon and Lund",
            doi=f"10.1000/{number}",
            serial=number,
        )
        for number in range(REFERENCES)
    )
    text = " ".join(f"Soil \\cite{{menon{number % REFERENCES}}}." for number in range(COMMANDS))
    project.sections.get(slug="results").write(text, based_on=0, by=user)
    return project


def measure(address: str) -> list[Figure]:
    user = User.objects.get(email=EMAIL)
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    project = large(user)
    figures = []
    for name, text in TYPED.items():
        look = look_request(client, project, text)
        look()
        took = typical(look, TIMES) * 1000
        figures.append(Figure(f"first rows of {REFERENCES:,} references for {name}", took, "ms", TARGET))
    project.delete()
    return figures


def look_request(client: Client, project: Project, text: str) -> Callable[[], object]:
    path = f"/api/projects/{project.pk}/citations/look"

    def look() -> object:
        response = client.post(path, json.dumps({"text": text}), content_type="application/json")
        if response.status_code != 200:
            raise RuntimeError(f"{path} answered {response.status_code}.")
        return response

    return look
