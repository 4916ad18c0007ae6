import type { LibraryReference, FoundWork } from "./rows";

/** Invented works in the format of the server's answers. */
export function cited(): LibraryReference {
  return {
    id: "1",
    cite_key: "okafor2019",
    title: "Shade and alder growth",
    authors: "Okafor, Moss and others",
    container: "Journal of River Woods",
    year: 2019,
    doi: "10.5555/alder.2019.7",
    pmid: "",
    status: "verified",
    tier: "A",
    badge: { tier: "a", letter: "A", icon: "check", words: "DOI and title" },
    retracted: false,
    notices: [],
    published_doi: "",
    published_key: "",
    times: 0,
    unchecked: false,
    reason: "",
    differences: [],
    page: "/projects/1/citations/1/",
  };
}

export function work(): FoundWork {
  const { title, authors, container, year, doi, pmid } = cited();
  return {
    ...{ title, authors, container, year, doi, pmid },
    preprint: false,
    published_doi: "",
    published_key: "",
    retracted: false,
    notices: [],
    citation: null,
  };
}
