"""Web addresses: one canonical spelling to compare them by, and the identifiers that some of them contain (SPEC R8)."""

import re
from typing import Literal
from urllib.parse import urlsplit

from sources.identifiers import clean_arxiv, clean_doi

Identifier = Literal["doi", "pmid", "pmcid", "arxiv"]

WEB = "https://"

# Tracking and session parameters; the page is the same without them.
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

# Addresses that contain identifiers, in canonical spelling, without their parameters.
_ADDRESSES: tuple[tuple[Identifier, re.Pattern[str]], ...] = (
    ("doi", re.compile(r"(https://(?:dx\.)?doi\.org/10\..+)")),
    ("pmid", re.compile(r"https://(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/([1-9]\d{0,8})")),
    ("pmid", re.compile(r"https://europepmc\.org/(?:article|abstract)/med/([1-9]\d{0,8})", re.IGNORECASE)),
    (
        "pmcid",
        re.compile(r"https://(?:pmc\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pmc)/articles/(PMC\d+)(?:/.*)?", re.I),
    ),
    ("pmcid", re.compile(r"https://europepmc\.org/(?:article/pmc|articles)/(PMC\d+)(?:/.*)?", re.IGNORECASE)),
    ("arxiv", re.compile(r"https://(?:[\w-]+\.)*arxiv\.org/(?:abs|pdf|html|format)/(.+)")),
)  # fmt: skip


def canonical_url(url: str) -> str:
    """Return the canonical spelling of a web address, for comparison; anything else is returned unchanged.

    https for http; no "www.", user name, default port, fragment, trailing slash, session id or tracking parameter; host
    in lower case; parameters sorted; percent-encoding only where needed. The result must not be fetched.
    """
    given = url.strip()
    try:
        parts = urlsplit(given)
        host, port = _host(parts.hostname or ""), parts.port
    except ValueError:  # an invalid port, unclosed brackets, an impossible host name
        return given
    if parts.scheme not in {"http", "https"} or not host:
        return given
    place = host if port in {None, 80, 443} else f"{host}:{port}"
    path = _without_dots(_SESSION.sub("", _encoded(parts.path, _PLAIN_IN_PATH))).rstrip("/")
    pieces = (_encoded(piece, _PLAIN_IN_QUERY) for piece in parts.query.replace("+", "%20").split("&"))
    query = "&".join(sorted(p for p in pieces if p and not _TRACKING.fullmatch(p.partition("=")[0].casefold())))
    return f"{WEB}{place}{path}" + (f"?{query}" if query else "")


def identifier_in(address: str) -> tuple[Identifier, str] | None:
    """Return the kind and value of the identifier in a canonical address; None when it contains none."""
    place = address.partition("?")[0]
    for kind, pattern in _ADDRESSES:
        if match := pattern.fullmatch(place):
            value = {"doi": clean_doi, "arxiv": clean_arxiv}.get(kind, str.upper)(match[1])
            return (kind, value) if value else None
    return None


def _host(name: str) -> str:
    """Return a host name in DNS form without "www.", "" when invalid. Raise UnicodeError when it cannot be encoded."""
    if not name.isascii():
        name = name.encode("idna").decode().lower()
    name = name.removesuffix(".")
    while name.startswith("www.") and "." in name[4:]:
        name = name[4:]
    if not _HOST.fullmatch(name):
        return ""
    return f"[{name}]" if ":" in name else name


def _encoded(text: str, plain_signs: frozenset[str]) -> str:
    """Return `text` with percent-encoding (UTF-8, upper case) only for characters that are not in `plain_signs`."""

    def spell(match: re.Match[str]) -> str:
        if not match[1]:
            return "".join(f"%{byte:02X}" for byte in match[2].encode("utf-8", "surrogatepass"))
        sign = chr(int(match[1], 16))
        return sign if sign in plain_signs else f"%{match[1].upper()}"

    return _ENCODED.sub(spell, text)


def _without_dots(path: str) -> str:
    """Return the path with its "." and ".." segments resolved (RFC 3986, 5.2.4)."""
    if "/." not in path:
        return path
    kept: list[str] = []
    for part in path.split("/")[1:]:
        if part == "..":
            del kept[-1:]
        elif part != ".":
            kept.append(part)
    return "".join(f"/{part}" for part in kept)
