import { el, icon } from "../cite-dialog/render";

/** A citation in the text (latex/document.ts): the command without its backslash, the notes as LaTeX. */
export interface CiteAttributes {
  command: string;
  keys: string[];
  pre: string | null;
  post: string | null;
  source: string | null;
}

/** A work's chip as the server returns it (citations/api/search.py). */
export interface Chip {
  id: string;
  label: string;
  tier: string;
  letter: string;
  icon: string;
  words: string;
  status: string;
  retracted: boolean;
  pending: boolean;
}

/** The state of a key: its chip, "missing" when the thesis has no such reference, null while it is loading. */
export type ChipState = Chip | "missing" | null;

/** How a chip is drawn: label, value of data-tier, letter or icon, and the words for screen readers. */
export interface ChipLook {
  label: string;
  tier: string;
  letter: string;
  icon: string;
  spoken: string;
  pulses: boolean;
}

/** Decide how the chip of a key is drawn. */
export function chipLook(key: string, known: ChipState): ChipLook {
  if (known === null) return { label: key, tier: "wait", letter: "", icon: "", spoken: "", pulses: false };
  if (known === "missing")
    return { label: key, tier: "missing", letter: "", icon: "ask", spoken: "not in your references", pulses: false };
  const { label, tier, letter, icon: sign, words, pending } = known;
  // A proven work needs only its letter.
  const quiet = "abc".includes(tier);
  return { label, tier, letter, icon: quiet ? "" : sign, spoken: lowercaseFirst(words), pulses: pending };
}

/** Convert a LaTeX note to plain text: `p.~14--16` becomes "p. 14–16". */
export function latexToText(option: string): string {
  return option
    .replace(/~|\\[ ,;]/g, "\u00a0")
    .replace(/---/g, "—")
    .replace(/--/g, "–")
    .replace(/\\([%&#$_])/g, "$1")
    .replace(/[{}]/g, "");
}

/** Draw a citation into `dom`: one chip for each key, with the notes before and after. */
export function drawCite(dom: HTMLElement, cite: CiteAttributes, known: { of(key: string): ChipState }): void {
  const chips = cite.keys.map((key) => drawChip(key, chipLook(key, known.of(key))));
  const note = (text: string | null) => (text ? [el("span", { class: "cite-note" }, latexToText(text))] : []);
  const others = cite.command.toLowerCase() === "nocite" ? [el("span", { class: "cite-note" }, "listed only")] : [];
  dom.replaceChildren(...note(cite.pre), ...chips, ...note(cite.post), ...others);
}

function drawChip(key: string, look: ChipLook): HTMLElement {
  const about: (Node | string)[] = [look.label];
  if (look.letter) about.push(el("span", { class: "vh" }, ", tier "), el("b", {}, look.letter));
  if (look.spoken) about.push(el("span", { class: "vh" }, `, ${look.spoken}`));
  if (look.icon) about.push(icon(look.icon));
  const attributes = {
    class: `cite${look.pulses ? " pulses" : ""}`,
    "data-tier": look.tier,
    "data-key": key,
    title: `\\cite{${key}}`,
  };
  return el("span", attributes, ...about);
}

function lowercaseFirst(words: string): string {
  return /^[A-Z][a-z]/.test(words) ? words[0]!.toLowerCase() + words.slice(1) : words;
}
