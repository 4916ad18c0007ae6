"""R is added where that is possible, else one line says what is missing; a machine that has it is left alone."""

from pathlib import Path

import pytest

from tests.config.test_make import NPM, UV, Machine

APT = "apt-get install -y -qq --no-install-recommends r-base-core r-cran-plumber"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    for name, does in (("uv", UV), ("node", "echo v22.1.0"), ("npm", NPM)):
        machine.add(name, does)
    return machine


def test_it_is_said_in_one_line_where_it_cannot_be_added(machine: Machine) -> None:
    answer = machine.setup("run")
    assert answer.returncode == 0, answer.stderr
    (line,) = [line for line in answer.stderr.splitlines() if line.startswith("R,")]
    assert line.startswith("R, or a package of it, is missing. It is needed to analyse data")
    assert "apt-get install r-base-core r-cran-plumber" in line
    assert "R, or" not in machine.setup("check").stderr


def test_it_is_added_with_apt(machine: Machine) -> None:
    machine.add("apt-get")
    machine.add("sudo", 'shift; "$@"')
    machine.add("true")
    machine.setup("run")
    assert [call for call in machine.calls() if call.startswith(APT) and "r-cran-metafor" in call]


def test_a_package_that_is_missing_is_added(machine: Machine) -> None:
    machine.add("Rscript", "exit 1")
    for name in ("apt-get", "prlimit", "true"):
        machine.add(name)
    machine.add("sudo", 'shift; "$@"')
    machine.setup("run")
    assert [call for call in machine.calls() if call.startswith(APT)]


def test_a_machine_that_has_it_is_left_alone(machine: Machine) -> None:
    for name in ("Rscript", "prlimit", "apt-get"):
        machine.add(name)
    answer = machine.setup("run")
    assert not [line for line in answer.stderr.splitlines() if line.startswith("R,")]
    assert not [call for call in machine.calls() if call.startswith(APT)]
