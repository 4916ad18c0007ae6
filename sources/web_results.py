"""What a web search engine found, as a Work: a page, or the publication its address is the DOI of."""

from sources.identifiers import clean_arxiv, doi_of_url
from sources.work import Work


def web_work(
    provider: str,
    url: str,
    title: str | None,
    snippet: str | None,
    *,
    page: str | None = None,
    site: str | None = None,
    score: float | None = None,
) -> Work:
    """`snippet` is what the engine shows of the page, `page` its whole text where the engine sends it along."""
    return Work(
        provider=provider,
        provider_id=url,
        title=title or url,
        venue=site,
        doi=doi_of_url(url),
        arxiv=clean_arxiv(url),
        url=url,
        abstract=snippet,
        text=page,
        type="webpage",
        score=score,
    )
