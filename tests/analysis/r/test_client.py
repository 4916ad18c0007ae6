"""The client of the R service: turns, patience with busy processes, another process when one dies, clear errors."""

import asyncio
import math
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, ClassVar

import pytest

from analysis.r_client import client, local_service
from analysis.r_client.client import EngineError, catalogue, health, request_result
from analysis.r_client.local_service import LocalService
from analysis.r_client.request_body import encode_request, make_request

pytestmark = pytest.mark.r

T_TEST = make_request(
    [
        {"id": "c1", "name": "y", "type": "numeric", "values": [1, 2, 3, 4, 6.5, 9]},
        {"id": "c2", "name": "g", "type": "factor", "levels": ["a", "b"], "values": ["a", "b"] * 3},
    ],
    {"outcome": "c1", "group": "c2"},
    figures=(),
)


def work(seconds: float) -> dict[str, Any]:
    return make_request([], {"options": {"seconds": seconds}}, figures=())


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalService]:
    """Two processes with one place each."""
    if not local_service.is_r_installed():
        pytest.skip("R is not installed: docker/setup test adds it")
    log = tmp_path_factory.mktemp("two") / "service.log"
    environment = {"R_DEBUG_ANALYSES": "1", "R_CHILDREN": "1", "R_IDLE": "3600"}
    with local_service.start(2, environment=environment, log=log) as started:
        yield started


@pytest.fixture
def engine(two: LocalService, settings: Any) -> LocalService:
    """Both, alive, as the site's own."""
    two.look()
    two.wait()
    settings.R_PLUMBER_URLS, settings.R_PLUMBER_TOKEN = two.urls, two.token
    return two


@pytest.fixture
def of_all(service: LocalService, settings: Any) -> LocalService:
    """The process that all tests of R share, as the site's own; it takes as long as two to start one."""
    settings.R_PLUMBER_URLS, settings.R_PLUMBER_TOKEN = service.urls, service.token
    return service


async def refusal(kind: str, name: str, request: dict[str, Any]) -> EngineError:
    with pytest.raises(EngineError) as caught:
        await request_result(kind, name, request)
    return caught.value


async def running() -> list[int]:
    """How many children each process has."""
    return [one.get("running", -1) for one in await health()]


async def until_running(count: int) -> list[int]:
    for _ in range(400):
        if sum(found := await running()) >= count:
            return found
        await asyncio.sleep(0.02)
    raise AssertionError(f"Waited in vain for {count} children.")


@pytest.mark.long
async def test_questions_go_to_the_processes_in_turn(engine: LocalService) -> None:
    asked = [asyncio.create_task(request_result("run", "debug_work", work(0.8))) for _ in range(2)]
    assert await until_running(2) == [1, 1]
    await asyncio.gather(*asked)


@pytest.mark.long
async def test_busy_is_waited_for_and_the_limit_holds(engine: LocalService) -> None:
    asked = [asyncio.create_task(request_result("run", "debug_work", work(0.1))) for _ in range(6)]
    most = 0
    while not all(task.done() for task in asked):
        most = max([most, *await running()])
        await asyncio.sleep(0.02)
    assert len({task.result()["statistics"]["pid"] for task in asked}) == 6
    assert most <= 1


@pytest.mark.long
async def test_busy_for_too_long_is_said(engine: LocalService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "BUSY_WAIT", 0.5)
    asked = [asyncio.create_task(request_result("run", "debug_work", work(1))) for _ in range(2)]
    await until_running(2)
    error = await refusal("run", "debug_work", work(0))
    assert (error.code, error.status) == ("busy", 429)
    await asyncio.gather(*asked)


@pytest.mark.long
async def test_what_r_refuses_is_told_whole(engine: LocalService) -> None:
    columns = [{"id": "c1", "name": "g", "type": "factor", "values": list("abcabc")}]
    numbers = {"id": "c2", "name": "y", "type": "numeric", "values": [1, 2, 3, 4, 5, 6]}
    error = await refusal("run", "t_test", make_request([*columns, numbers], {"outcome": "c2", "group": "c1"}))
    assert (error.code, error.field, error.column, error.suggest, error.status) == (
        "group_levels", "params.group", "c1", "anova", 422,
    )  # fmt: skip
    assert set(error.as_dict()) == {"code", "message", "field", "column", "hint", "suggest"}
    assert (await refusal("run", "no_such", work(0))).code == "unknown_analysis"


@pytest.mark.long
async def test_a_child_that_dies_is_tried_once_more_then_said(engine: LocalService) -> None:
    assert (await refusal("run", "debug_crash", work(0))).code in ("internal", "bad_option")
    error = await refusal("run", "debug_crash", make_request([], {}, figures=()))
    assert (error.code, error.status) == ("internal", 500)
    assert (await request_result("run", "t_test", T_TEST))["n"]["used"] == 6


@pytest.mark.long
async def test_a_process_that_is_killed_is_followed_by_the_other(engine: LocalService) -> None:
    asked = asyncio.create_task(request_result("run", "debug_work", work(1)))
    busy = (await until_running(1)).index(1)
    os.kill(engine.processes[busy].pid, signal.SIGKILL)
    answer = await asked
    assert answer["n"]["total"] == 0
    for _ in range(2):  # and whoever comes next does not notice
        assert (await request_result("run", "t_test", T_TEST))["n"]["used"] == 6
    assert [one["ok"] for one in await health()].count(True) == 1


@pytest.mark.long
async def test_where_none_answers_it_says_how_to_start_one(engine: LocalService, settings: Any) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        settings.R_PLUMBER_URLS = [f"http://127.0.0.1:{nobody.getsockname()[1]}"]
        none: list[str] = []
        for urls in (settings.R_PLUMBER_URLS, none):
            settings.R_PLUMBER_URLS = urls
            error = await refusal("run", "t_test", T_TEST)
            assert (error.code, error.status) == ("absent", 503)
            assert str(error).startswith(
                "The analysis engine is not running. On the machine that runs Scholium, install R with"
            )
            assert not any(one["ok"] for one in await health())


async def test_a_wrong_token_is_not_tried_again(of_all: LocalService, settings: Any) -> None:
    settings.R_PLUMBER_TOKEN = "wrong"
    assert (await refusal("run", "t_test", T_TEST)).code == "bad_token"


async def test_the_catalogue_outlives_the_service(of_all: LocalService, settings: Any) -> None:
    found = await catalogue()
    (entry,) = [entry for entry in found["analyses"] if entry["name"] == "t_test"]
    assert entry["params"]["properties"]["outcome"] == {
        "title": "What was measured",
        "type": "string",
        "column": "numeric",
    }
    assert (entry["seconds"], entry["longest"]) == (20, 300)
    assert await client.seconds_for("run", "t_test") > entry["longest"]
    with socket.socket() as nobody:  # where the service was
        nobody.bind(("127.0.0.1", 0))
        settings.R_PLUMBER_URLS = [f"http://127.0.0.1:{nobody.getsockname()[1]}"]
        client._catalogues[tuple(settings.R_PLUMBER_URLS)] = (-math.inf, found)
        assert await catalogue() == found


class NotR(BaseHTTPRequestHandler):
    """Something else at the address of the service."""

    asked: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        self.asked.append(self.path)
        status = int(self.path.rpartition("/")[2])
        if status == 0:
            time.sleep(1.0)
            return
        self.send_response(status)
        self.end_headers()
        self.wfile.write(b"<html>")

    do_GET = do_POST

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("name", "code"), [("200", "internal"), ("502", "internal"), ("404", "internal"), ("0", "timeout")]
)
async def test_what_is_no_answer_is_said(name: str, code: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def soon(kind: str, name: str) -> float:
        return 0.3

    monkeypatch.setattr(client, "seconds_for", soon)
    server = HTTPServer(("127.0.0.1", 0), NotR)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    settings.R_PLUMBER_URLS = [f"http://127.0.0.1:{server.server_port}"] * 2
    NotR.asked.clear()
    try:
        assert (await refusal("run", name, T_TEST)).code == code
        assert len(NotR.asked) == (1 if code == "timeout" else client.TRIES)
    finally:
        server.shutdown()
        server.server_close()


# --- bodies ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ([{"id": f"c{n}", "name": "x", "values": [1]} for n in range(31)], "31 columns are too many"),
        ([{"id": "c1", "name": "x", "values": [1] * 50_001}], "50,001 rows are too many"),
        ([{"id": "c1", "name": "x", "values": ["a", "b" * 10_001]}], "Row 2 of x has more than 10,000"),
    ],
)
def test_what_is_too_large_is_not_sent(columns: list[dict[str, Any]], words: str) -> None:
    with pytest.raises(EngineError, match=words) as caught:
        make_request(columns, {})
    assert (caught.value.code, caught.value.status) == ("too_large", 413)


def test_no_body_has_more_than_20_megabytes() -> None:
    columns = [{"id": f"c{n}", "name": "x", "values": ["ä" * 500] * 5_000} for n in range(5)]
    with pytest.raises(EngineError, match="20 MB"):
        encode_request(make_request(columns, {}))


def test_numbers_that_json_has_not() -> None:
    column = {"id": "c1", "name": "x", "values": [math.inf, -math.inf, math.nan, 1.5, None, True]}
    made = make_request([column], {})
    assert made["data"]["columns"][0]["values"] == ["Inf", "-Inf", None, 1.5, None, True]
    with pytest.raises(EngineError, match="not a finite number"):
        encode_request(make_request([], {"options": {"mu": math.nan}}))
    assert encode_request({"name": "\ud800"}) == b'{"name":"\\ud800"}'
