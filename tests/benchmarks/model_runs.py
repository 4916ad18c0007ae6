"""Whole runs with a model and catalogues that take their time, against the longest chain of calls in them.

Run as a process of its own for each database: `python -m tests.benchmarks.model_runs NAME` prints figures as JSON.
"""

import gc
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks import call_overhead
from tests.benchmarks.figure import Figure
from tests.research_model.script import role_of
from tests.servers.postgres import postgres
from tests.servers.processes import environment, manage, until
from tests.servers.thinking_model import Call, Thinking, thinking

LATENCIES = {"model": 0.3, "search": 0.2}  # seconds
ONE, TEN = 1.25, {"SQLite": 2.0, "PostgreSQL": 1.5}  # times the critical path
CPU = 15.0  # milliseconds per call
WRITES = 2.0  # transactions per call
TIMES, RUNS, ROUNDS = 3, 10, 3
QUESTION = "How does alder change soil nitrogen?"
LONG = 180.0


def measure(folder: Path) -> list[Figure]:
    return measured_on("SQLite", f"sqlite:///{folder / 'model-runs.sqlite3'}", folder)


def measure_on_postgresql(folder: Path) -> list[Figure]:
    with postgres() as url:
        return measured_on("PostgreSQL", url, folder)


def measure_rounds(folder: Path) -> list[Figure]:
    """A run in which three rounds leave a question open in turn (R7)."""
    database = f"sqlite:///{folder / 'rounds.sqlite3'}"
    with thinking(LATENCIES["model"], LATENCIES["search"], ROUNDS) as thought:
        return in_a_process("rounds", database, folder, thought)


def measured_on(name: str, database: str, folder: Path) -> list[Figure]:
    """The figures of one database, from a process that is set up for it."""
    with thinking(LATENCIES["model"], LATENCIES["search"]) as thought:
        figures = in_a_process(name, database, folder, thought)
        return [*figures, *(measure_bare(thought) if name == "SQLite" else [])]


def in_a_process(name: str, database: str, folder: Path, thought: Thinking) -> list[Figure]:
    env = {**environment("", folder, **thought.settings), "DATABASE_URL": database, "WORKERS": str(RUNS)}
    command = [sys.executable, "-m", "tests.benchmarks.model_runs", name, str(folder)]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True)
    return [Figure(**figure) for figure in json.loads(done.stdout)]


def measure_bare(thought: Thinking) -> list[Figure]:
    """What the machine takes for the calls of such runs alone, with nothing of Scholium around them."""
    briefs = [n for n, call in enumerate(thought.asked) if call.content[0] == "{" and _is_brief(call)]
    calls = call_overhead.waves(thought.asked[briefs[-1] :], LATENCIES)
    path = call_overhead.longest(calls, LATENCIES)
    remark = "the same calls by the bare client libraries, wave by wave"
    return [
        Figure(
            f"{number} times those calls, of their path",
            median(call_overhead.at_once(thought, calls, number) for _ in range(TIMES)) / path,
            "times",
            None,
            remark,
        )
        for number in (1, RUNS)
    ]


def _is_brief(call: Call) -> bool:
    return role_of(json.loads(call.content)) == "brief"


def main(name: str, folder: Path) -> list[dict[str, Any]]:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    from jobs.models import WorkerBeat
    from projects.models import Project, User

    user = User.objects.create_user("bench@example.org", None)
    project = Project.objects.create_for(user, title="Bench")
    with manage("worker", env=dict(os.environ), log=folder / "worker.log"):
        until(WorkerBeat.objects.exists, LONG, "the worker")
        at_work(project, user, RUNS)  # the first of each process loads what it needs
        if name == "rounds":
            return [vars(of_rounds([at_work(project, user, 1) for _ in range(TIMES)]))]
        alone = [at_work(project, user, 1) for _ in range(TIMES)]
        together = [at_work(project, user, RUNS) for _ in range(TIMES)]
    remark = f"{alone[0]['calls']} calls, {alone[0]['path']:.1f} s of latency in the longest chain"
    figures = [
        Figure(f"one run on {name}, of its critical path", median(one["ratio"] for one in alone), "times", ONE, remark),
        Figure(f"{RUNS} runs at once on {name}", median(one["ratio"] for one in together), "times", TEN[name]),
        *of_one_process(name, project, user),
    ]
    return [vars(figure) for figure in figures]


def of_rounds(alone: list[dict[str, float]]) -> Figure:
    remark = f"{alone[0]['calls']} calls in {ROUNDS} rounds, {alone[0]['path']:.1f} s of latency in the longest chain"
    what = f"one academic run of {ROUNDS} rounds, of its critical path"
    return Figure(what, median(one["ratio"] for one in alone), "times", ONE, remark)


def at_work(project: Any, user: Any, number: int) -> dict[str, float]:
    """`number` runs at once in the worker: seconds until the last has ended, as a multiple of the longest chain."""
    from jobs.models import Job, State
    from sources.models import CachedResponse
    from tests.benchmarks.critical_path import critical_path
    from tests.start_run import start_run

    CachedResponse.objects.all().delete()
    runs = [start_run(project, user, f"{QUESTION} ({n})", profile="academic") for n in range(number)]
    jobs = Job.objects.filter(pk__in=[run.job_id for run in runs])
    until(lambda: not jobs.filter(ended_at=None).exists(), LONG, "the runs")
    if jobs.exclude(state=State.DONE).exists():
        raise RuntimeError(str(list(jobs.values_list("state", "reason"))))
    began = min(job.created_at for job in jobs)
    took = max((job.ended_at - began).total_seconds() for job in jobs if job.ended_at)
    path = max(critical_path(run, LATENCIES) for run in runs)
    return {"ratio": took / path, "path": path, "calls": runs[0].steps.filter(kind__in=["model", "search"]).count()}


def of_one_process(name: str, project: Any, user: Any) -> list[Figure]:
    """What a call costs a process, with its rows and events:
    the median of runs, after one that loads what is needed."""
    from django.db import connection

    from jobs.registry import prepare_all
    from jobs.work import perform
    from sources.models import CachedResponse
    from tests.start_run import start_run

    begun = 0

    def counting(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Mapping[str, Any]) -> Any:
        nonlocal begun
        in_transaction = connection.in_atomic_block
        begun += sql.startswith("BEGIN") or (not in_transaction and sql.startswith(("INSERT", "UPDATE", "DELETE")))
        return execute(sql, params, many, context)

    def go() -> tuple[float, int]:
        CachedResponse.objects.all().delete()
        run = start_run(project, user, QUESTION, profile="academic", enqueue=False)
        before = resource.getrusage(resource.RUSAGE_SELF)
        perform(str(run.job_id))
        after = resource.getrusage(resource.RUSAGE_SELF)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return cpu, run.steps.filter(kind__in=["model", "search"]).count()

    prepare_all()
    gc.freeze()  # as a worker begins (jobs/apps.py)
    go()
    with connection.execute_wrapper(counting):
        runs = [go() for _ in range(TIMES)]
    calls = sum(calls for _, calls in runs)
    cost = median(1000 * cpu / calls for cpu, calls in runs)
    figures = [Figure(f"processor time per call on {name}", cost, "ms", CPU, f"{runs[0][1]} calls a run")]
    if connection.vendor == "sqlite":  # elsewhere a transaction begins without a statement that could be counted
        figures.append(Figure(f"write transactions per call on {name}", begun / calls, "each", WRITES))
    return figures


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], Path(sys.argv[2]))))
