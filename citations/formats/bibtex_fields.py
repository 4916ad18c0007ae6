"""The mapping between BibTeX and CSL: fields to variables and entry types to types, both ways.

A field without a CSL variable is stored unchanged in `custom.bibtex` and exported again.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from citations.formats.names_and_dates import date_fields, read_dates, read_day, read_names, write_names
from citations.formats.reading import Csl, custom_of, dict_in, dicts_of, text_in
from latex.bibtex_unicode import (
    paragraphs_to_latex,
    paragraphs_to_unicode,
    title_to_latex,
    to_latex,
    to_unicode,
    verbatim,
)

_TYPES = {
    "article": "article-journal",
    "inproceedings": "paper-conference",
    "conference": "paper-conference",
    "book": "book",
    "mvbook": "book",
    "proceedings": "book",
    "collection": "book",
    "booklet": "pamphlet",
    **dict.fromkeys(("mvcollection", "mvproceedings", "reference", "mvreference"), "book"),
    **dict.fromkeys(("bookinbook", "suppbook", "suppcollection"), "chapter"),
    "inreference": "entry-encyclopedia",
    "inbook": "chapter",
    "incollection": "chapter",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "thesis": "thesis",
    "techreport": "report",
    "report": "report",
    "manual": "report",
    "unpublished": "manuscript",
    "online": "webpage",
    "electronic": "webpage",
    "www": "webpage",
    "software": "software",
    "dataset": "dataset",
    "patent": "patent",
    "misc": "document",
}
_KINDS = {
    "article-journal": "article",
    "article-magazine": "article",
    "article-newspaper": "article",
    "paper-conference": "inproceedings",
    "book": "book",
    "pamphlet": "booklet",
    "chapter": "incollection",
    "thesis": "phdthesis",
    "report": "techreport",
    "manuscript": "unpublished",
}
_ENTRY_TYPE = re.compile(r"[a-z]{1,40}")
CSL_TYPE = re.compile(r"(?=.{1,40}\Z)[a-z]+(?:[-_][a-z]+)*")
_TEXT = {
    "journal": "container-title",
    "journaltitle": "container-title",
    "booktitle": "container-title",
    "shorttitle": "title-short",
    "volume": "volume",
    "issue": "issue",
    "eid": "number",
    "edition": "edition",
    "version": "version",
    "chapter": "chapter-number",
    "series": "collection-title",
    "publisher": "publisher",
    "school": "publisher",
    "institution": "publisher",
    "organization": "publisher",
    "address": "publisher-place",
    "location": "publisher-place",
    "language": "language",
    "keywords": "keyword",
    "type": "genre",
}
_PUBLISHERS = {
    **{"phdthesis": "school", "mastersthesis": "school", "techreport": "institution"},
    **{"thesis": "institution", "report": "institution", "manual": "organization"},
}
# biblatex's keywords for kinds of theses and reports
_GENRES = {
    **{"phdthesis": "PhD thesis", "mathesis": "Master's thesis", "bathesis": "Bachelor's thesis"},
    **{"candthesis": "Candidate thesis", "techreport": "Technical report", "resreport": "Research report"},
}
_PUBMED = ("pubmed", "pmid")
_NAMED_BY_KEY = ("thesis", "report")
GENRE_KEYS = {words.casefold(): key for key, words in _GENRES.items()}
# Variables without a BibTeX field use their own name as the field; no other program uses these names.
_SAME = (
    *("archive-place", "call-number", "collection-number", "container-title-short", "event-place", "event-title"),
    *("number-of-pages", "number-of-volumes", "original-publisher", "original-publisher-place", "original-title"),
    *("part-number", "part-title", "reviewed-title", "supplement-number", "volume-title"),
)
_TEXT |= {name: name for name in _SAME}
_TEXT_FIELDS = (*_TEXT, "number")  # the variable of a number depends on the kind of entry
# Fields that share a variable; their original names and LaTeX are stored where they would not be written again.
_SHARED = {
    "title": ("title",),
    "container-title": ("journal", "journaltitle", "booktitle", "howpublished"),
    "publisher": ("publisher", "school", "institution", "organization"),
}
_NAMES = {"author": "author", "editor": "editor", "translator": "translator"}
_VERBATIM = {"doi": "DOI", "url": "URL", "pmid": "PMID", "pmcid": "PMCID", "isbn": "ISBN", "issn": "ISSN"}
_NOTES = ("abstract", "note", "annote", "annotation")
_ISSUED = {"article", "inproceedings", "conference"}
_DATES = {"year", "month", "day", "date"}
_KNOWN = {
    *(*_TEXT, *_NAMES, *_VERBATIM, *_NOTES, *_DATES),
    *("title", "subtitle", "pages", "number", "urldate", "howpublished", "entrysubtype", "retracted"),
}
_URL = re.compile(r"https?://[^\s{}]+")
_DOI_PREFIX = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:)\s*", re.IGNORECASE)
_FIELD_NAME = re.compile(r"[a-z][a-z0-9_-]*")


def bare_doi(value: str) -> str:
    """Return a DOI without "https://doi.org/" or "doi:" before it."""
    return _DOI_PREFIX.sub("", value.strip())


def csl_from_bibtex(kind: str, values: dict[str, str]) -> tuple[Csl, str]:
    """Return the CSL item and the note of an entry of type `kind` with these values (without outer braces)."""
    titles = (to_unicode(values.get(name, "")) for name in ("title", "subtitle"))
    csl: Csl = {"type": csl_type_of(kind, values), "title": ": ".join(filter(None, titles))}
    kept = {name: value for name, value in values.items() if name not in _KNOWN}
    for name, variable in _NAMES.items():
        _put_names(csl, variable, values.get(name, ""))
    # Of several containers an article uses the journal, everything else the book. In entry types with issues, "number"
    # is the issue and "eid" the number.
    first = () if kind == "article" else ("booktitle",) if kind in _ISSUED else ("booktitle", "number")
    for name in dict.fromkeys(filter(values.__contains__, (*first, *_TEXT_FIELDS))):
        text = to_unicode(values[name])
        text = _GENRES.get(text, text) if name == "type" and kind in _NAMED_BY_KEY else text
        variable = _TEXT.get(name, "issue" if kind in _ISSUED else "number")
        if text and csl.setdefault(variable, text) != text:
            kept[name] = values[name]
    csl["page"] = re.sub(r"\s*[–—]\s*", "-", to_unicode(values.get("pages", "")))
    csl |= {variable: verbatim(values.get(name, "")) for name, variable in _VERBATIM.items()}
    csl["DOI"] = bare_doi(csl["DOI"])
    if kept.get("eprinttype", "").casefold() in _PUBMED and not csl["PMID"]:
        csl["PMID"] = verbatim(kept.pop("eprint", ""))
        kept.pop("eprinttype")
    _put_howpublished(csl, values.get("howpublished", ""), kept)
    csl |= read_dates({name: to_unicode(values.get(name, "")) for name in _DATES})
    csl["accessed"] = read_day(verbatim(values.get("urldate", "")))
    if values.get("retracted", "").casefold() == "true":
        csl.setdefault("custom", {})["retracted"] = True
    if kept:
        csl.setdefault("custom", {})["bibtex"] = kept
    if written := _original_form(kind, values, csl, kept):
        csl.setdefault("custom", {})["written"] = written
    return {name: value for name, value in csl.items() if value}, "\n\n".join(
        filter(None, (paragraphs_to_unicode(values.get(name, "")) for name in _NOTES))
    )


def csl_type_of(kind: str, values: dict[str, str]) -> str:
    """Return the CSL type of an entry of type `kind` with these fields."""
    named = verbatim(values.get("entrysubtype", ""))
    is_preprint = "eprint" in values and values.get("eprinttype", "").casefold() not in _PUBMED
    if kind == "misc" and is_preprint and not named:
        return "article"
    return named if CSL_TYPE.fullmatch(named) else _TYPES.get(kind, "document")


def _put_names(csl: Csl, variable: str, value: str) -> None:
    names, others = read_names(value)
    if names:
        csl[variable] = names
    if others and variable == "author":
        csl.setdefault("custom", {})["others"] = True


def _put_howpublished(csl: Csl, value: str, kept: dict[str, str]) -> None:
    text = to_unicode(value)
    if found := _URL.search(value):
        csl["URL"] = csl.get("URL") or verbatim(found.group().rstrip(".,;"))
        if text.rstrip(".,;") != csl["URL"]:
            kept["howpublished"] = value
    elif text and csl.setdefault("container-title", text) != text:
        kept["howpublished"] = value


def _original_form(kind: str, values: dict[str, str], csl: Csl, kept: dict[str, str]) -> dict[str, str]:
    """Return the entry type and the shared fields that would be exported differently from how they were written."""
    is_usual = kind == _KINDS.get(text_in(csl, "type"), "misc") or not _ENTRY_TYPE.fullmatch(kind)
    written = {} if is_usual else {"entrytype": kind}
    usual = _usual_fields(kind)
    for variable, names in _SHARED.items():
        text = text_in(csl, variable)
        for name in (name for name in names if name in values and name not in kept):
            raw, plain = " ".join(values[name].split()), {"journaltitle": "journal"}.get(name, name)
            differs = (
                name in ("title", "booktitle") and raw != _braced_title(text) if plain == usual[variable] else True
            )
            if text and differs and to_unicode(raw) == text:
                written[plain] = raw
    return written


def _usual_fields(kind: str) -> dict[str, str]:
    return {
        "title": "title",
        "container-title": _container_field(kind),
        "publisher": _PUBLISHERS.get(kind, "publisher"),
    }


def _shared_field(kind: str, variable: str, text: str, written: Mapping[str, Any], usual: str) -> tuple[str, str]:
    """Return the field and the LaTeX of a shared variable: as originally written while the text is the same."""
    for name in _SHARED[variable]:
        if raw := _original_latex(written, name, text):
            return name, raw
    return _usual_fields(kind)[variable], usual


def _original_latex(written: Mapping[str, Any], name: str, text: str) -> str:
    """Return the original LaTeX of a field if it still means `text`; else empty."""
    raw = written.get(name)
    with suppress(RecursionError):
        return raw if isinstance(raw, str) and _is_balanced(raw) and to_unicode(raw) == text else ""
    return ""


def fields_of(csl: Csl, *, reference_manager: bool) -> tuple[str, dict[str, str]]:
    """Return the entry type and the fields in writing order, with values as LaTeX without outer braces."""
    csl_type = text_in(csl, "type") or "document"
    custom = custom_of(csl)
    kept = stored_fields(custom)
    written = dict_in(custom, "written") if reference_manager else {}
    kind = _kind(csl_type, written, kept)
    fields = {
        name: write_names(dicts_of(csl.get(variable)), others=name == "author" and bool(custom.get("others")))
        for name, variable in _NAMES.items()
    }

    def put(variable: str, usual: str) -> None:
        fields.update([_shared_field(kind, variable, text_in(csl, variable), written, usual)])

    put("title", _braced_title(text_in(csl, "title"), whole=reference_manager))
    container = text_in(csl, "container-title")
    is_title = _container_field(kind) == "booktitle" and reference_manager
    put("container-title", _braced_title(container) if is_title else to_latex(container))
    fields |= date_fields(csl.get("issued"))
    serial = {"number": "issue", "eid": "number"} if kind in _ISSUED else {"issue": "issue", "number": "number"}
    fields |= {name: to_latex(text_in(csl, variable)) for name, variable in {"volume": "volume", **serial}.items()}
    fields["pages"] = to_latex(text_in(csl, "page")).replace("-{}-", "--").replace("-", "--").replace("----", "--")
    put("publisher", to_latex(text_in(csl, "publisher")))
    fields["address"] = to_latex(text_in(csl, "publisher-place"))
    plain = ("edition", "version", "chapter", "series", "shorttitle", "language", "keywords", "type", *_SAME)
    fields |= {name: to_latex(text_in(csl, _TEXT[name])) for name in plain}
    if kind in _NAMED_BY_KEY and reference_manager:
        fields["type"] = GENRE_KEYS.get(fields["type"].casefold(), fields["type"])
    exact = ("isbn", "issn", "url", *(("doi", "pmid", "pmcid") if reference_manager else ()))
    fields |= {name: safe_verbatim(text_in(csl, _VERBATIM[name])) for name in exact}
    fields["urldate"] = date_fields(csl.get("accessed"), whole=True).get("date", "")
    fields["abstract" if reference_manager else "annote"] = paragraphs_to_latex(text_in(csl, "note"))
    fields["retracted"] = "true" if custom.get("retracted") else ""
    fields |= {name: fields.get(name) or value for name, value in kept.items()}
    if csl_type_of(kind, fields) != csl_type and CSL_TYPE.fullmatch(csl_type):
        fields["entrysubtype"] = csl_type
    return kind, {name: value for name, value in fields.items() if value}


def _kind(csl_type: str, written: Mapping[str, Any], kept: dict[str, str]) -> str:
    """Return the type of an entry: as originally written, unless the CSL type has changed since."""
    kind = written.get("entrytype")
    if isinstance(kind, str) and _ENTRY_TYPE.fullmatch(kind) and csl_type_of(kind, kept) == csl_type:
        return kind
    return _KINDS.get(csl_type, "misc")


def original_type(csl: Csl) -> str:
    """Return the original BibTeX type of an entry; empty where it is the usual one or not known."""
    custom = custom_of(csl)
    written = dict_in(custom, "written")
    kind = _kind(text_in(csl, "type") or "document", written, stored_fields(custom))
    return kind if kind == written.get("entrytype") else ""


def title_latex(csl: Csl, name: str, text: str) -> str:
    """Return the LaTeX of `text` for the title or booktitle: as originally written while the text is the same."""
    return _original_latex(dict_in(custom_of(csl), "written"), name, text) or _braced_title(text)


def _braced_title(text: str, *, whole: bool = True) -> str:
    """Return a title in braces, since BibTeX styles lower-case everything else, even "Kenya".

    With `whole` false only words with inner capitals are in braces, so that the style decides about the rest.
    """
    if not whole:
        return title_to_latex(text)
    return f"{{{to_latex(text)}}}" if text.strip() else ""


def _container_field(kind: str) -> str:
    return {"article": "journal", "misc": "howpublished"}.get(kind, "booktitle")


def safe_verbatim(text: str) -> str:
    """Return an identifier or URL without spaces, with braces and backslashes percent-encoded."""
    return "".join(text.split()).replace("{", "%7B").replace("}", "%7D").replace("\\", "%5C")


def stored_fields(custom: dict[str, Any]) -> dict[str, str]:
    """Return the BibTeX fields stored in `custom`; values that would break an entry are escaped."""
    return {
        name: value if _is_balanced(value) else to_latex(value)
        for name, value in dict_in(custom, "bibtex").items()
        if isinstance(value, str) and _FIELD_NAME.fullmatch(name)
    }


def _is_balanced(value: str) -> bool:
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", value):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0 and not value.endswith("\\") and not re.search(r"^\s*@", value, re.MULTILINE)
