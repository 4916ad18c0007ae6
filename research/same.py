"""Which records of catalogues and web searches are the same work (SPEC R8).

What counts as one work is decided for a person who will cite it. A merge that is missed lists a work twice; a wrong
one cites what nobody read. So:

- An identifier decides. One DOI is one work, whatever the titles. One PMID, PMCID or arXiv id is one work too; where
  DOIs differ, only if the titles do not: else a catalogue has put a wrong number to one of them.
- An address or a title decides only where identifiers do not contradict it.
- A preprint and its published version are two works until a catalogue says they are one: by naming the other's DOI or
  PMID, or in a record with the DOI of the one and the arXiv id of the other. From then on they are one work, and it is
  the published version that is cited: style guides ask for that, and one study is not two witnesses. A DOI of arXiv's
  (10.48550/arxiv...) says the same as the arXiv id, and counts as that.
- A correction, a retraction notice or a comment is never the work it is about because of its title. A work that is
  marked "RETRACTED:" is still that work.
- A thesis, a book, a chapter or a data set is not the article of the same title.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from sources.identifiers import clean_arxiv, clean_doi
from sources.names import Person
from sources.reading import text as plain
from sources.work import RETRACTED_TITLE, Update, Work

Kind = Literal["doi", "pmid", "pmcid", "arxiv", "url", "title", "record"]

LONGEST_ID = 200  # characters
SHORT_TITLE = 20  # characters: titles up to this length are shared by too many works
_WEB = "https://"

# Parameters by which advertisers, newsletters and servers follow a reader; the page is the same without them.
_TRACKING = re.compile(
    r"(?:utm|mtm|pk|piwik|matomo|hsa)_.*|_hs(?:enc|mi|fp)|__hs\w+|hsctatracking|(?:fb|g|d|y|tw|tt)clid|msclkid|gclsrc"
    r"|gbraid|wbraid|gad_(?:source|campaignid)|mc_[ce]id|mkt_tok|igshid|igsh|li_fat_id|vero_id|oly_(?:anon|enc)_id|_ga|_gl"
    r"|s_kwcid|ef_id|srsltid|cmpid|ncid|wt\.mc_id|phpsessid|jsessionid"
)
_SESSION = re.compile(r";jsessionid=[^/]*", re.IGNORECASE)
_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|[0-9a-f.]*:[0-9a-f:.]*")
_ENCODED = re.compile(r"%([0-9A-Fa-f]{2})|([^A-Za-z0-9._~!$&'()*+,;=:@/?-])")
_PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$'()*,;:@"
_PLAIN_IN_PATH = frozenset(_PLAIN + "&+=")
_PLAIN_IN_QUERY = frozenset(_PLAIN + "/?")

# Addresses that are identifiers, as `canonical_url` spells them, up to their parameters.
_ADDRESSES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("doi", re.compile(r"(https://(?:dx\.)?doi\.org/10\..+)")),
    ("pmid", re.compile(r"https://(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/([1-9]\d{0,8})")),
    ("pmid", re.compile(r"https://europepmc\.org/(?:article|abstract)/med/([1-9]\d{0,8})", re.IGNORECASE)),
    ("pmcid", re.compile(r"https://(?:pmc\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pmc)/articles/(PMC\d+)(?:/.*)?", re.I)),
    ("pmcid", re.compile(r"https://europepmc\.org/(?:article/pmc|articles)/(PMC\d+)(?:/.*)?", re.IGNORECASE)),
    ("arxiv", re.compile(r"https://(?:[\w-]+\.)*arxiv\.org/(?:abs|pdf|html|format)/(.+)")),
)  # fmt: skip

# As `_words` spells them. A title that begins so proves nothing: it is about another work, or many works have it.
_GENERIC = re.compile(
    r"(?:(?:author|publisher)(?: ?s)? )?(?:correction|corrigend(?:um|a)|errat(?:um|a)|addend(?:um|a)|retraction)s?\b"
    r"|(?:editorial )?(?:note|expression|statement) of (?:editorial )?concern\b|(?:withdrawal )?notice\b"
    r"|comments?(?: and \w+)? (?:on|to)\b|commentary\b|(?:in )?reply\b|authors?(?: s)? (?:reply|response)\b"
    r"|response to (?:the )?(?:comment|letter)s?\b|letters? to\b|discussion (?:of|on)\b|(?:book )?reviews? of\b"
    r"|book reviews?\b|books received\b|(?:guest )?editorials?\b|in this issue\b|from the (?:guest )?editors?\b"
    r"|(?:a )?(?:welcome )?(?:message|note|word|welcome) from\b|preface\b|foreword\b|afterword\b"
    r"|(?:general )?introduction(?: to (?:the|this) (?:special|theme|themed)\b.*)?$|(?:front|back) ?matter\b"
    r"|(?:table of )?contents\b|(?:(?:author|subject|keyword|name) )?index\b|issue information\b|acknowledge?ments?\b"
    r"|list of (?:reviewers|referees|contributors|abbreviations|figures|tables)\b|(?:notes on|about the) (?:contributor|author)s\b"
    r"|(?:instructions|information|guidelines) (?:for|to) authors\b|call for papers\b|announcements?\b|obituar(?:y|ies)\b"
    r"|in memoriam\b|(?:poster|oral) (?:session|presentation|abstract)s?\b|abstracts? (?:of|from)\b|additional file\b"
    r"|supplementary (?:material|information|data|file)s?\b"
)
_APART = {"book", "chapter", "dataset", "entry-encyclopedia", "patent", "periodical", "report", "review", "software"}
_APART |= {"review-book", "standard", "thesis"}
_PARTS = {"chapter", "entry-encyclopedia", "periodical"}  # often filed under the address of the whole

_CATALOGUES = ("crossref", "pubmed", "openalex", "semantic_scholar")  # the best metadata first
_UNSURE = {"openalex", "semantic_scholar"}  # "article-journal" is what they call all they know nothing closer of
_PLACE = ("year", "venue", "volume", "issue", "pages", "publisher", "editors")
_PUBLISHED, _PREPRINT, _PAGE = range(3)
_NAMES: dict[Kind, str] = {"doi": "DOI", "pmid": "PMID", "pmcid": "PMCID", "arxiv": "arXiv id"}


class Key(NamedTuple):
    """What records of one work have in common."""

    kind: Kind
    value: str


class Same(NamedTuple):
    """What a record is a duplicate of.

    `of` is the id of the first record of the work, `code` the kind of key that tied them, `reason` a sentence. `joined`
    are ids that were each the first of a work until this record tied them to `of`, whose duplicates they are now.
    """

    of: str
    code: Kind
    reason: str
    joined: tuple[str, ...] = ()


class _Identity(NamedTuple):
    """What a record says of which work it describes. `title` is letters and digits only."""

    own: tuple[Key, ...]  # what proves most first
    links: tuple[Key, ...]  # of another version that it names
    title: str


def canonical_url(url: str) -> str:
    """The spelling that all spellings of a web address come down to. What is no web address is returned as it is.

    https for http; no "www.", user name, usual port, fragment, slash at the end, session id, tracking parameter; host
    in small letters; parameters in order; percent-encoding where it must be. It is to be compared, not to be fetched.
    """
    given = url.strip()
    try:
        parts = urlsplit(given)
        host, port = _host(parts.hostname or ""), parts.port
    except ValueError:  # a port that is no number, brackets that do not close, a name no host can have
        return given
    if parts.scheme not in {"http", "https"} or not host:
        return given
    place = host if port in {None, 80, 443} else f"{host}:{port}"
    path = _without_dots(_SESSION.sub("", _encoded(parts.path, _PLAIN_IN_PATH))).rstrip("/")
    pieces = (_encoded(piece, _PLAIN_IN_QUERY) for piece in parts.query.replace("+", "%20").split("&"))
    query = "&".join(sorted(p for p in pieces if p and not _TRACKING.fullmatch(p.partition("=")[0].casefold())))
    return f"{_WEB}{place}{path}" + (f"?{query}" if query else "")


def keys_of(work: Work) -> tuple[Key, ...]:
    """The keys of a record: DOI, PMID, PMCID, arXiv id, address, title, the catalogue's own number for it, and last the
    identifiers of another version that it names.

    An identifier in the record's address counts as its own, and such an address is no key, nor is a home page. A title
    is one with its year, if it is over 20 characters long and not one that many works have.
    """
    identity = _identity(work)
    return identity.own + identity.links


def document_id(work: Work) -> str:
    """A stable, readable id from the record's best key: "doi:10.1001/jama.2020.17023", "web:example.org/page".

    At most 200 characters without white space; a long one ends in a hash of the whole. Records with one id are one
    work; records of one work can have several.
    """
    kind, value = next(key for key in _identity(work).own if key.kind != "title")
    prefix = {"pmcid": "pmc:", "url": "web:", "record": ""}.get(kind, f"{kind}:")
    full = re.sub(r"\s", "%20", prefix + value.removeprefix(_WEB))
    if len(full) <= LONGEST_ID:
        return full
    return f"{full[: LONGEST_ID - 17]}-{hashlib.sha256(full.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


class Known:
    """The records that arrived so far, in the order they arrived, and which of them are one work.

    Sameness is transitive: what is the same as a duplicate is the same as the first. A record that ties two works
    makes them one, under the id of the earlier. A tie that identifiers contradict is not made, and the key stays with
    the work that had it first. A record costs one look-up for each of its keys, however many there are.
    """

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._parents: list[int] = []  # for each record one nearer to the first of its work, or itself
        self._facts: list[_Facts] = []  # of the whole work where the record is its first
        self._owners: dict[Key, int] = {}
        self._links: set[Key] = set()  # by which some record named another version
        self._with_doi: set[int] = set()

    def add(self, id: str, work: Work) -> Same | None:
        """Take in the record `id` that describes `work`: what it is a duplicate of, or None when the work is new."""
        identity, me = _identity(work), len(self._ids)
        self._ids.append(id)
        self._parents.append(me)
        self._facts.append(_Facts(identity))
        self._links.update(identity.links)
        if identity.own[0].kind == "doi":
            self._with_doi.add(me)
        tied: dict[int, Key] = {}
        for key in identity.own + identity.links:
            known, mine = self._first(self._owners.setdefault(key, me)), self._first(me)
            if known != mine and self._ties(key, known, mine):
                tied[known] = key
                self._join(known, mine)
        if not tied:
            return None
        of = min(tied)
        joined = tuple(self._ids[first] for first in sorted(tied) if first != of)
        return Same(self._ids[of], tied[of].kind, self._reason(tied[of]), joined)

    def _first(self, record: int) -> int:
        while self._parents[record] != record:
            self._parents[record] = record = self._parents[self._parents[record]]
        return record

    def _ties(self, key: Key, one: int, other: int) -> bool:
        """Whether `key`, which both works have, makes them one, by all that is known of the two."""
        if key.kind in {"doi", "record"} or key in self._links:
            return True
        here, there = self._facts[one], self._facts[other]
        if key.kind in {"url", "title"}:
            return not here.contradicts(there)
        # The number must have come with a DOI: else it may be here by a title alone, and prove no more than the title.
        proves = self._owners[key] in self._with_doi and not here.apart(there, "title")
        return proves or not here.apart(there, "doi")

    def _join(self, one: int, other: int) -> None:
        first, later = sorted((one, other))
        self._parents[later] = first
        self._facts[first].take_in(self._facts[later])

    def _reason(self, key: Key) -> str:
        name = _NAMES.get(key.kind)
        if name and key in self._links:
            return f"A catalogue says that {name} {key.value} is another version of it."
        if name:
            return f"It has the same {name}, {key.value}."
        if key.kind == "url":
            return f"It has the same address, {key.value.removeprefix(_WEB)}."
        return "It has the same title, year and first author." if key.kind == "title" else "It is the same record."


class _Facts:
    """The identifiers and titles of all records of a work, by kind."""

    def __init__(self, identity: _Identity) -> None:
        self.sets = {key.kind: {key.value} for key in identity.own if key.kind in _NAMES}
        if identity.title:
            self.sets["title"] = {identity.title}

    def apart(self, other: "_Facts", *kinds: Kind) -> bool:
        """Whether both have something of these kinds, and nothing in common."""
        both = any(kind in self.sets for kind in kinds) and any(kind in other.sets for kind in kinds)
        return both and all(self.sets.get(kind, set()).isdisjoint(other.sets.get(kind, ())) for kind in kinds)

    def contradicts(self, other: "_Facts") -> bool:
        """Whether identifiers say that it is another work. An arXiv id stands for a DOI."""
        return self.apart(other, "doi", "arxiv") or self.apart(other, "pmid") or self.apart(other, "pmcid")

    def take_in(self, other: "_Facts") -> None:
        for kind, values in other.sets.items():
            fewer, more = sorted((self.sets.get(kind, set()), values), key=len)
            more |= fewer
            self.sets[kind] = more


def merged(first: Work, *others: Work) -> Work:
    """The richest record that the records of one work make together, as one version of it is to be cited.

    The published version goes before the preprint, and both before a web page; then Crossref, PubMed, OpenAlex,
    Semantic Scholar, any other. The first that has a value gives it, except that
    - year, type and place (venue, volume, pages ...) come from records of the first version only; a preprint's PMID
      and PMCID are not its article's; its DOI becomes `preprint_doi`;
    - of the first version that has any, the longest list of authors is taken, of equally long ones that with the most
      given names spelt out, and the longest abstract;
    - the type is the most exact one, counts are the highest, notices are those of all, and the work is retracted if
      one record says so.

    The order of the arguments makes no difference, and merging a record with itself changes nothing. Merging two by
    two comes to the same as all at once if each record has a number of its own and those that go first have a title,
    a year and so on of their own: what another one filled in counts as theirs from then on.
    """
    works = {first, *others}
    if len(works) == 1:
        return first
    versions = _versions(works)
    ranked = [work for version in versions for work in version]
    kind = next(kind for kind, version in enumerate(versions) if version)
    best = versions[kind]
    own = best + versions[_PAGE] if kind == _PUBLISHED else ranked
    published = _every(ranked, "published_version_doi")
    dois = [*_every(own, "doi"), *(published if kind == _PUBLISHED else []), *_every(ranked, "doi")]
    doi = dois[0] if dois else None
    preprints = [*_every(ranked, "preprint_doi"), *(_every(versions[_PREPRINT], "doi") if kind == _PUBLISHED else [])]
    chosen: dict[str, Any] = {
        **{name: _first_of(best, name) for name in _PLACE},
        **{name: _first_of(own, name) for name in ("pmid", "pmcid", "isbn")},
        **{name: _first_of(ranked, name) for name in ("title", "arxiv", "url", "open_access_url")},
        **{name: max(_every(ranked, name), default=None) for name in ("citation_count", "influential_citation_count")},
        **{name: _notices(ranked, name) for name in ("updates", "notice_of")},
        "doi": doi,
        "preprint_doi": next((other for other in preprints if other != doi), None),
        "published_version_doi": next((other for other in published if other != doi and kind != _PUBLISHED), None),
        "type": max(best, key=_exactness).type,
        "authors": max(next((version for version in versions if _every(version, "authors")), best), key=_names).authors,
        "abstract": next((text for version in versions if (text := _longest(version, "abstract"))), None),
        "text": _longest(ranked, "text"),
        "is_retracted": any(work.is_retracted for work in works),
    }
    return ranked[0].model_copy(update=chosen)


def _host(name: str) -> str:
    """A host's name as DNS has it, without "www."; empty when it is none. Raises UnicodeError for what can be none."""
    if not name.isascii():
        name = name.encode("idna").decode().lower()
    name = name.removesuffix(".")
    while name.startswith("www.") and "." in name[4:]:
        name = name[4:]
    if not _HOST.fullmatch(name):
        return ""
    return f"[{name}]" if ":" in name else name


def _encoded(text: str, plain_signs: frozenset[str]) -> str:
    """`text` with percent-encoding only for what is not in `plain_signs`, in UTF-8 and capital letters."""

    def spell(match: re.Match[str]) -> str:
        if not match[1]:
            return "".join(f"%{byte:02X}" for byte in match[2].encode("utf-8", "surrogatepass"))
        sign = chr(int(match[1], 16))
        return sign if sign in plain_signs else f"%{match[1].upper()}"

    return _ENCODED.sub(spell, text)


def _without_dots(path: str) -> str:
    """The path with its "." and ".." carried out (RFC 3986, 5.2.4)."""
    if "/." not in path:
        return path
    kept: list[str] = []
    for part in path.split("/")[1:]:
        if part == "..":
            del kept[-1:]
        elif part != ".":
            kept.append(part)
    return "".join(f"/{part}" for part in kept)


def _identity(work: Work) -> _Identity:
    address = canonical_url(work.url or "")
    inside = _in_address(address)
    own = _identifiers(work, inside)
    is_page = work.type == "webpage"
    is_home = "/" not in address.removeprefix(_WEB) and "?" not in address
    if inside is None and address.startswith(_WEB) and (is_page or not (is_home or work.type in _PARTS)):
        own.append(Key("url", address))
    words = _words(RETRACTED_TITLE.sub("", work.title))
    title = "".join(words)
    if work.year and not work.notice_of and _is_telling(" ".join(words)):
        form = work.type if work.type in _APART else "paper"
        own.append(Key("title", f"{form} {work.year} {_surname(work.authors)} {title}"))
    own.append(Key("record", f"{work.provider}:{work.provider_id}"))
    return _Identity(tuple(own), tuple(key for key in dict.fromkeys(_other_versions(work)) if key not in own), title)


def _in_address(address: str) -> Key | None:
    """The identifier that a canonical address is."""
    place = address.partition("?")[0]
    for kind, pattern in _ADDRESSES:
        if match := pattern.fullmatch(place):
            value = {"doi": clean_doi, "arxiv": clean_arxiv}.get(kind, str.upper)(match[1])
            return Key(kind, value) if value else None
    return None


def _identifiers(work: Work, inside: Key | None) -> list[Key]:
    found: dict[Kind, str | None] = {"doi": work.doi, "pmid": work.pmid, "pmcid": work.pmcid, "arxiv": work.arxiv}
    if inside is not None:
        found[inside.kind] = found[inside.kind] or inside.value
    if arxiv := clean_arxiv(found["doi"]):
        found |= {"doi": None, "arxiv": found["arxiv"] or arxiv}
    return [Key(kind, value) for kind, value in found.items() if value]


def _other_versions(work: Work) -> Iterator[Key]:
    for doi in (work.published_version_doi, work.preprint_doi):
        if arxiv := clean_arxiv(doi):
            yield Key("arxiv", arxiv)
        elif doi:
            yield Key("doi", doi)
    if work.type == "article":  # PubMed's "Update in" of a preprint is its article; of a review it is a new edition
        yield from (Key("pmid", update.pmid) for update in work.updates if update.type == "update" and update.pmid)


class _Letters(dict[int, str]):
    """For str.translate: letters, digits and marks stay, all others part words.

    Marks are no letters to a pattern's \\w, but they are the vowels of Indic scripts.
    """

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        self[code] = sign if unicodedata.category(sign)[0] in "LNM" else " "
        return self[code]


_LETTERS = _Letters()


def _words(title: str) -> list[str]:
    """The words of a title in small letters, without markup and punctuation."""
    text = unicodedata.normalize("NFKC", plain(title) or "").casefold()
    return unicodedata.normalize("NFKC", text).translate(_LETTERS).split()


def _is_telling(title: str) -> bool:
    return len(title) > SHORT_TITLE and not _GENERIC.match(title)


def _surname(authors: Sequence[Person]) -> str:
    """The last of the first author's names, in small letters without accents: catalogues part double names differently."""
    name = (authors[0].family or authors[0].literal or "") if authors else ""
    letters = unicodedata.normalize("NFKD", name.rpartition(" ")[2]).casefold()
    return "".join(sign for sign in letters if sign.isalnum())


def _versions(works: Iterable[Work]) -> list[list[Work]]:
    """The published version, the preprint, web pages: the records of each, those of the best catalogue first."""
    works = list(works)
    preprints = {*_every(works, "preprint_doi"), *(work.doi for work in works if work.published_version_doi)}

    def version(work: Work) -> int:
        if work.type == "webpage":
            return _PAGE
        is_preprint = work.type == "article" or work.published_version_doi or (work.doi and work.doi in preprints)
        return _PREPRINT if is_preprint else _PUBLISHED

    def rank(work: Work) -> tuple[int, str]:
        place = _CATALOGUES.index(work.provider) if work.provider in _CATALOGUES else len(_CATALOGUES)
        return place, repr(work)

    return [
        sorted((work for work in works if version(work) == kind), key=rank) for kind in (_PUBLISHED, _PREPRINT, _PAGE)
    ]


def _every(works: Iterable[Work], name: str) -> list[Any]:
    values = (getattr(work, name) for work in works)
    return [value for value in values if value or value == 0]


def _first_of(works: Sequence[Work], name: str) -> Any:
    return next(iter(_every(works, name)), getattr(works[0], name) if works else None)


def _longest(works: Iterable[Work], name: str) -> str | None:
    return max(_every(works, name), key=lambda text: (len(text), text), default=None)


def _notices(works: Iterable[Work], name: str) -> tuple[Update, ...]:
    notices = {notice for work in works for notice in getattr(work, name)}
    return tuple(sorted(notices, key=lambda notice: (notice.year or 0, repr(notice))))


def _exactness(work: Work) -> int:
    if work.type in {"document", "webpage"}:
        return 0
    return 1 if work.type == "article-journal" and work.provider in _UNSURE else 2


def _names(work: Work) -> tuple[int, int]:
    """How many authors there are, and how many given names that are more than initials."""
    spelt = sum(bool(re.search(r"[^\W\d_]{2}", person.given or "")) for person in work.authors)
    return len(work.authors), spelt
