"""What the wizard advises is what R takes: names, params, options and designs (SPEC N3, N4)."""

from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from analysis.advice.question_catalogue import ANALYSIS_NAMES
from analysis.advice.sample_size_designs import DESIGNS
from analysis.advice.suggest import Alternative, Facts, Suggestion
from analysis.pages.options_form import CHOICE_LABELS
from analysis.r_client import client
from analysis.r_client.local_service import LocalService
from tests.analysis.test_advice import ANSWERS, Columns, suggestion_for

pytestmark = pytest.mark.r


@pytest.fixture
def catalogue(service: LocalService, settings: Any) -> Iterator[dict[str, Any]]:
    settings.R_PLUMBER_URLS, settings.R_PLUMBER_TOKEN = service.urls, service.token
    yield async_to_sync(client.catalogue)()
    client._catalogues.clear()


def advised(columns: Columns, question: str, facts: Facts) -> list[Suggestion | Alternative]:
    found = suggestion_for(question, columns, facts)
    return [found, *found.alternatives]


@pytest.mark.long
def test_r_takes_all_that_is_advised(catalogue: dict[str, Any]) -> None:
    taken = {one["name"]: one["params"] for one in catalogue["analyses"]}
    assert taken.keys() == ANALYSIS_NAMES.keys()
    for question, columns, facts, _, _ in ANSWERS:
        for one in advised(columns, question, facts):
            properties, params = taken[one.analysis]["properties"], dict(one.params)
            options = properties.get("options", {}).get("properties", {})
            assert set(taken[one.analysis]["required"]) <= params.keys() <= properties.keys(), one.analysis
            for name, chosen in params.pop("options", {}).items():
                assert chosen in options[name]["enum"], (one.analysis, name)
            for name, given in params.items():
                is_many = properties[name].get("type") == "array"
                assert isinstance(given, list) == is_many, (one.analysis, name)
                if is_many:
                    assert properties[name]["minItems"] <= len(given) <= properties[name]["maxItems"], one.analysis


def test_r_knows_the_designs_and_every_choice_has_words(catalogue: dict[str, Any]) -> None:
    assert {one["name"] for one in catalogue["designs"]} == DESIGNS.keys()
    for entry in catalogue["analyses"]:
        for name, option in entry["params"]["properties"].get("options", {}).get("properties", {}).items():
            assert {str(one) for one in option.get("enum", [])} <= CHOICE_LABELS.keys(), (entry["name"], name)
