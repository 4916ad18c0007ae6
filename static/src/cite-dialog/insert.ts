import type { Answer } from "./warnings";
import { rowOfAdded, type Addition, type Row } from "./rows";
import { addWork, startCheck, RequestError, removeAdded, type Addresses } from "./server";

/** Asks the person about a row; answers "cite" at once when no confirmation is needed. */
export type Confirm = (row: Row) => Promise<Answer>;

/** A key in the library, or a work to add; `confirmed` when its retraction was confirmed already. */
type Wanted = { key: string } | { addition: Addition; confirmed: boolean };

/**
 * Return the keys of `rows` in order and without duplicates. First asks for confirmation where needed, then adds new
 * works to the library. Null when the person cancels for any row; added works are removed again then. Starts the check
 * of entries that were never looked up. Rejects with RequestError when adding fails.
 */
export async function keysToCite(at: Addresses, rows: readonly Row[], ask: Confirm): Promise<string[] | null> {
  const wanted: Wanted[] = [];
  for (const row of rows) {
    const answer = await ask(row);
    if (answer === "leave") return null;
    wanted.push(toWanted(row, answer));
  }
  const keys: string[] = [];
  for (const one of combineAdditions(wanted)) {
    const found = "key" in one ? [one.key] : await addAndConfirm(at, one.addition, one.confirmed, ask);
    if (!found) return null;
    keys.push(...found.filter((key) => !keys.includes(key)));
  }
  const unchecked = rows.flatMap((row) => (row.unchecked && keys.includes(row.key) ? [row.unchecked] : []));
  if (unchecked.length) await startCheck(at, unchecked);
  return keys;
}

/** Add a work. If that reveals a retraction or a conflict, ask; on cancel the work is removed again. */
async function addAndConfirm(
  at: Addresses,
  addition: Addition,
  confirmed: boolean,
  ask: Confirm,
): Promise<string[] | null> {
  const { citations, problems } = await addWork(at, addition);
  if (problems[0] && !citations.length) throw new RequestError(problems[0].message);
  for (const row of citations.map(rowOfAdded)) {
    if (confirmed && row.retracted) continue;
    if ((await ask(row)) !== "leave") continue;
    await Promise.all(citations.filter((one) => !one.existing).map((one) => removeAdded(at, one.id)));
    return null;
  }
  return citations.map((citation) => citation.cite_key);
}

function toWanted(row: Row, answer: Answer): Wanted {
  if (answer === "published" && row.published) {
    return row.published.key ? { key: row.published.key } : { addition: { doi: row.published.doi }, confirmed: false };
  }
  return row.key ? { key: row.key } : { addition: row.add ?? { text: row.title }, confirmed: row.retracted };
}

/** Combine consecutive additions into one request, because catalogues answer many at once. */
function combineAdditions(wanted: readonly Wanted[]): Wanted[] {
  const combined: Wanted[] = [];
  for (const one of wanted) {
    const before = combined.at(-1);
    if (before && "addition" in before && "addition" in one && !before.confirmed && !one.confirmed) {
      const [first, second] = [asText(before.addition), asText(one.addition)];
      if (first && second && first.kind === second.kind) {
        combined[combined.length - 1] = { addition: { text: `${first.text}\n${second.text}` }, confirmed: false };
        continue;
      }
    }
    combined.push(one);
  }
  return combined;
}

/** Return an addition as text that can be combined with others of its kind; null when it must be sent alone. */
function asText(addition: Addition): { kind: "lines" | "bibtex"; text: string } | null {
  if ("doi" in addition) return { kind: "lines", text: addition.doi };
  if ("pmid" in addition) return { kind: "lines", text: `PMID ${addition.pmid}` };
  if ("bibtex_entry" in addition) return { kind: "bibtex", text: addition.bibtex_entry };
  const isBibtex = /^\s*@\w+\s*[{(]/.test(addition.text);
  if (!isBibtex && /[{}]|^TY {2}-/m.test(addition.text)) return null;
  return { kind: isBibtex ? "bibtex" : "lines", text: addition.text };
}
