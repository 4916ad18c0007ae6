import { el, icon } from "../cite-dialog/render";

/** What the text says of a citation (latex/document.ts): the command without its backslash, the notes as LaTeX. */
export interface CiteAttributes {
  command: string;
  keys: string[];
  pre: string | null;
  post: string | null;
  source: string | null;
}

/** What the server says of a work (citations/api/search.py). */
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

/**
 * What is known of a key: its chip, "missing" where the thesis has no such reference, null where nothing is known yet.
 */
export type Known = Chip | "missing" | null;

/** How a key is shown: its label, the value of data-tier, its letter or icon, and the words for who hears it. */
export interface Look {
  label: string;
  tier: string;
  letter: string;
  icon: string;
  said: string;
  pulses: boolean;
}

export function lookOf(key: string, known: Known): Look {
  if (known === null) return { label: key, tier: "wait", letter: "", icon: "", said: "", pulses: false };
  if (known === "missing")
    return { label: key, tier: "missing", letter: "", icon: "ask", said: "not in your references", pulses: false };
  const { label, tier, letter, icon: sign, words, pending } = known;
  // A proven chip is the quietest thing of a paragraph: its letter is enough.
  const quiet = "abc".includes(tier);
  return { label, tier, letter, icon: quiet ? "" : sign, said: lowered(words), pulses: pending };
}

/** `p.~14--16` as it is read: "p. 14–16". */
export function readable(option: string): string {
  return option
    .replace(/~|\\[ ,;]/g, "\u00a0")
    .replace(/---/g, "—")
    .replace(/--/g, "–")
    .replace(/\\([%&#$_])/g, "$1")
    .replace(/[{}]/g, "");
}

/** Draw the chips of a citation into `dom`: one for each key, the notes beside them. */
export function drawCite(dom: HTMLElement, cite: CiteAttributes, known: { of(key: string): Known }): void {
  const chips = cite.keys.map((key) => chip(key, lookOf(key, known.of(key))));
  const note = (text: string | null) => (text ? [el("span", { class: "cite-note" }, readable(text))] : []);
  const others = cite.command.toLowerCase() === "nocite" ? [el("span", { class: "cite-note" }, "listed only")] : [];
  dom.replaceChildren(...note(cite.pre), ...chips, ...note(cite.post), ...others);
}

function chip(key: string, look: Look): HTMLElement {
  const about: (Node | string)[] = [look.label];
  if (look.letter) about.push(el("span", { class: "vh" }, ", tier "), el("b", {}, look.letter));
  if (look.said) about.push(el("span", { class: "vh" }, `, ${look.said}`));
  if (look.icon) about.push(icon(look.icon));
  const attributes = {
    class: `cite${look.pulses ? " pulses" : ""}`,
    "data-tier": look.tier,
    "data-key": key,
    title: `\\cite{${key}}`,
  };
  return el("span", attributes, ...about);
}

function lowered(words: string): string {
  return /^[A-Z][a-z]/.test(words) ? words[0]!.toLowerCase() + words.slice(1) : words;
}
