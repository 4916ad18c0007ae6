"""A measured figure, and the table of them."""

import os
import platform
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import psutil


@dataclass(frozen=True)
class Figure:
    """`what` took `value` of `unit`; `target` is the most it should take, None where there is no budget."""

    what: str
    value: float
    unit: str  # s, ms, queries
    target: float | None = None
    remark: str = ""

    @property
    def verdict(self) -> str:
        if self.target is None:
            return ""
        return "within" if self.value <= self.target else "OVER"


def seconds(act: Callable[[], object]) -> float:
    """How long `act` takes, once."""
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def processor_seconds(act: Callable[[], object]) -> float:
    """How much processor time `act` takes, once, in this process and in those that it starts and awaits."""
    before = _processor_time()
    act()
    return _processor_time() - before


def _processor_time() -> float:
    used = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def typical(act: Callable[[], object], times: int) -> float:
    """The median of `times` goes at `act`, in seconds."""
    return median(seconds(act) for _ in range(times))


def machine() -> str:
    memory = psutil.virtual_memory().total / 2**30
    load = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, Python {platform.python_version()}, "
        f"{platform.system()}, load {load:.1f} before the first measurement"
    )


def table(figures: Sequence[Figure]) -> str:
    rows = [("figure", "measured", "target", "", "remark")]
    rows += [
        (
            figure.what,
            f"{figure.value:,.{0 if figure.unit in ('queries', 'ms') else 2}f} {figure.unit}",
            f"{figure.target:,g} {figure.unit}" if figure.target is not None else "",
            figure.verdict,
            figure.remark,
        )
        for figure in figures
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join(
        f"{what:<{widths[0]}}  {value:>{widths[1]}}  {target:>{widths[2]}}  {verdict:<{widths[3]}}  {remark}".rstrip()
        for what, value, target, verdict, remark in rows
    )
