"""The registries of the browser tests: real works, a retracted one and a preprint among them."""

import re

from sources.retractions import Update
from tests.citations.real_works import WORKS, work
from tests.servers.catalogues import Answer, ReceivedRequest, esearch
from tests.servers.registry_works import Holdings, _words

RETRACTED = work(
    "Cardiovascular Disease, Drug Therapy, and Mortality in Covid-19",
    "Mehra, Mandeep R.; Desai, Sapan S.; Kuy, SreyRam; Henry, Timothy D.; Patel, Amit N.",
    2020,
    "New England Journal of Medicine",
    "382, e102",
    doi="10.1056/NEJMoa2007621",
    pmid="32356626",
    is_retracted=True,
    updates=(Update(type="retraction", doi="10.1056/NEJMc2021225", source="publisher", year=2020),),
)
PREPRINT = work(
    "Dexamethasone in Hospitalized Patients with Covid-19: preliminary report",
    "The RECOVERY Collaborative Group",
    2020,
    doi="10.1101/2020.06.22.20137273",
    type="article",
    published_version_doi="10.1056/NEJMoa2021436",
)


class Shelves(Holdings):
    """Registries whose PubMed accepts plain words, too, and can fail while the others work (`no_pubmed`)."""

    no_pubmed = False

    def __init__(self) -> None:
        super().__init__([*WORKS.values(), RETRACTED, PREPRINT])

    def mend(self) -> None:
        """Make all registries work again."""
        self.down = self.no_pubmed = False
        self.free.set()

    def _pubmed(self, path: str, asked: ReceivedRequest) -> Answer:
        if self.no_pubmed:
            return Answer("Service Unavailable", 503, "text/plain")
        term = {**asked.query, **asked.form}.get("term", "")
        if path != "/esearch.fcgi" or "[ti]" in term:
            return super()._pubmed(path, asked)
        words = set(re.findall(r"\w+", term.casefold()))
        return Answer(esearch(*(one.pmid for one in self.works if one.pmid and words <= _words(one))))
