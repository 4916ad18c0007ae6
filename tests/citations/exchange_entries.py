"""Entries read from and written to files, for tests."""

from bibtexparser.entrypoint import parse_string

from citations.formats.bibtex import read_bibtex, write_bibtex
from citations.formats.reading import Entry

GOOD = "@article{good%d, title={Alder roots %d}, author={Menon, Asha}, year=2021}\n"


def single_entry(text: str) -> Entry:
    (entry,) = read_bibtex(text).entries
    return entry


def out(entry: Entry) -> str:
    return write_bibtex({**entry.csl, "note": entry.note}, entry.key or "k", reference_manager=True)


def fields(bibtex: str) -> dict[str, str]:
    """What bibtexparser reads of one entry, with its type."""
    (entry,) = parse_string(bibtex).entries
    return {"ENTRYTYPE": entry.entry_type, **{field.key: field.value for field in entry.fields}}
