import type { Answer } from "./warnings";
import { rowOfAdded, type Addition, type Row } from "./rows";
import { add, check, NoAnswer, takeBack, type Addresses } from "./server";

/** Asks a person about a row, where there is something to ask; "cite" at once where there is not. */
export type Ask = (row: Row) => Promise<Answer>;

/** A key that is there, or a work to be added; `confirmed` when its retraction was asked about already. */
type Wanted = { key: string } | { addition: Addition; confirmed: boolean };

/**
 * The keys of `rows` in their order, each once. What has to be asked is asked first, then what is new is added. Null
 * when somebody left one of them: nothing is inserted then, and nothing added is kept. What was never looked up is
 * looked up now. Rejects with NoAnswer when adding fails.
 */
export async function keysOf(at: Addresses, rows: readonly Row[], ask: Ask): Promise<string[] | null> {
  const wanted: Wanted[] = [];
  for (const row of rows) {
    const answer = await ask(row);
    if (answer === "leave") return null;
    wanted.push(want(row, answer));
  }
  const keys: string[] = [];
  for (const one of together(wanted)) {
    const found = "key" in one ? [one.key] : await added(at, one.addition, one.confirmed, ask);
    if (!found) return null;
    keys.push(...found.filter((key) => !keys.includes(key)));
  }
  const unchecked = rows.flatMap((row) => (row.unchecked && keys.includes(row.key) ? [row.unchecked] : []));
  if (unchecked.length) await check(at, unchecked);
  return keys;
}

/**
 * Add a work. Its retraction or conflict may come to light only now: then it is asked about, and taken back when left.
 */
async function added(at: Addresses, addition: Addition, confirmed: boolean, ask: Ask): Promise<string[] | null> {
  const { citations, problems } = await add(at, addition);
  if (problems[0] && !citations.length) throw new NoAnswer(problems[0].message);
  for (const row of citations.map(rowOfAdded)) {
    if (confirmed && row.retracted) continue;
    if ((await ask(row)) !== "leave") continue;
    await Promise.all(citations.filter((one) => !one.existing).map((one) => takeBack(at, one.id)));
    return null;
  }
  return citations.map((citation) => citation.cite_key);
}

function want(row: Row, answer: Answer): Wanted {
  if (answer === "published" && row.published) {
    return row.published.key ? { key: row.published.key } : { addition: { doi: row.published.doi }, confirmed: false };
  }
  return row.key ? { key: row.key } : { addition: row.add ?? { text: row.title }, confirmed: row.retracted };
}

/** Additions that follow each other in one request, since catalogues answer many at once. */
function together(wanted: readonly Wanted[]): Wanted[] {
  const made: Wanted[] = [];
  for (const one of wanted) {
    const before = made.at(-1);
    if (before && "addition" in before && "addition" in one && !before.confirmed && !one.confirmed) {
      const [first, second] = [asText(before.addition), asText(one.addition)];
      if (first && second && first.kind === second.kind) {
        made[made.length - 1] = { addition: { text: `${first.text}\n${second.text}` }, confirmed: false };
        continue;
      }
    }
    made.push(one);
  }
  return made;
}

/** An addition as lines of a text that holds more of its kind; null for what has to be sent alone. */
function asText(addition: Addition): { kind: "lines" | "bibtex"; text: string } | null {
  if ("doi" in addition) return { kind: "lines", text: addition.doi };
  if ("pmid" in addition) return { kind: "lines", text: `PMID ${addition.pmid}` };
  if ("bibtex_entry" in addition) return { kind: "bibtex", text: addition.bibtex_entry };
  const isBibtex = /^\s*@\w+\s*[{(]/.test(addition.text);
  if (!isBibtex && /[{}]|^TY {2}-/m.test(addition.text)) return null;
  return { kind: isBibtex ? "bibtex" : "lines", text: addition.text };
}
