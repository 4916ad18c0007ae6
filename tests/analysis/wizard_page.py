"""The wizard of new analyses for tests: a cohort, a stand-in for the R service, and readers of its pages."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from django.test import Client
from selectolax.lexbor import LexborHTMLParser

from analysis.models import DatasetVersion
from analysis.r_client import client as engine
from projects.models import Project, User
from tests.analysis.database_rows import a_dataset
from tests.people import signed_in

COHORT = "id,arm,pain,crp,died,sex,when\n" + "".join(
    f"S{n:02d},{'steroid' if n % 2 else 'control'},{n % 5 + 1},"
    f"{10 + n * 7 % 40},{n % 3 == 0:d},{'male' if n % 4 else 'female'},"
    f"2024-01-{n % 28 + 1:02d}\n"
    for n in range(60)
)
BOTH: dict[str, Any] = {"var_equal": {"title": "Assume equal variances", "type": "boolean", "default": False},
        "alternative": {"title": "Alternative", "enum": ["two.sided", "less", "greater"],
            "default": "two.sided"}}  # fmt: skip
EVENT: dict[str, Any] = {"event_value": {"title": "Which value is the event", "type": "string"}}
SIZES: dict[str, Any] = {"delta": {"title": "Difference", "type": "number"},
         "sd": {"title": "SD", "type": "number", "minimum": 1e-9, "maximum": 1e9},
         "power": {"title": "Power", "type": "number", "minimum": 0.5, "maximum": 0.9999, "default": 0.8},
         "sides": {"title": "Sides", "type": "integer", "minimum": 1, "maximum": 2, "default": 2}}  # fmt: skip


def entry(
    name: str, options: dict[str, Any] | None = None, required: tuple[str, ...] = (), **params: Any
) -> dict[str, Any]:
    properties = params | ({"options": {"type": "object", "properties": options}} if options else {})
    return {
        "name": name,
        "title": name,
        "params": {"type": "object", "properties": properties, "required": list(required)},
    }


CATALOGUE = {
    "contract": "1",
    "analyses": [
        entry("t_test", BOTH), entry("mann_whitney"), entry("logistic", EVENT), entry("chi_square"), entry("fisher"),
        entry("correlation", {"method": {"title": "Coefficient", "enum": ["pearson", "spearman"],
            "default": "pearson"}}),
        entry("one_sample_t", {"mu": {"title": "Value", "type": "number", "default": 0}}),
    ],
    "designs": [entry("two_means", required=("sd",), **SIZES)],
    "figures": [],
}  # fmt: skip


class _Catalogue(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        content = json.dumps(CATALOGUE).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def answering() -> Iterator[str]:
    """A service that says what it can do, as R's does (tests/analysis/r asks that one)."""
    with HTTPServer(("127.0.0.1", 0), _Catalogue) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def r(answering: str, settings: Any) -> None:
    settings.R_PLUMBER_URLS = [answering]


@pytest.fixture
def no_r(settings: Any) -> None:
    engine._catalogues.clear()
    settings.R_PLUMBER_URLS = []


@pytest.fixture
def data(project: Project, owner: User) -> DatasetVersion:
    return a_dataset(project, owner, COHORT, name="cohort.csv", state="ready")


@pytest.fixture
def hers(owner: User) -> Client:
    return signed_in(owner)


def address(project: Project, page: str = "new") -> str:
    return f"/projects/{project.pk}/analyses/{page}/"


def ids(data: DatasetVersion) -> dict[str, str]:
    return {column["name"]: column["id"] for column in data.columns}


def stay(data: DatasetVersion, **more: str) -> dict[str, Any]:
    """The answers for a comparison of CRP between the arms."""
    of = ids(data)
    return {
        "question": "Is CRP higher in the control arm?",
        "intent": "differ",
        "recognised": "differ",
        "data": str(data.pk),
        "v.outcome": of["crp"],
        "v.group": of["arm"],
        **more,
    }


def shown(response: Any, status: int = 200) -> LexborHTMLParser:
    assert response.status_code == status, response.content[:2000]
    return LexborHTMLParser(response.content)


def words(page: LexborHTMLParser, selector: str) -> str:
    return " ".join(one.text().strip() for one in page.css(selector))


def value(page: LexborHTMLParser, name: str) -> str | None:
    """What a field of the form would send."""
    for one in page.css(f'[name="{name}"]'):
        kind = one.attributes.get("type")
        if one.tag == "select":
            chosen = one.css_first("option[selected]") or one.css_first("option")
            return chosen.attributes.get("value") if chosen else None
        if kind not in ("radio", "checkbox") or "checked" in one.attributes:
            return one.attributes.get("value", "on")
    return None
