"""The R service under strange and hostile requests: it refuses them as the contract says, and stays available."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import psutil
import pytest

from analysis.r_client import local_service
from analysis.r_client.local_service import LocalService, is_answering
from tests.analysis.r.oracle import ask, body_of, codes, post

pytestmark = pytest.mark.r

NAMES = ("Ramesh Kumar", "MRN 448812", "अनिता")
SCRIPT = '"><script>alert(1)</script>]]><a href="javascript:x">&\ufffe\x01'


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalService]:
    """A process with the analyses that misbehave and two places; a child is ready after a second of rest."""
    if not local_service.is_r_installed():
        pytest.skip("R is not installed: docker/setup test adds it")
    log = tmp_path_factory.mktemp("strange") / "service.log"
    with local_service.start(
        environment={"R_DEBUG_ANALYSES": "1", "R_CHILDREN": "2", "R_HANG": "60", "R_IDLE": "1"}, log=log
    ) as started:
        yield started


def refused(service: LocalService, body: bytes, path: str = "/v1/run/t_test") -> tuple[int, str]:
    status, answer = post(service, path, body)
    assert answer["error"]["message"], answer
    return status, answer["error"]["code"]


def well(service: LocalService) -> bool:
    return is_answering(service.processes[0].port, service.token)


# --- what comes in -----------------------------------------------------------------------------------------------


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "bad_json"),
        (b"{", "bad_json"),
        (b"[]", "bad_json"),
        (b"[1, 2]", "bad_json"),
        (b"null", "bad_json"),
        (b'"/etc/passwd"', "bad_json"),
        (b"/etc/passwd", "bad_json"),
        (b"http://127.0.0.1:1/x.json", "bad_json"),
        (b"file:///etc/passwd", "bad_json"),
        (b'{"contract":"1"\x00}', "bad_json"),
        (b'{"contract":"1","request_id":"\\u0000"}', "unknown_column"),
        (b'{"contract":"1","request_id":"\xff\xfe"}', "bad_json"),
        (b'{"contract":"1"} {"contract":"1"}', "bad_json"),
        (b"[" * 200_000 + b"]" * 200_000, "bad_json"),
        (b'{"contract":"1","x":' + b'{"a":' * 5000 + b"1" + b"}" * 5001, "bad_json"),
        (b'{"contract":"1","seed":1e999}', "bad_option"),
        (b'{"contract":"2"}', "unsupported_contract"),
        (b'{"contract":null,"x":1}', "unsupported_contract"),
        (b'{"x":1}', "unsupported_contract"),
        (b'{"contract":"1","data":"c1"}', "bad_option"),
        (b'{"contract":"1","data":{"columns":"c1"}}', "bad_option"),
        (b'{"contract":"1","data":{"columns":{"id":"c1"}}}', "bad_option"),
        (b'{"contract":"1","data":{"columns":[{"id":"c1; q()","values":[1]}]}}', "bad_option"),
        (b'{"contract":"1","data":{"columns":[{"id":"c1","values":[[1,2],[3]]}]}}', "bad_option"),
        (b'{"contract":"1","data":{"columns":[{"id":"c1","values":[{"a":1}]}]}}', "bad_option"),
        (b'{"contract":"1","data":{"columns":[{"id":"c1","type":"formula","values":[1]}]}}', "bad_option"),
        (b'{"contract":"1","data":{"columns":[{"id":"c1","values":[1]},{"id":"c1","values":[2]}]}}', "bad_option"),
        (b'{"contract":"1","data":{"columns":[{"id":"c1","values":[1]},{"id":"c2","values":[2,3]}]}}', "bad_option"),
        (b'{"contract":"1","output":"svg"}', "bad_option"),
        (b'{"contract":"1","output":{"figures":["exe"]}}', "bad_option"),
        (b'{"contract":"1","output":{"digits":1e9}}', "bad_option"),
        (b'{"contract":"1","seed":"1"}', "bad_option"),
        (b'{"contract":"1","alpha":0}', "bad_option"),
        (b'{"contract":"1","request_id":["a","b"]}', "bad_option"),
        (b'{"contract":"1","params":"mpg"}', "bad_option"),
        (b'{"contract":"1","params":[1,2]}', "bad_option"),
        (b'{"contract":"1","params":{"outcome":{"a":1}}}', "unknown_column"),
        (b'{"contract":"1","params":{"outcome":"c1","options":"x"}}', "unknown_column"),
        (b'{"contract":"1","params":{"formula":"y ~ x"}}', "bad_option"),
        (b'{"contract":"1","dataX":"c1","paramsX":5,"outputX":7}', "unknown_column"),
    ],
    ids=lambda value: value[:40] if isinstance(value, bytes) else value,
)
def test_a_body_that_is_no_request_is_refused(strange: LocalService, body: bytes, code: str) -> None:
    status = 400 if code in ("bad_json", "unsupported_contract") else 422
    assert refused(strange, body) == (status, code)


def test_brackets_within_a_text_are_no_depth(strange: LocalService) -> None:
    columns = {"y": [1, 2, 3, 5, 8, 9], "g": ["[{" * 100, '\\"[[[' * 20] * 3}
    assert ask(strange, "t_test", {"outcome": "@y", "group": "@g"}, columns)["n"]["used"] == 6


def test_numbers_of_any_size_are_read(strange: LocalService) -> None:
    big = 12345678901234567890
    columns = {"y": [1e90, -1e90, 5e-324, big, 1, 0.1], "g": ["a", "b"] * 3}
    answer = ask(strange, "t_test", {"outcome": "@y", "group": "@g"}, columns)
    assert answer["n"]["used"] == 6


@pytest.mark.parametrize("rows", [50_001, 200_001])
def test_too_many_rows(strange: LocalService, rows: int) -> None:
    answer = ask(strange, "t_test", {"outcome": "@y"}, {"y": [1] * rows}, status=413)
    assert answer["error"]["code"] == "too_large"


def test_too_much_of_anything_else(strange: LocalService) -> None:
    many = {f"x{number}": [1] for number in range(31)}
    assert ask(strange, "t_test", {}, many, status=413)["error"]["code"] == "too_large"
    assert ask(strange, "t_test", {}, {"x": ["a" * 10_001]}, status=413)["error"]["column"] == "c1"
    assert refused(strange, b" " * 20_000_001) == (413, "too_large")
    assert well(strange)


@pytest.mark.long
def test_the_most_rows_and_columns_are_computed(strange: LocalService) -> None:
    columns: dict[str, Any] = {f"x{number}": [row % 7 for row in range(50_000)] for number in range(29)}
    columns["g"] = ["a", "b"] * 25_000
    answer = ask(strange, "t_test", {"outcome": "@x1", "group": "@g"}, columns)
    assert answer["n"]["used"] == 50_000


def test_a_body_longer_than_is_ever_read(strange: LocalService) -> None:
    with socket.create_connection(("127.0.0.1", strange.processes[0].port), timeout=10) as line:
        head = (
            f"POST /v1/run/t_test HTTP/1.1\r\nHost: r\r\nX-Token: {strange.token}\r\nContent-Length: 900000000\r\n\r\n"
        )
        line.sendall(head.encode())
        assert line.recv(100).startswith(b"HTTP/1.1 413")
    assert well(strange)


def test_half_a_body_keeps_nobody_waiting(strange: LocalService) -> None:
    lines = [socket.create_connection(("127.0.0.1", strange.processes[0].port), timeout=10) for _ in range(5)]
    for line in lines:
        head = f"POST /v1/run/t_test HTTP/1.1\r\nHost: r\r\nX-Token: {strange.token}\r\nContent-Length: 500\r\n\r\n"
        line.sendall(head.encode() + b'{"contract":')
    assert well(strange)
    ask(strange, "debug_work", {"options": {"seconds": 0}})
    for line in lines:
        line.close()
    assert well(strange)


@pytest.mark.parametrize("headers", [{"X-Token": ""}, {"X-Token": "wrong"}])
def test_without_the_token_nothing_is_said(strange: LocalService, headers: dict[str, str]) -> None:
    status, answer = post(strange, "/v1/run/t_test", b"{}", headers)
    assert (status, answer["error"]["code"]) == (401, "bad_token")


@pytest.mark.parametrize(
    "path",
    [
        "/v1/run/none",
        "/v1/run/",
        "/v1/run/system",
        "/v1/run/..%2f..%2fetc",
        "/v1/figure/t_test",
        "/openapi.json",
        "/__docs__/",
    ],
)
def test_what_is_not_there_is_not_found(strange: LocalService, path: str) -> None:
    assert refused(strange, b"{}", path) == (404, "unknown_analysis")


def test_validation_by_name_in_the_body(strange: LocalService) -> None:
    request = body_of({"outcome": "@y", "group": "@g"}, {"y": [1, 2, None, 4], "g": ["a", "b"] * 2})
    status, answer = post(strange, "/v1/validate", json.dumps({**request, "analysis": "t_test"}).encode())
    assert status == 200
    assert answer["method"] == "Welch two-sample t-test"
    assert [column["missing"] for column in answer["columns"]] == [1, 0]
    assert refused(strange, json.dumps({**request, "analysis": ["t_test"] * 2}).encode(), "/v1/validate")[0] == 404
    assert refused(strange, b"no json", "/v1/validate")[0] == 404


# --- what a child does -------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("name", ["debug_sleep", "debug_process"])
def test_what_hangs_is_killed_by_the_clock(strange: LocalService, name: str) -> None:
    error = ask(strange, name, {}, status=504)["error"]
    assert error["code"] == "timeout"
    assert error["message"].startswith(
        "The analysis did not end within 3 seconds, although it used less processor time"
    )
    assert well(strange)


@pytest.mark.long
@pytest.mark.parametrize("name", ["debug_burn", "debug_native"])
def test_what_uses_up_its_processor_time_is_killed(strange: LocalService, name: str) -> None:
    error = ask(strange, name, {}, status=504)["error"]
    assert error["code"] == "timeout"
    assert error["message"] == "The analysis used 1 second of processor time and was stopped."
    assert well(strange)


@pytest.mark.long
def test_waiting_longer_than_the_processor_time_is_no_reason_to_stop(strange: LocalService) -> None:
    ask(strange, "debug_sleep", {"options": {"seconds": 1.2}})


@pytest.mark.long
def test_a_machine_that_is_busy_stops_no_analysis(strange: LocalService) -> None:
    """Each processor has two others that never rest: what may compute for a second takes longer, and is let."""
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * len(os.sched_getaffinity(0)))
    ]
    try:
        ask(strange, "debug_burn", {"options": {"seconds": 0.7}})
    finally:
        for one in busy:
            one.kill()
            one.wait()


def test_a_child_that_dies_takes_nothing_with_it(strange: LocalService) -> None:
    for _ in range(3):  # more often than there are places
        assert ask(strange, "debug_crash", {}, status=500)["error"]["code"] == "internal"
    ask(strange, "debug_work", {"options": {"seconds": 0}})


@pytest.mark.long
def test_memory_has_an_end(strange: LocalService) -> None:
    answer = ask(strange, "debug_memory", {}, status=413)
    assert answer["error"]["code"] == "too_large"
    assert "memory" in answer["error"]["message"]
    assert well(strange)


@pytest.mark.long
def test_health_answers_while_children_compute_and_the_third_is_told_busy(strange: LocalService) -> None:
    work = [threading.Thread(target=ask, args=(strange, "debug_work", {"options": {"seconds": 1.5}})) for _ in range(2)]
    for thread in work:
        thread.start()
    time.sleep(0.5)
    assert well(strange)
    answer = ask(strange, "debug_work", {}, status=429)  # both are still at work
    assert answer["error"]["code"] == "busy"
    for thread in work:
        thread.join()
    ask(strange, "debug_work", {"options": {"seconds": 0}})


def test_the_log_has_no_names_and_no_values(strange: LocalService) -> None:
    columns = {NAMES[0]: list(NAMES)}
    answer = ask(strange, "debug_error", {"column": "@" + NAMES[0]}, columns, status=500)
    assert not any(name in json.dumps(answer, ensure_ascii=False) for name in NAMES)
    warned = ask(strange, "debug_warning", {"column": "@" + NAMES[0]}, columns)
    assert codes(warned) == ["r_warning"]
    assert warned["warnings"][0]["message"] == "the value “…” of “…” is “…” at …"
    ask(strange, "debug_work", {NAMES[1]: 1}, columns, status=422, request_id=NAMES[2])
    assert strange.log is not None
    log = strange.log.read_text(encoding="utf-8")
    assert "debug_warning request=test bytes=" in log
    assert not any(name in log for name in NAMES)


@pytest.mark.long
def test_hostile_labels_in_a_figure(strange: LocalService) -> None:
    columns = [(SCRIPT, ("factor", ["<b>&", "${7*7}", "a\x07b", "😀 ज"]))]
    answer = ask(strange, "debug_figure", {"column": "c1"}, columns, ["svg", "png", "pdf"])
    by_format = {figure["format"]: b64decode(figure["base64"]) for figure in answer["figures"]}
    assert sorted(by_format) == ["pdf", "png", "svg"]
    svg = ElementTree.fromstring(by_format["svg"])
    tags = {element.tag.rpartition("}")[2] for element in svg.iter()}
    assert not tags & {"script", "a", "foreignObject", "image"}
    assert "alert(1)" in "".join(svg.itertext())
    assert codes(answer) == ["figure_not_drawn"]


# --- the child that is made ready --------------------------------------------------------------------------------


def ready_child(service: LocalService) -> psutil.Process:
    """The child that waits for a request; it is made once nothing else runs."""
    until = time.monotonic() + 15
    folder = Path(service.folder)
    while time.monotonic() < until:
        for mark in folder.glob("Rtmp*/ready-*"):
            pid = int(mark.name.partition("-")[2])
            if psutil.pid_exists(pid):
                return psutil.Process(pid)
        time.sleep(0.05)
    raise AssertionError("No child is made ready.")


@pytest.mark.long
def test_a_child_that_waited_answers_as_any_other(strange: LocalService) -> None:
    columns = {"value": [1.0, 2.5, 3.0, 4.5, 5.0, 7.5] * 400, "arm": ["a", "b"] * 1200}
    params = {"outcome": "c1", "group": "c2"}
    first = ready_child(strange)
    waited = ask(strange, "t_test", params, columns, ["svg"])
    first.wait(5)  # it does one analysis and no more
    forked = ask(strange, "t_test", params, columns, ["svg"])
    for answer in (waited, forked):
        answer.pop("timing_ms")
    assert waited == forked
    assert ready_child(strange).pid != first.pid


def test_a_child_that_died_while_it_waited_is_not_missed(strange: LocalService) -> None:
    ready_child(strange).kill()
    ask(strange, "debug_work", {"options": {"seconds": 0}})
    ready_child(strange)


@pytest.mark.long
def test_what_hangs_in_a_child_that_waited_is_killed_too(strange: LocalService) -> None:
    waiting = ready_child(strange)
    assert ask(strange, "debug_sleep", {}, status=504)["error"]["code"] == "timeout"
    waiting.wait(5)
    assert well(strange)


# --- what is left behind -----------------------------------------------------------------------------------------


def of_group(group: int) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return found


def running(service: LocalService) -> int:
    """How many children compute."""
    with closing(HTTPConnection("127.0.0.1", service.processes[0].port, timeout=5)) as http:
        http.request("GET", "/health", headers={"X-Token": service.token})
        return int(json.loads(http.getresponse().read())["running"])


def none_left(group: int) -> bool:
    until = time.monotonic() + 5
    while of_group(group) and time.monotonic() < until:
        time.sleep(0.05)
    return not of_group(group)


@pytest.mark.long
def test_children_end_with_a_service_that_is_killed(strange: LocalService) -> None:
    one = strange.processes[0]

    def work() -> None:
        with pytest.raises((OSError, HTTPException)):
            post(strange, "/v1/run/debug_work", json.dumps(body_of({"options": {"seconds": 20}})).encode())

    thread = threading.Thread(target=work)
    thread.start()
    until = time.monotonic() + 10
    while running(strange) < 1 and time.monotonic() < until:
        time.sleep(0.05)
    assert len(of_group(one.pid)) >= 2  # itself, the child, and what it may have ready
    os.kill(one.pid, signal.SIGKILL)
    thread.join(15)  # well before the child would be done
    assert not thread.is_alive()  # the child holds the connection too: only its end tells who asked
    assert none_left(one.pid)
    one.process.wait()
    assert strange.look() == [one.port]
    strange.wait()
    ask(strange, "debug_work", {"options": {"seconds": 0}})


def test_nothing_is_left_when_the_one_who_started_it_is_killed(strange: LocalService) -> None:
    """As when `up` is killed by kill -9: what waits at the other end of a pipe ends R and its children. The last test
    here, since the service is gone then."""
    one = strange.processes[0]
    assert one.guard.stdin is not None
    one.guard.stdin.close()  # what the end of our own process would do
    one.process.wait(5)
    assert none_left(one.pid)
    strange.stop()
    assert not Path(strange.folder).exists()
