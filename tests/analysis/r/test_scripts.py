"""Names and labels that nobody should choose: the analysis takes them, and its script gives the same numbers again."""

import json
from typing import Any

import pytest

from analysis.r_client.local_service import LocalService
from tests.analysis.r.oracle import ask, columns_of, post, run_scripts

pytestmark = pytest.mark.r

HOSTILE = [
    "if",
    "TRUE",
    "NA",
    "x`; system('id'); `",
    "x\"; system('id'); \"",
    "d[[1]]",
    "\\",
    "\\u0041\\",
    "%s%d",
    "{1+1}",
    "=cmd|' /C calc'!A0",
    "+1",
    "#x",
    "a,b;c\td",
    "😀",
    "रक्तचाप",
    "e\u0301",
    "\u202eright to left",
    "x" * 300,
    "",
    " ",
    " x ",
    "\x1b[31m",
    "'",
    "1",
]
VALUES = [21.0, 22.8, 18.1, 19.5, 30.4, 33.9, 15.2, 27.3]


def data(name: str, group: str, first: str, second: str) -> list[tuple[str, Any]]:
    return [(name, VALUES), (group, ("factor", [first, second] * 4))]


@pytest.mark.long
def test_hostile_names_of_columns_and_levels(service: LocalService) -> None:
    results = []
    for number, name in enumerate(HOSTILE):
        other = HOSTILE[number - 1]
        first, second = name or "blank", other or "empty"
        if first.strip() == second.strip():
            second = "other"
        columns = data(name, other if other != name else "group", first, second)
        answer = ask(service, "t_test", {"outcome": "c1", "group": "c2"}, columns)
        assert "\n" not in answer["sentence"]["plain"]
        results.append((answer, columns))
    assert run_scripts(results) == 14 * len(HOSTILE)


def test_two_columns_of_one_name(service: LocalService) -> None:
    columns = data("x", "x", "a", "b")
    answer = ask(service, "t_test", {"outcome": "c1", "group": "c2"}, columns)
    assert "d[[1]]" in answer["script"]["code"]
    assert run_scripts([(answer, columns)]) == 14


def test_a_script_says_where_it_comes_from_and_what_it_needs(service: LocalService) -> None:
    columns = data("mpg", "am", "0", "1")
    script = ask(service, "t_test", {"outcome": "c1", "group": "c2"}, columns, seed=7)["script"]
    lines = script["code"].splitlines()
    assert lines[1].startswith("# Made by Scholium with R ")
    assert "set.seed(7)" in lines
    assert lines[-1] == "sessionInfo()"
    assert script["data_file"] == "data.csv"
    assert len(script["sha256"]) == 64
    assert "script" not in {
        key
        for key, value in ask(service, "t_test", {"outcome": "c1", "group": "c2"}, columns, script=False).items()
        if value
    }


@pytest.mark.parametrize("option", ["two.sided'); system('id'); ('", "`less`"])
def test_no_option_gets_into_a_script_unchecked(service: LocalService, option: str) -> None:
    params = {"outcome": "c1", "group": "c2", "options": {"alternative": option}}
    assert ask(service, "t_test", params, data("y", "g", "a", "b"), status=422)["error"]["code"] == "bad_option"


def test_the_version_of_r_and_of_its_packages_is_in_every_result(service: LocalService) -> None:
    answer = ask(service, "t_test", {"outcome": "c1", "group": "c2"}, data("y", "g", "a", "b"))
    assert answer["versions"]["r"].count(".") == 2
    assert "stats" in answer["versions"]["packages"]
    status, _ = post(service, "/v1/run/t_test", b"{}")
    assert status == 400


def test_a_label_is_for_words_and_the_name_for_the_script(service: LocalService) -> None:
    """A column is called what people call it; data.csv has its own name over it."""
    columns = data("crp", "arm", "a", "b")
    sent = columns_of(columns)
    sent[0]["label"], sent[1]["label"] = 'C-reactive "protein" (mg/L)', ""
    request = {"contract": "1", "params": {"outcome": "c1", "group": "c2"}, "data": {"columns": sent}}
    status, answer = post(service, "/v1/run/t_test", json.dumps(request).encode())
    assert status == 200
    assert 'C-reactive "protein" (mg/L)' in answer["sentence"]["plain"]
    assert answer["tables"][0]["columns"][0]["label"] == "arm"
    assert 'd[["crp"]]' in answer["script"]["code"]
    assert "C-reactive" not in answer["script"]["code"]
    assert run_scripts([(answer, columns)])
