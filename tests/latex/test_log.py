"""What TeX and bibtex wrote down, read (SPEC T6)."""

from latex.log import parse_bibtex_log


def test_a_style_that_stops_is_told_with_the_entry_it_stopped_at() -> None:
    log = """Database file #1: references.bib
`journal' is a missing field, not a string, for entry berg2020
while executing---line 1983 of file vancouver.bst
You can't pop an empty literal stack for entry lund2021
while executing---line 1983 of file vancouver.bst
(There were 2 error messages)
"""
    assert [(one.level, one.said) for one in parse_bibtex_log(log, ["references.bib"])] == [
        ("error", "`journal' is a missing field, not a string, for entry berg2020 (vancouver.bst cannot print it)"),
        ("error", "You can't pop an empty literal stack for entry lund2021 (vancouver.bst cannot print it)"),
    ]
