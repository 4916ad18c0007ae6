// The server's answers (citations/api/search.py) and the rows of the dialog made from them.

/** The badge of a work. */
export interface Badge {
  tier: string;
  letter: string;
  icon: string;
  words: string;
}

/** A retraction notice or an expression of concern. */
export interface Notice {
  type: string;
  doi: string;
  pmid: string;
  source: string;
  year: number | null;
  note: string;
}

/** A reference of the thesis. */
export interface LibraryReference {
  id: string;
  cite_key: string;
  title: string;
  authors: string;
  container: string;
  year: number | null;
  doi: string;
  pmid: string;
  status: string;
  tier: string;
  badge: Badge;
  retracted: boolean;
  notices: Notice[];
  published_doi: string;
  published_key: string;
  times: number;
  unchecked: boolean;
  reason: string;
  differences: { label: string; claimed: string; found: string }[];
  page: string;
}

/** A work found in a catalogue. */
export interface FoundWork {
  title: string;
  authors: string;
  container: string;
  year: number | null;
  doi: string;
  pmid: string;
  preprint: boolean;
  published_doi: string;
  published_key: string;
  retracted: boolean;
  notices: Notice[];
  citation: LibraryReference | null;
}

/** A reference that was just added; `existing` when the thesis already had it. */
export interface AddedCitation {
  id: string;
  cite_key: string;
  title: string;
  authors: string;
  year: number | null;
  container: string;
  doi: string;
  pmid: string;
  status: string;
  reason: string;
  diff: { field: string; claimed: string; found: string; agrees: boolean | null }[];
  published_doi: string;
  retracted: boolean;
  notices: Notice[];
  existing: boolean;
}

/** An identifier or entry recognised in the typed or pasted text. */
export interface RecognisedEntry {
  kind: string;
  value: string;
  title: string;
  authors: string;
  year: number | null;
  citation: LibraryReference | null;
}

/** The request body that adds a work. */
export type Addition = { doi: string } | { pmid: string } | { bibtex_entry: string } | { text: string };

/**
 * A work in the dialog. It has a `key` when the thesis has it, else `add`, the request that adds it. `unchecked` is the
 * id of an entry that was not looked up yet.
 */
export interface Row {
  id: string;
  title: string;
  authors: string;
  container: string;
  year: number | null;
  short: string;
  badge: Badge;
  notes: string[];
  key: string;
  add: Addition | null;
  unchecked?: string;
  retracted: boolean;
  notices: Notice[];
  published: { doi: string; key: string } | null;
  conflict: { differences: LibraryReference["differences"]; reason: string; page: string } | null;
  doi: string;
  pmid: string;
}

const ON_INSERT: Badge = { tier: "wait", letter: "", icon: "clock", words: "Verifies on insert" };
const PREPRINT: Badge = { tier: "wait", letter: "", icon: "book", words: "Preprint" };
const RETRACTED: Badge = { tier: "retracted", letter: "", icon: "strike", words: "Retracted" };
const CONFLICT: Badge = { tier: "conflict", letter: "", icon: "differ", words: "Conflict" };
const KIND_LABELS: Record<string, string> = {
  doi: "DOI",
  pmid: "PMID",
  pmcid: "PMCID",
  arxiv: "arXiv",
  isbn: "ISBN",
  url: "Address",
  bibtex: "BibTeX",
  ris: "RIS",
  csl: "CSL-JSON",
  words: "Title",
};
const FIELD_LABELS: Record<string, string> = {
  title: "Title",
  authors: "Authors",
  year: "Year",
  venue: "Journal or book",
  volume: "Volume",
  pages: "Pages",
  doi: "DOI",
  pmid: "PMID",
  type: "Kind",
};
const NOTICE_TYPES: Record<string, string> = {
  retraction: "Retraction",
  partial_retraction: "Partial retraction",
  removal: "Removal",
  withdrawal: "Withdrawal",
  expression_of_concern: "Expression of concern",
};
const NOTICE_SOURCES: Record<string, string> = {
  publisher: "the publisher",
  "retraction-watch": "Retraction Watch",
  pubmed: "PubMed",
  crossref: "Crossref",
};

/** Create the row of a reference. */
export function rowOfReference(cited: LibraryReference): Row {
  return {
    id: `key:${cited.cite_key}`,
    title: cited.title || cited.cite_key,
    authors: cited.authors,
    container: cited.container,
    year: cited.year,
    short: shortLabel(cited.authors, cited.year, cited.cite_key),
    badge: cited.badge,
    notes: [alreadyCited(cited), ...notesOf(cited), ...problemNotes(cited)],
    key: cited.cite_key,
    add: null,
    ...(cited.unchecked ? { unchecked: cited.id } : {}),
    retracted: cited.retracted,
    notices: cited.notices,
    published: publishedOf(cited),
    conflict:
      cited.status === "conflict" ? { differences: cited.differences, reason: cited.reason, page: cited.page } : null,
    doi: cited.doi,
    pmid: cited.pmid,
  };
}

/** Create the row of a work found in a catalogue. */
export function rowOfWork(work: FoundWork): Row {
  if (work.citation) return rowOfReference(work.citation);
  const name = work.doi || (work.pmid && `PMID ${work.pmid}`) || "";
  return {
    id: work.doi ? `doi:${work.doi}` : `pmid:${work.pmid}`,
    title: work.title || name,
    authors: work.authors,
    container: work.container,
    year: work.year,
    short: shortLabel(work.authors, work.year, work.title || name),
    badge: work.retracted ? RETRACTED : work.preprint ? PREPRINT : ON_INSERT,
    notes: notesOf(work),
    key: "",
    add: work.doi ? { doi: work.doi } : { pmid: work.pmid },
    retracted: work.retracted,
    notices: work.notices,
    published: publishedOf(work),
    conflict: null,
    doi: work.doi,
    pmid: work.pmid,
  };
}

/** Create the row of a recognised identifier or entry. */
export function rowOfEntry(pick: RecognisedEntry): Row {
  if (pick.citation) return rowOfReference(pick.citation);
  const kindLabel = KIND_LABELS[pick.kind] ?? pick.kind;
  const value =
    pick.kind === "bibtex" || pick.kind === "ris" || pick.kind === "csl" ? `${kindLabel} entries` : pick.value;
  return {
    id: `pick:${pick.kind}:${pick.value}`,
    title: pick.title || value,
    authors: pick.title ? pick.authors : "",
    container: pick.title ? kindLabel : `${kindLabel}, will be added and looked up on insert`,
    year: pick.year,
    short: pick.title ? shortLabel(pick.authors, pick.year, pick.title) : value,
    badge: ON_INSERT,
    notes: [],
    key: "",
    add: pick.kind === "doi" ? { doi: pick.value } : pick.kind === "pmid" ? { pmid: pick.value } : { text: pick.value },
    retracted: false,
    notices: [],
    published: null,
    conflict: null,
    doi: pick.kind === "doi" ? pick.value : "",
    pmid: pick.kind === "pmid" ? pick.value : "",
  };
}

/** Create the row of a work of which only the title is known. */
export function rowOfTitle(title: string): Row {
  return rowOfEntry({ kind: "words", value: title, title, authors: "", year: null, citation: null });
}

/** Create the row of a work that was just added, for the questions about it. */
export function rowOfAdded(added: AddedCitation): Row {
  const differences = added.diff
    .filter((one) => one.agrees === false)
    .map(({ field, claimed, found }) => ({ label: FIELD_LABELS[field] ?? field, claimed, found }));
  return {
    id: `key:${added.cite_key}`,
    title: added.title || added.cite_key,
    authors: added.authors,
    container: added.container,
    year: added.year,
    short: shortLabel(added.authors, added.year, added.cite_key),
    badge: added.retracted ? RETRACTED : added.status === "conflict" ? CONFLICT : ON_INSERT,
    notes: [],
    key: added.cite_key,
    add: null,
    retracted: added.retracted,
    notices: added.notices,
    published: null,
    conflict: added.status === "conflict" ? { differences, reason: added.reason, page: "" } : null,
    doi: added.doi,
    pmid: added.pmid,
  };
}

/** Fill the row of a pasted identifier with a catalogue's data; its `id` and `add` stay. */
export function withCatalogueData(row: Row, work: FoundWork): Row {
  const fromCatalogue = rowOfWork(work);
  return { ...fromCatalogue, id: row.id, title: work.title || row.title, add: fromCatalogue.key ? null : row.add };
}

/** A search in a catalogue. */
export interface CatalogueQuery {
  source: "pubmed" | "crossref";
  q: string;
}

/** Return the catalogue query that resolves a pasted identifier; null when there is none. */
export function catalogueQueryFor(pick: RecognisedEntry): CatalogueQuery | null {
  if (pick.citation) return null;
  if (pick.kind === "doi") return { source: "crossref", q: pick.value };
  if (pick.kind === "arxiv") return { source: "crossref", q: `10.48550/arxiv.${pick.value}` };
  if (pick.kind === "pmid") return { source: "pubmed", q: `PMID ${pick.value}` };
  return pick.kind === "pmcid" ? { source: "pubmed", q: pick.value } : null;
}

/** Deduplicate `rows` against `shown` by key, DOI and PMID, and by title, year and first author. */
export function deduplicate(rows: readonly Row[], shown: readonly Row[]): Row[] {
  const seenKeys = new Set(shown.flatMap(identityKeys));
  return rows.filter((row) => {
    const known = identityKeys(row);
    if (known.some((name) => seenKeys.has(name))) return false;
    for (const name of known) seenKeys.add(name);
    return true;
  });
}

function identityKeys(row: Row): string[] {
  const title = plain(row.title);
  const first = plain(row.authors.split(/,| and /)[0] ?? "");
  const named: (string | false)[] = [
    row.id,
    row.key !== "" && `key:${row.key}`,
    row.doi !== "" && `doi:${row.doi.toLowerCase()}`,
    row.pmid !== "" && `pmid:${row.pmid}`,
    title !== "" && first !== "" && row.year !== null && `work:${title}:${row.year}:${first}`,
  ];
  return named.filter((name) => name !== false);
}

function plain(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Describe each notice: "Retraction, reported by Retraction Watch, 2020. Notice: 10.1056/nejmc2021225". */
export function describeNotices(notices: readonly Notice[]): string[] {
  return notices
    .filter((notice) => notice.type in NOTICE_TYPES)
    .map((notice) => {
      const by = notice.source ? `reported by ${NOTICE_SOURCES[notice.source] ?? notice.source}` : "";
      const summary = [NOTICE_TYPES[notice.type], by, notice.year].filter(Boolean).join(", ");
      const where = notice.doi || (notice.pmid && `PMID ${notice.pmid}`);
      return where ? `${summary}. Notice: ${where}` : `${summary}.`;
    });
}

function alreadyCited(cited: LibraryReference): string {
  const times = cited.times === 1 ? "once" : cited.times === 2 ? "twice" : `${cited.times} times`;
  return cited.times ? `Already cited as \`${cited.cite_key}\`, ${times}` : `In your library as \`${cited.cite_key}\``;
}

function notesOf(work: LibraryReference | FoundWork): string[] {
  const notes: string[] = [];
  const year = work.notices.find((notice) => notice.year && NOTICE_TYPES[notice.type])?.year;
  if (work.retracted)
    notes.push(`Retracted${year ? ` in ${year}` : ""}. Citing it asks you to confirm and shows the notice.`);
  else if (work.notices.some((notice) => notice.type === "expression_of_concern")) {
    notes.push("An expression of concern was published about it.");
  }
  const published = publishedOf(work);
  if (published) {
    const known = published.key ? `, which you have as \`${published.key}\`` : "";
    notes.push(`Preprint. Now published as ${published.doi}${known}. Press Enter to choose between the two.`);
  }
  return notes;
}

function problemNotes(cited: LibraryReference): string[] {
  if (cited.status === "conflict")
    return [`${cited.reason} Press Enter to compare the two before anything is inserted.`.trim()];
  return cited.status === "not_found" ? ["It is left out of the PDF until it is proven."] : [];
}

function publishedOf(work: LibraryReference | FoundWork): Row["published"] {
  const doi = work.published_doi;
  return doi && doi.toLowerCase() !== work.doi.toLowerCase() ? { doi, key: work.published_key } : null;
}

function shortLabel(authors: string, year: number | null, otherwise: string): string {
  const first = authors.split(/,| and /)[0]?.trim();
  return first ? [first, year].filter(Boolean).join(" ") : truncate(otherwise);
}

function truncate(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39).trimEnd()}…` : text;
}
