"""pandoc is held to so much processor time and disk from its first moment (SPEC R18)."""

import re
import subprocess
import sys

import pytest

from untrusted.pandoc import PandocFailed, pandoc

ASKS = (
    "import resource, subprocess; from untrusted.pandoc import _limited;"
    "resource.setrlimit(resource.RLIMIT_CPU, ({hard}, {hard}));"
    "print(subprocess.run([*_limited(180), 'cat', '/proc/self/limits'], capture_output=True, text=True).stdout)"
)


@pytest.mark.parametrize(("hard", "cpu"), [(60, "60"), (600, "180")])
def test_a_limit_that_is_lower_already_stays_and_the_others_hold(hard: int, cpu: str) -> None:
    command = [sys.executable, "-c", ASKS.format(hard=hard)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    limits = {found[1]: (found[2], found[3]) for found in re.finditer(r"Max (.+?)  +(\S+) +(\S+)", said)}
    assert limits["cpu time"] == (cpu, cpu)
    assert limits["file size"] == (str(300 << 20), str(300 << 20))
    assert limits["core file size"] == ("0", "0")


def test_what_pandoc_says_and_refuses_comes_back() -> None:
    assert pandoc(["--from=markdown", "--to=plain"], b"*Words* \xc3\xa9", seconds=20).out.decode() == "Words é\n"
    with pytest.raises(PandocFailed, match="line 2, column 2"):
        pandoc(["--from=latex", "--to=plain"], b"\\emph{two", seconds=20)
