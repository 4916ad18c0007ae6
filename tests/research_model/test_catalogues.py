"""A run over three catalogues that know the same works: each is found once, cited from the best that is known of it."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.apps import apps
from django.db import transaction
from django.test import override_settings

from jobs.models import JobEvent, State
from projects.models import Project
from research.export import LABELS, export
from research.models import Run, Source
from research.pages import report_context
from research.provenance import log_of, verify_run
from research.replay import replay
from research.structured import bibtex_of, result, structured
from tests.cast import asha, her_thesis
from tests.research.forest import REFERENCES, researched
from tests.research_model.holdings import ASKED, OWN, PULLED, ROOTS, SHADE, hold, quoting
from tests.research_model.script import KEY, role_of
from tests.research_model.turns import done, plays, search
from tests.servers.catalogues import Site
from tests.servers.messages import Answer, Request, said, serving
from tests.sources.conftest import BASES, KEYS, PROVIDERS
from citations.importing import import_entries

SHADE_ID, ROOTS_ID, PULLED_ID = "doi:10.5555/shade.1", "pmid:30000002", "doi:10.5555/pulled.3"


def disagreeing(request: Request) -> Any:
    """A model that also sees two passages of one work, and one of the person's own, at odds."""
    answer = quoting(request)
    if role_of(request) != "condense":
        return answer
    assert isinstance(answer, Answer)
    condensed = json.loads(answer.content[0]["text"])
    ids = {finding["quote"]: finding["source_id"] for finding in condensed["findings"]}
    sides = [ids[SHADE], "binkley2003", f"{SHADE_ID}::openalex-9a1322", "made up"]
    return said(answer={**condensed, "contradictions": [{"description": "Shade or mixture?", "source_ids": sides}]})
