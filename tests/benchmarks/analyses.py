"""What the R service costs over plain R for the same analysis, and twenty questions asked of it at once (SPEC N2, N7).

Plain R is one Rscript that has everything loaded and runs the same code over the same request again and again; the
service adds HTTP, the child of each analysis and its limits.
"""

import asyncio
import json
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from django.test import override_settings

from analysis.r_client import local_service
from analysis.r_client.client import request_result
from analysis.r_client.request_body import encode_request, make_request
from tests.analysis.r.oracle import columns_of, post
from tests.benchmarks.figure import Figure

TIMES = 21
MOST_OVER = 60.0  # milliseconds
PAUSE = 2.0  # seconds: a person reads a result before asking again
AT_ONCE, AT_ONCE_SECONDS = 20, 10.0
DATA = {"value": [21 + 0.7 * (row % 13) for row in range(200)], "group": ["a", "b"] * 100}
PARAMS = {"outcome": "c1", "group": "c2"}
# The service itself, up to where it would begin to listen.
PLAIN = """
options(warn = 1, digits = 15)
invisible(Sys.setlocale("LC_ALL", "C.UTF-8"))
suppressPackageStartupMessages({library(survival); library(ggplot2); library(metafor)})
given <- commandArgs(TRUE)
for (folder in file.path(given[[1]], c("R", "R/shared", "R/analyses")))
  for (file in sort(list.files(folder, "[.]R$", full.names = TRUE))) source(file, encoding = "UTF-8")
warm_up()
for (path in given[-(1:2)]) {
  body <- readBin(path, "raw", file.size(path))
  took <- vapply(seq_len(as.integer(given[[2]])), function(i) {
    started <- Sys.time()
    stopifnot(answer(ANALYSES$t_test, body)$status == 200L)
    1000 * as.numeric(difftime(Sys.time(), started, units = "secs"))
  }, 0)
  cat(median(took), "")
}
"""


def measure() -> list[Figure]:
    """The figures; none where R is not installed."""
    if not local_service.is_r_installed():
        return []
    bodies = [make_request(columns_of(DATA), PARAMS, figures=formats) for formats in ((), ("svg",))]
    plain = in_plain_r(bodies)
    figures = []
    with local_service.start(2, log=Path("/dev/null")) as service:
        for words, request, alone in zip(("numbers", "numbers and a figure"), bodies, plain, strict=True):
            for how, pause, target in (("asked now and then", PAUSE, MOST_OVER), ("one behind the other", 0.0, None)):
                took = through(service, request, pause)
                what = f"R service over plain R, {words}, {how}"
                figures.append(Figure(what, took - alone, "ms", target, f"{took:.0f} against {alone:.0f}"))
        with override_settings(R_PLUMBER_URLS=service.urls, R_PLUMBER_TOKEN=service.token):
            took = asyncio.run(all_at_once(bodies[0]))
        figures.append(
            Figure(f"{AT_ONCE} analyses at once, until the last", took, "s", AT_ONCE_SECONDS, "two processes")
        )
    return figures


def in_plain_r(bodies: list[dict[str, Any]]) -> list[float]:
    """Milliseconds that each request takes in R alone."""
    with tempfile.TemporaryDirectory(prefix="scholium-bench-") as place:
        paths = [Path(place) / f"{number}.json" for number in range(len(bodies))]
        for path, request in zip(paths, bodies, strict=True):
            path.write_bytes(encode_request(request))
        command = ["Rscript", "--vanilla", "-e", PLAIN, str(local_service.PLUMBER.parent), str(TIMES), *map(str, paths)]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [float(word) for word in said.split()]


def through(service: local_service.LocalService, request: dict[str, Any], pause: float) -> float:
    """Milliseconds that it takes over the service, in the middle; `pause` seconds lie before each request."""
    content, took = json.dumps(request).encode(), []
    for _ in range(7 if pause else TIMES):
        time.sleep(pause)
        started = time.perf_counter()
        status, answer = post(service, "/v1/run/t_test", content)
        took.append((time.perf_counter() - started) * 1000)
        if status != 200:
            raise RuntimeError(f"The service answered {status}: {answer}")
    return median(took)


async def all_at_once(request: dict[str, Any]) -> float:
    started = time.perf_counter()
    await asyncio.gather(*(request_result("run", "t_test", request) for _ in range(AT_ONCE)))
    return time.perf_counter() - started
