"""TeX is added where that is possible, else one line says what is missing; a machine that has it is left alone."""

from pathlib import Path

import pytest

from tests.config.test_make import NPM, UV, Machine

PROGRAMS = ("pdflatex", "bibtex", "makeindex", "biber", "latexmk", "kpsewhich")
APT = "apt-get install -y -qq --no-install-recommends texlive-latex-base texlive-latex-recommended texlive-latex-extra"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    for name, does in (("uv", UV), ("node", "echo v22.1.0"), ("npm", NPM)):
        machine.add(name, does)
    return machine


def test_it_is_said_in_one_line_where_it_cannot_be_added(machine: Machine) -> None:
    answer = machine.setup("run")
    assert answer.returncode == 0, answer.stderr
    (line,) = [line for line in answer.stderr.splitlines() if "TeX" in line]
    assert line.startswith("TeX, or a part of it, is missing. It is needed to print a thesis")
    assert "apt-get install texlive-latex-base" in line
    assert "TeX" not in machine.setup("check").stderr


def test_it_is_added_with_apt(machine: Machine) -> None:
    machine.add("apt-get")
    machine.add("sudo", 'shift; "$@"')
    machine.add("true")
    machine.setup("run")
    assert [
        call for call in machine.calls() if call.startswith(APT) and call.endswith("texlive-bibtex-extra biber latexmk")
    ]


def test_a_machine_that_has_it_is_left_alone(machine: Machine) -> None:
    for name in (*PROGRAMS, "apt-get"):
        machine.add(name)
    answer = machine.setup("run")
    assert "TeX" not in answer.stderr
    assert not [call for call in machine.calls() if call.startswith("apt-get") and "texlive" in call]
