"""What three catalogues hold on red alder: four works, each catalogue knowing a little else of them.

hold(shelves)
service.otherwise = quoting
run = researched(forest, owner, profile="academic", overrides=ASKED)
"""

from typing import Any

from tests.research_model.script import material, reply, role_of
from tests.servers.catalogues import (
    OPENALEX_WORK,
    PUBMED_RECORD,
    S2_PAPER,
    ReceivedRequest,
    Site,
    changed,
    esearch,
    esummary,
)
from tests.servers.catalogues import Answer as Sent
from tests.servers.messages import Answer, Failure, Request, model_answer

ASKED = {"providers": "semantic_scholar,openalex,pubmed"}
S2, OPENALEX = "/graph/v1/paper/search", "/works"
PUBMED = ("/esearch.fcgi", "/esummary.fcgi", "/efetch.fcgi")
PATHS = (S2, OPENALEX, *PUBMED)

SHADE = "Alders grew a third less in the shade of firs."  # in all three, by its DOI
ROOTS = "Root nodules of alder fixed 85 kg of nitrogen per hectare."  # in two of them, by its PMID
PULLED = "Alder doubled the growth of every tree within 90 m."  # retracted, as only one of them knows
OWN = "Mixed stands held a third more nitrogen after 50 years."  # the person's own reference binkley2003


# What stands on a page of the journal that has SHADE.
ROSE = "Nitrogen in the soil rose by 3.4 g/kg beside alder."
FELL = "Light fell to a third under the crowns of alder."
FILLER = "Trees stood in rows of nine along the river, and each of them was measured twice a year by two people. "


def article(*said: str) -> Sent:
    """A page with a part for each of `said`."""
    body = "".join(f"<h2>Part {number}</h2><p>{FILLER * 3}</p><p>{words}</p>" for number, words in enumerate(said, 1))
    page = f"<html><head><title>On a page</title></head><body>{body}</body></html>"
    return Sent(page, kind="text/html; charset=utf-8")


def paper(number: int, title: str, abstract: str | None, **fields: Any) -> dict[str, Any]:
    """A record of Semantic Scholar's."""
    return {
        **S2_PAPER,
        "paperId": f"{number:040x}",
        "url": f"https://www.semanticscholar.org/paper/{number:040x}",
        "title": title,
        "abstract": abstract,
        "externalIds": {},
        "openAccessPdf": None,
        "venue": "",
        "journal": None,
        "citationCount": number,
        **fields,
    }


def work(number: int, title: str, abstract: str, doi: str | None, **fields: Any) -> dict[str, Any]:
    """A record of OpenAlex's."""
    words: dict[str, list[int]] = {}
    for place, word in enumerate(abstract.split()):
        words.setdefault(word, []).append(place)
    page = {**OPENALEX_WORK["primary_location"], "landing_page_url": f"https://river.example/{number}"}
    return {
        **OPENALEX_WORK,
        "id": f"https://openalex.org/W{number}",
        "title": title,
        "doi": f"https://doi.org/{doi}" if doi else None,
        "ids": {},
        "abstract_inverted_index": words,
        "primary_location": page,
        "best_oa_location": None,
        "is_retracted": False,
        "cited_by_count": number,
        **fields,
    }


PAPERS = [
    paper(1, "Shade and alder growth", SHADE, externalIds={"DOI": "10.5555/Shade.1"}, citationCount=41),
    paper(2, "Root nodules of alder and nitrogen", None, externalIds={"PubMed": "30000002"}),
    paper(3, "Every tree near an alder grows twice as fast", PULLED, externalIds={"DOI": "10.5555/pulled.3"}),
    paper(4, "Red alder and Douglas-fir in mixture", OWN, externalIds={"DOI": "10.5555/alder.1"}, year=2003),
]
WORKS = [
    work(11, "Shade and alder growth: a field trial", SHADE, "10.5555/shade.1"),
    work(13, "Every tree near an alder grows twice as fast", PULLED, "10.5555/pulled.3", is_retracted=True),
    work(15, "Alders of the north", "Nothing is told of soils.", None, authorships=[]),
]
RECORDS = [
    changed(
        PUBMED_RECORD, uid="30000001", title="Shade and alder growth.", pubtype=["Journal Article"], references=[],
        articleids=[{"idtype": "doi", "value": "10.5555/shade.1"}, {"idtype": "pubmed", "value": "30000001"}],
    ),
    changed(
        PUBMED_RECORD, uid="30000002", title="Root nodules of alder and nitrogen.", pubtype=["Journal Article"],
        references=[], articleids=[{"idtype": "pubmed", "value": "30000002"}],
    ),
]  # fmt: skip
ABSTRACTS = "".join(
    f"<PubmedArticle><MedlineCitation><PMID>{record['uid']}</PMID><Article><Abstract><AbstractText>{text}</AbstractText>"
    "</Abstract></Article></MedlineCitation></PubmedArticle>"
    for record, text in zip(RECORDS, (SHADE, ROOTS), strict=True)
)


def hold(shelves: Site) -> None:
    """Each catalogue answers any query with all that it has."""
    shelves.answer(S2, {"total": len(PAPERS), "data": PAPERS})
    shelves.answer(OPENALEX, {"meta": {"count": len(WORKS)}, "results": WORKS})
    shelves.answer("/esearch.fcgi", esearch(*(record["uid"] for record in RECORDS)))
    shelves.answer("/esummary.fcgi", esummary(*RECORDS))
    shelves.answer("/efetch.fcgi", f"<PubmedArticleSet>{ABSTRACTS}</PubmedArticleSet>", kind="text/xml")


def down(asked: ReceivedRequest) -> Sent:
    """A catalogue with trouble of its own, which may be asked again at once."""
    return Sent("", 503, headers={"Retry-After": "0"})


def quoting(request: Request) -> Answer | Failure:
    """A model that draws a finding from each passage: its last line, word for word."""
    if role_of(request) != "condense":
        return reply(request)
    found = [
        {"content": quote, "source_id": passage["source_id"], "quote": quote, "confidence": 0.9, "category": "outcome"}
        for passage in material(request, "passages")
        if (quote := passage["text"].splitlines()[-1])
    ]
    return model_answer(answer={"findings": found, "contradictions": [], "gaps": [], "summary": "Alder helps."})
