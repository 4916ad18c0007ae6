"""The writer of BibLaTeX, in the types and fields of biblatex's data model (its manual, chapter 2), for use with biber.

Every field is valid for its type by `biber --validate-datamodel`. Values without a field in the model are written to
`usera`, which no style prints.
"""

import re
from collections.abc import Iterable, Iterator

from citations.formats.bibtex_fields import (
    CSL_TYPE,
    GENRE_KEYS,
    csl_type_of,
    original_type,
    safe_verbatim,
    stored_fields,
    title_latex,
)
from citations.formats.names_and_dates import date_fields, write_names, year_in
from citations.formats.reading import Csl, custom_of, dicts_of, text_in
from latex.bibtex_unicode import paragraphs_to_latex, to_latex

_KINDS = {
    **{"article-journal": "article", "article-magazine": "article", "article-newspaper": "article"},
    **{"paper-conference": "inproceedings", "book": "book", "chapter": "incollection", "thesis": "thesis"},
    **{"entry-encyclopedia": "inreference", "entry-dictionary": "inreference", "report": "report"},
    **{"manuscript": "unpublished", "speech": "unpublished", "webpage": "online", "post": "online"},
    **{"post-weblog": "online", "article": "online", "software": "software", "dataset": "dataset"},
    **{"patent": "patent", "pamphlet": "booklet"},
}
_OF_BIBTEX = {
    **{"phdthesis": "thesis", "mastersthesis": "thesis", "techreport": "report", "conference": "inproceedings"},
    **{"electronic": "online", "www": "online"},
}
_ANY = [
    "abstract",
    "annotation",
    "doi",
    "eprint",
    "eprintclass",
    "eprinttype",
    "entrysubtype",
    "file",
    "ids",
    "keywords",
    "langid",
    "library",
    "namea",
    "nameatype",
    "nameb",
    "namebtype",
    "lista",
    "listb",
    "origlocation",
    "origpublisher",
    "origtitle",
    "shortjournal",
    "shorttitle",
    "url",
    "urldate",
    "date",
    "usera",
]
_WHOLE = (
    "addendum language note number pubstate subtitle title titleaddon location volume volumes series part pages"
    " chapter eid"
)
_BOOK = f"{_WHOLE} author editor translator edition isbn publisher pagetotal maintitle"
_EVENT = "eventtitle venue"
_SMALL = "addendum author language note pubstate subtitle title titleaddon"
_ALLOWED = {
    "article": "addendum author editor translator eid issn issue journaltitle language note number pages pubstate"
    " series subtitle title titleaddon version volume",
    **dict.fromkeys(("book", "mvbook"), _BOOK),
    **dict.fromkeys(
        ("inbook", "incollection", "inreference"),
        f"{_WHOLE} author editor translator edition isbn publisher booktitle maintitle",
    ),
    **dict.fromkeys(("collection", "reference"), _BOOK.replace(" author", "")),
    "proceedings": f"{_WHOLE} editor isbn organization pagetotal publisher maintitle {_EVENT}",
    "inproceedings": f"{_WHOLE} author editor isbn organization publisher booktitle maintitle {_EVENT}",
    "booklet": f"{_SMALL} chapter editor eid howpublished location pages pagetotal type",
    "dataset": f"{_SMALL} edition editor location number organization publisher series type version",
    "manual": f"{_SMALL} chapter edition editor eid isbn location number organization pages pagetotal publisher series"
    " type version",
    **dict.fromkeys(("misc", "software"), f"{_SMALL} editor howpublished location organization type version"),
    "online": f"{_SMALL} editor organization version",
    "patent": f"{_SMALL} holder location number type version".replace(" language", ""),
    "report": f"{_SMALL} chapter eid institution location number pages pagetotal type version",
    "thesis": f"{_SMALL} chapter eid institution location pages pagetotal type",
    "unpublished": f"{_SMALL} howpublished location type {_EVENT}",
}
_PLACES = {kind: frozenset([*_ANY, *fields.split()]) for kind, fields in _ALLOWED.items()}
# The fields of each CSL variable: the first one that the entry type has is used.
_TEXT = {
    "volume": ("volume",),
    "edition": ("edition",),
    "version": ("version",),
    "chapter-number": ("chapter",),
    "collection-title": ("series",),
    "language": ("language",),
    "publisher": ("publisher", "institution", "organization", "howpublished", "lista"),
    "publisher-place": ("location", "listb"),
    "collection-number": ("number",),
    "event-title": ("eventtitle",),
    "event-place": ("venue",),
    "number-of-pages": ("pagetotal",),
    "number-of-volumes": ("volumes",),
    "part-number": ("part",),
    "container-title-short": ("shortjournal",),
    "title-short": ("shorttitle",),
    "original-title": ("origtitle",),
    "original-publisher": ("origpublisher",),
    "original-publisher-place": ("origlocation",),
    "keyword": ("keywords",),
}
_FIRST = (
    *(
        "author",
        "editor",
        "translator",
        "title",
        "journaltitle",
        "booktitle",
        "maintitle",
        "howpublished",
        "titleaddon",
    ),
    *("date", "series", "volume", "number"),
)
_ORDER = {name: place for place, name in enumerate(_FIRST)}
_UNPLACED = (
    *("archive-place", "call-number", "part-title", "reviewed-title", "supplement-number", "volume-title", "PMCID"),
)
_NOT_COPIED = {"eprint", "eprinttype", "eprintclass", "archiveprefix", "primaryclass", "date", "ids", "file", "usera"}


def write_biblatex(csl: Csl, key: str, other_keys: Iterable[str] = ()) -> str:
    """Return one entry as BibLaTeX. `other_keys` are aliases of the key, which biber accepts too."""
    kind = _kind(csl)
    places = _PLACES[kind] - {"mvbook": {"chapter", "eid", "maintitle", "pages", "part"}}.get(kind, set())
    fields: dict[str, str] = {}
    left: dict[str, str] = {}
    _put_people(csl, places, fields)
    _put_titles(csl, kind, places, fields)
    _put_dates(csl, fields)
    for names, called, value in _field_choices(csl, kind):
        if value:  # into the first free field that the type has, else into `usera`
            name = next((name for name in names if name in places and not fields.get(name)), "")
            (fields if name else left)[name or called] = value
    _put_eprint(csl, fields, left)
    left |= {variable.lower(): text for variable in _UNPLACED if (text := to_latex(text_in(csl, variable)))}
    fields["abstract"] = paragraphs_to_latex(text_in(csl, "note"))
    custom = custom_of(csl)
    if custom.get("retracted"):
        left["retracted"] = "true"
    kept = stored_fields(custom)
    fields |= {
        name: fields.get(name) or value for name, value in kept.items() if name in places and name not in _NOT_COPIED
    }
    if csl_type_of(kind, fields) != (text_in(csl, "type") or "document") and CSL_TYPE.fullmatch(text_in(csl, "type")):
        fields["entrysubtype"] = text_in(csl, "type")
    fields["ids"] = ",".join(other_keys) or kept.get("ids", "")
    fields["usera"] = "; ".join(
        filter(None, [kept.get("usera", ""), *(f"{name}: {text}" for name, text in left.items())])
    )
    ordered = sorted(fields.items(), key=lambda field: (_ORDER.get(field[0], len(_ORDER)), field[0]))
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in ordered if value)
    return f"@{kind}{{{key},\n{lines}}}\n"


def _kind(csl: Csl) -> str:
    written = original_type(csl)
    kind = _OF_BIBTEX.get(written, written)
    if kind not in _ALLOWED:
        kind = _KINDS.get(text_in(csl, "type"), "misc")
    if kind == "book" and csl.get("editor") and not csl.get("author"):
        return "collection"
    has_place = any(csl.get(name) for name in ("URL", "DOI", "PMID")) or stored_fields(custom_of(csl)).get("eprint")
    return "misc" if kind == "online" and not has_place else kind


def _put_people(csl: Csl, places: frozenset[str], fields: dict[str, str]) -> None:
    others = bool(custom_of(csl).get("others"))
    spare = ["namea", "nameb"]
    for name in ("author", "editor", "translator"):
        people = write_names(dicts_of(csl.get(name)), others=name == "author" and others)
        if not people or name in places:
            fields[name] = people
        elif spare:
            place = spare.pop(0)
            fields |= {place: people, f"{place}type": name}


def _put_titles(csl: Csl, kind: str, places: frozenset[str], fields: dict[str, str]) -> None:
    title, container = text_in(csl, "title"), text_in(csl, "container-title")
    if not title and kind in ("book", "mvbook", "collection", "reference", "proceedings"):
        title, container = container, ""
    fields["title"] = title_latex(csl, "title", title)
    name = next(
        one for one in ("journaltitle", "booktitle", "maintitle", "howpublished", "titleaddon") if one in places
    )
    is_plain = name in ("journaltitle", "howpublished")
    fields[name] = to_latex(container) if is_plain else title_latex(csl, "booktitle", container)


def _put_dates(csl: Csl, fields: dict[str, str]) -> None:
    """Write the dates; words instead of a date ("in press") become the publication state."""
    date = date_fields(csl.get("issued"), whole=True).get("date", "")
    if date and not re.fullmatch(r"[\d/-]+", date):
        fields["pubstate"] = date
        date = str(year_in(csl.get("issued")) or "")
    fields["date"] = date
    accessed = date_fields(csl.get("accessed"), whole=True).get("date", "")
    fields["urldate"] = accessed if re.fullmatch(r"[\d/-]+", accessed) else ""


def _field_choices(csl: Csl, kind: str) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Yield the possible fields of each value, its name in `usera`, and the value, in the order of placement."""
    pages = to_latex(text_in(csl, "page")).replace("-{}-", "--").replace("-", "--").replace("----", "--")
    yield ("number", "issue") if kind == "article" else ("number",), "issue", to_latex(text_in(csl, "issue"))
    number = ("eid", "number") if kind in ("article", "inproceedings") else ("number", "eid")
    yield number, "number", to_latex(text_in(csl, "number"))
    yield ("pages",), "pages", pages
    manual = {"publisher": ("organization", *_TEXT["publisher"])} if kind == "manual" else {}
    for variable, names in {**_TEXT, **manual}.items():
        yield names, variable, to_latex(text_in(csl, variable))
    yield ("type",), "genre", _type(csl, kind)
    for variable, name in (("DOI", "doi"), ("ISBN", "isbn"), ("ISSN", "issn"), ("URL", "url")):
        yield (name,), name, safe_verbatim(text_in(csl, variable))


def _type(csl: Csl, kind: str) -> str:
    """Return the type of a thesis or report, by biblatex's own keyword where it has one, else its genre."""
    genre = text_in(csl, "genre")
    if kind in ("thesis", "report"):
        written = {"mastersthesis": "mathesis", "techreport": "techreport"}.get(original_type(csl), "")
        usual = written or ("phdthesis" if kind == "thesis" else "techreport")
        return GENRE_KEYS.get(genre.casefold(), to_latex(genre)) or usual
    return to_latex(genre)


def _put_eprint(csl: Csl, fields: dict[str, str], left: dict[str, str]) -> None:
    kept = stored_fields(custom_of(csl))
    pmid = safe_verbatim(text_in(csl, "PMID"))
    if kept.get("eprint"):
        fields["eprint"] = kept["eprint"]
        fields["eprinttype"] = (kept.get("eprinttype") or kept.get("archiveprefix") or "arxiv").lower()
        fields["eprintclass"] = kept.get("eprintclass") or kept.get("primaryclass") or ""
        if pmid:
            left["pmid"] = pmid
    elif pmid:
        fields |= {"eprint": pmid, "eprinttype": "pubmed"}
