"""Invented records in the formats of DataCite, doi.org, arXiv, Open Library, Unpaywall and PubMed Central.

Those of the other catalogues are in catalogues.py.
"""

from typing import Any

DATACITE_RECORD: dict[str, Any] = {
    "id": "10.5555/alder.data.3",
    "type": "dois",
    "attributes": {
        "doi": "10.5555/alder.data.3",
        "state": "findable",
        "identifiers": [],
        "creators": [
            {
                "name": "Okafor, Ada",
                "nameType": "Personal",
                "givenName": "Ada",
                "familyName": "Okafor",
                "affiliation": ["University of the River"],
                "nameIdentifiers": [],
            },
            {"name": "van der Moss, Pia", "nameType": "Personal", "affiliation": [], "nameIdentifiers": []},
            {"name": "River Woods Group", "nameType": "Organizational"},
        ],
        "titles": [
            {"title": "Erlen im Schatten", "titleType": "TranslatedTitle", "lang": "de"},
            {"title": "Shade and alder growth", "lang": "en"},
            {"title": "Measurements of 2019", "titleType": "Subtitle"},
        ],
        "publisher": "River Archive",
        "container": {
            "type": "DataRepository",
            "title": "River Archive Data",
            "volume": "4",
            "issue": None,
            "firstPage": "12",
            "lastPage": "19",
        },
        "publicationYear": 2019,
        "contributors": [{"name": "Moss, P.", "contributorType": "Editor"}, {"name": "X", "contributorType": "Other"}],
        "dates": [{"date": "2019-04-01", "dateType": "Issued"}, {"date": "2018/2019", "dateType": "Collected"}],
        "types": {"ris": "DATA", "bibtex": "misc", "citeproc": "dataset", "resourceTypeGeneral": "Dataset"},
        "relatedIdentifiers": [
            {
                "relationType": "IsSupplementTo",
                "relatedIdentifier": "10.5555/alder.2019.7",
                "relatedIdentifierType": "DOI",
            }
        ],
        "descriptions": [
            {"description": "How it was measured.", "descriptionType": "Methods"},
            {"description": "<p>Alders grew <i>less</i>.</p>", "descriptionType": "Abstract"},
        ],
        "url": "https://archive.example/alder/3",
        "citationCount": 4,
    },
    "relationships": {"client": {"data": {"id": "river.archive", "type": "clients"}}},
}

DATACITE_PREPRINT: dict[str, Any] = {
    "id": "10.48550/arxiv.1901.01234",
    "type": "dois",
    "attributes": {
        "doi": "10.48550/arxiv.1901.01234",
        "creators": [{"name": "Okafor, Ada", "nameType": "Personal", "givenName": "Ada", "familyName": "Okafor"}],
        "titles": [{"title": "Shade and alder growth"}],
        "publisher": {"name": "arXiv", "publisherIdentifier": None},
        "container": {},
        "publicationYear": 2019,
        "dates": [{"date": "2019-01-04T10:00:00Z", "dateType": "Submitted"}, {"date": "2019-01", "dateType": "Issued"}],
        "types": {"resourceType": "Article", "resourceTypeGeneral": "Preprint", "citeproc": "article"},
        "relatedIdentifiers": [
            {
                "relationType": "IsVersionOf",
                "relatedIdentifier": "10.48550/arXiv.1901.01234v2",
                "relatedIdentifierType": "DOI",
            },
            {
                "relationType": "IsVersionOf",
                "relatedIdentifier": "10.5555/Alder.2019.7",
                "relatedIdentifierType": "DOI",
            },
        ],
    },
}

DATACITE_UNKNOWN = {"errors": [{"status": "404", "title": "The resource you are looking for doesn't exist."}]}

# The answer of doi.org for a DOI of Crossref: Crossref's record, with strings in place of some lists.
CROSSREF_CSL: dict[str, Any] = {
    "DOI": "10.5555/Alder.2019.7",
    "type": "journal-article",
    "title": "Shade and alder growth",
    "subtitle": [],
    "container-title": "Journal of River Woods",
    "publisher": "River Press",
    "issued": {"date-parts": [[2019, 4, 1]]},
    "volume": "12",
    "issue": "3",
    "page": "101-118",
    "author": [{"family": "Okafor", "given": "Ada", "sequence": "first"}, {"name": "River Woods Group"}],
    "ISBN": [],
    "URL": "https://doi.org/10.5555/alder.2019.7",
    "relation": {"has-preprint": [{"id-type": "doi", "id": "10.48550/arXiv.1901.01234"}]},
    "updated-by": [{"type": "retraction", "DOI": "10.5555/ret.1", "source": "publisher", "label": "Retraction"}],
}

# The answer of doi.org for a DOI of DataCite.
DATACITE_CSL: dict[str, Any] = {
    "type": "dataset",
    "id": "https://doi.org/10.5555/alder.data.3",
    "categories": ["Woods"],
    "author": [{"family": "Okafor", "given": "Ada"}, {"literal": "River Woods Group"}],
    "issued": {"date-parts": [[2019, 4, 1]]},
    "abstract": "Alders grew less.",
    "DOI": "10.5555/ALDER.DATA.3",
    "publisher": "River Archive",
    "title": "Shade and alder growth",
    "URL": "https://archive.example/alder/3",
}


def feed(*entries: str) -> str:
    """Return an arXiv feed with these entries."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        '  <title type="html">ArXiv Query: search_query=&amp;id_list=1901.01234</title>\n'
        "  <id>http://arxiv.org/api/abc</id><updated>2026-10-01T00:00:00-04:00</updated>\n"
        '  <opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">1</opensearch:totalResults>\n'
        f"{''.join(entries)}</feed>"
    )


def preprint(known: str = "1901.01234", **fields: str) -> str:
    """Return an entry of an arXiv feed; `fields` replace its elements, and empty ones leave them out."""
    parts = {
        "id": f"<id>http://arxiv.org/abs/{known}v2</id>",
        "title": "<title>Shade and\n  alder growth</title>",
        "authors": "<author><name>Ada Okafor</name></author><author><name>Pia van der Moss</name></author>",
        "doi": '<arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.5555/Alder.2019.7</arxiv:doi>',
        "comment": '<arxiv:comment xmlns:arxiv="http://arxiv.org/schemas/atom">12 pages</arxiv:comment>',
        "summary": "<summary>  Alders grew less &amp; later.\n</summary>",
    } | fields
    dates = "<updated>2020-02-03T10:00:00Z</updated><published>2019-01-04T10:00:00Z</published>"
    return f"<entry>{parts['id']}{dates}{''.join(list(parts.values())[1:])}</entry>"


def refusal(reason: str) -> str:
    """Return the feed with which arXiv refuses a request."""
    fields = {"title": "<title>Error</title>", "authors": "<author><name>arXiv api core</name></author>"}
    said = {"id": f"<id>http://arxiv.org/api/errors#{reason.replace(' ', '_')}</id>", "doi": "", "comment": ""}
    return feed(preprint("", **fields, **said, summary=f"<summary>{reason}</summary>"))


OPENLIBRARY_BOOK: dict[str, Any] = {
    "url": "https://openlibrary.org/books/OL1M/Alders",
    "key": "/books/OL1M",
    "title": "Alders",
    "subtitle": "their lives in shade",
    "authors": [
        {"url": "https://openlibrary.org/authors/OL1A/Ada_Okafor", "name": "Ada Okafor"},
        {"url": "https://openlibrary.org/authors/OL2A", "name": "River Woods Group"},
    ],
    "number_of_pages": 220,
    "identifiers": {"isbn_10": ["0306406152"], "isbn_13": ["9780306406157"], "openlibrary": ["OL1M"]},
    "publishers": [{"name": "River Press"}],
    "publish_date": "May 2005",
    "subjects": [{"name": "Trees", "url": "https://openlibrary.org/subjects/trees"}],
}

UNPAYWALL_RECORD: dict[str, Any] = {
    "doi": "10.5555/Alder.2019.7",
    "doi_url": "https://doi.org/10.5555/alder.2019.7",
    "title": "Shade and alder growth",
    "genre": "journal-article",
    "is_oa": True,
    "oa_status": "green",
    "journal_name": "Journal of River Woods",
    "publisher": "River Press",
    "year": 2019,
    "best_oa_location": {
        "url": "https://archive.example/alder.pdf",
        "url_for_pdf": "https://archive.example/alder.pdf",
        "url_for_landing_page": "https://archive.example/alder",
        "host_type": "repository",
        "version": "acceptedVersion",
    },
    "z_authors": [{"family": "Okafor", "given": "Ada", "sequence": "first"}, {"raw_author_name": "Pia van der Moss"}],
}

# A record of PubMed Central, whose ids differ from those of PubMed.
PMC_RECORD: dict[str, Any] = {
    "uid": "7654321",
    "pubdate": "2019 Apr",
    "epubdate": "2019 Mar 3",
    "source": "J River Woods",
    "authors": [{"name": "Okafor A", "authtype": "Author"}, {"name": "van der Moss PQ", "authtype": "Author"}],
    "title": "Shade and alder growth: a field trial",
    "volume": "12",
    "issue": "3",
    "pages": "101-118",
    "articleids": [
        {"idtype": "pmid", "value": "30123456"},
        {"idtype": "doi", "value": "10.5555/Alder.2019.7"},
        {"idtype": "pmcid", "value": "PMC7654321"},
    ],
    "fulljournalname": "Journal of River Woods",
    "sortdate": "2019/03/03 00:00",
}
