"""The tools of a researcher as they are offered to a model (SPEC R5). None has an effect outside the run (R18)."""

from dataclasses import replace
from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator

from llm.placeholders import without
from llm.tools import Tool
from research.setup.profiles import ResearchProfile

BATCH = 10  # queries per search
PAGES = 2  # addresses per extraction

Query = Annotated[str, Field(max_length=400)]


class WebSearch(BaseModel):
    query: Query = Field("", description="One query, a few words.")
    queries: list[Query] = Field([], max_length=BATCH, description="Several queries at once, each counted as one call.")

    @model_validator(mode="after")
    def _something_to_ask(self) -> Self:
        if not self.all():
            raise ValueError("give query or queries")
        return self

    def all(self) -> list[str]:
        """Return the distinct queries, each on one line, without placeholders of private details."""
        lines = (" ".join(without(query).split()) for query in [*self.queries, self.query])
        return list(dict.fromkeys(line for line in lines if line))


class ExtractContent(BaseModel):
    urls: list[str] = Field(min_length=1, max_length=PAGES, description="Addresses that a search has brought.")


class Think(BaseModel):
    thought: str = Field(description="One sentence for the person who watches.")


class ResearchComplete(BaseModel):
    reason: str = Field("", description="Why the search ends here, in one sentence.")


class CitationSearch(BaseModel):
    paper_id: str = Field(max_length=200, description="DOI, PMID, arXiv id or Semantic Scholar id of the cited paper.")
    max_results: int = Field(10, ge=1, le=50)


class RelatedPapers(BaseModel):
    paper_id: str = Field(max_length=200, description="DOI, PMID, arXiv id or Semantic Scholar id of a paper.")
    max_results: int = Field(10, ge=1, le=20)


WEB_SEARCH = Tool("web_search", "Search the catalogues and the library. Give query or queries.", WebSearch)
EXTRACT = Tool("extract_content", "Read one or two pages that a search has brought.", ExtractContent)
WEB_SEARCH_HERE = replace(WEB_SEARCH, stays_here=True)  # for runs that search the library only
THINK = Tool("think", "Keep a thought. Free.", Think, stays_here=True)
COMPLETE = Tool("research_complete", "End the search. Free.", ResearchComplete, stays_here=True)
CITATIONS = Tool("citation_search", "List papers that cite a paper.", CitationSearch)
RELATED = Tool("related_papers", "List papers like a paper.", RelatedPapers)


def tools_for(profile: ResearchProfile, catalogues: list[str]) -> list[Tool]:
    """Return the tools of a run's researcher; pages and citations only where the run may use the network."""
    if not catalogues:
        return [WEB_SEARCH_HERE, THINK, COMPLETE]
    return [WEB_SEARCH, THINK, COMPLETE, EXTRACT, *([CITATIONS, RELATED] if profile.enable_citation_tools else [])]
