"""Malformed BibTeX as a person imports it (SPEC C10): neighbours come in, the report names the line and the key."""

import pytest

from citations.importing.file_import import import_entries
from citations.models import Citation
from projects.models import Project
from tests.citations.test_malformed_entries import GOOD, MALFORMED
from tests.time_limits import HANGS

# Of what a person must look at: the line it begins in, the key it has, and what became of it.
TOLD = {
    "an unclosed brace": (4, "bad", "refused"),
    "an unclosed quotation mark": (4, "bad", "refused"),
    "a brace too many": (4, "bad", "refused"),
    "no key": (4, "", "repaired"),
    "a key with spaces": (4, "two words", "repaired"),
    "no comma after the key": (4, "bad", "repaired"),
    "no comma between fields": (4, "bad", "repaired"),
    "two commas": (4, "bad", "repaired"),
    "no equals sign": (4, "bad", "refused"),
    "no fields": (4, "bad", "refused"),
    "no @": (4, "bad", "refused"),
    "a key used before": (4, "good1", "refused"),
    "a field twice": (4, "bad", "repaired"),
    "a string that is not closed": (4, "a", "refused"),
    "a join without a beginning": (4, "bad", "refused"),
    "commands inside each other": (4, "bad", "refused"),
    "a command without its end": (4, "bad", "refused"),
}


@pytest.mark.sample(6)
@pytest.mark.parametrize("kind", MALFORMED)
def test_an_import_keeps_the_neighbours(kind: str, project: Project) -> None:
    text = f"{GOOD % (1, 1)}\n\n{MALFORMED[kind][0]}\n{GOOD % (2, 2)}".lstrip("\n")
    imported = import_entries(project, f"\n{text}")
    assert {"good1", "good2"} <= set(imported.added)
    assert Citation.objects.count() == len(imported.added)
    if kind in TOLD:
        line, key, outcome = TOLD[kind]
        told = {(problem.line, problem.key, problem.outcome) for problem in imported.problems}
        assert (line + 1, key, outcome) in told or (line, key, outcome) in told, imported.problems


def test_parts_that_are_joined_come_in_whole(project: Project) -> None:
    text = '@string{fe = "Forest Ecology"}\n@article{a, title = "Alder " # {and } # "soil", journal = fe # " Letters"}'
    import_entries(project, text)
    row = Citation.objects.get()
    assert (row.title, row.container) == ("Alder and soil", "Forest Ecology Letters")


def test_a_script_in_a_title_is_a_title(project: Project) -> None:
    import_entries(project, "@article{bad, title = {<script>alert(1)</script>}}")
    assert Citation.objects.get().title == "<script>alert(1)</script>"


@pytest.mark.parametrize(
    "title", [r"\sqrt[" * 400, r"\frac{" * 400 + "}" * 400, "x" * 5_000_000, r"\underline{" * 900 + "}" * 900]
)
@pytest.mark.timeout(HANGS)
def test_what_takes_for_ever_to_read_costs_its_entry_alone(title: str, project: Project) -> None:
    imported = import_entries(project, f"{GOOD % (1, 1)}@article{{bad, title = {{{title}}}}}\n{GOOD % (2, 2)}")
    assert imported.added == ["good1", "good2"]
    (problem,) = imported.by_outcome["refused"]
    assert (problem.line, problem.key) == (3, "bad")
