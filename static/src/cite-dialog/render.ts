import type { Question } from "./warnings";
import type { Badge, Row } from "./rows";

/** One part of the list: the library, what was pasted, or a catalogue. */
export interface Group {
  name: string;
  heading: string;
  rows: Row[];
}

type Child = Node | string;

/** An element with its children; texts are texts, whatever a catalogue sent. */
export function el(tag: string, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElement {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function icon(name: string): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  made.setAttribute("class", "i");
  made.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#i-${name}`);
  made.append(use);
  return made;
}

export function badgeOf({ tier, letter, icon: sign, words }: Badge): HTMLElement {
  const letters = letter ? [el("span", { class: "vh" }, "Tier "), el("b", {}, letter)] : [];
  return el("span", { class: "tier", "data-tier": tier }, ...letters, icon(sign), words);
}

/** A group of options. `place` is the place of its first row among all of them, which makes the ids. */
export function groupOf(group: Group, place: number, current: number, gathered: (row: Row) => boolean): HTMLElement {
  const id = `cite-group-${group.name}`;
  const options = group.rows.map((row, offset) =>
    optionOf(row, place + offset, place + offset === current, gathered(row)),
  );
  const heading = el("div", { class: "rubric", id, role: "presentation" }, group.heading);
  return el("div", { role: "group", "aria-labelledby": id }, heading, ...options);
}

export const optionId = (place: number): string => `cite-option-${place}`;

function optionOf(row: Row, place: number, isCurrent: boolean, isGathered: boolean): HTMLElement {
  const title = row.retracted ? el("s", {}, row.title) : row.title;
  const about: Child[] = [el("p", { class: "serif" }, title), el("p", { class: "small soft" }, ...lineOf(row))];
  about.push(...row.notes.map((note) => el("p", { class: "small" }, ...withCode(note))));
  if (isGathered) about.push(el("p", { class: "small gathered" }, icon("check"), "To insert"));
  const attributes = {
    role: "option",
    id: optionId(place),
    "aria-selected": String(isCurrent),
    "data-place": String(place),
  };
  return el("div", attributes, el("div", {}, ...about), badgeOf(row.badge));
}

/** Words in which `key` stands for code. */
function withCode(words: string): Child[] {
  return words.split(/`([^`\s]+)`/).map((part, place) => (place % 2 ? el("code", {}, part) : part));
}

function lineOf(row: Row): Child[] {
  const parts: Child[] = [];
  for (const part of [row.authors, row.container && el("i", {}, row.container), row.year && String(row.year)]) {
    if (!part) continue;
    if (parts.length) parts.push(" · ");
    parts.push(part);
  }
  return parts.length ? parts : ["Nothing more is known of it yet"];
}

/** A chip of the tray. */
export function chipOf(row: Row): HTMLElement {
  const { tier, letter, icon: sign, words } = row.badge;
  const told = letter
    ? [el("span", { class: "vh" }, ", tier "), el("b", {}, letter)]
    : [el("span", { class: "vh" }, `, ${words}`), icon(sign)];
  return el("span", { class: "cite", "data-tier": tier }, row.short, ...told);
}

/** A line under the list: a catalogue that is being asked, or the reason why it did not answer. */
export function lineFor(said: string, state: "asking" | "wrong" | "told"): HTMLElement {
  if (state === "wrong") return el("p", { class: "wrong" }, icon("alert"), said);
  return el(
    "p",
    { class: "small soft waiting" },
    ...(state === "asking" ? [el("span", { class: "pulse" })] : []),
    said,
  );
}

/** What is to be read before a question is answered. */
export function wordsOf(question: Question): Node[] {
  const words: Node[] = question.words.map((said) => el("p", {}, ...withCode(said)));
  if (question.differences.length) {
    const head = el(
      "tr",
      {},
      ...["", "Your entry", "The registry"].map((name) => el(name ? "th" : "td", name ? { scope: "col" } : {}, name)),
    );
    const rows = question.differences.map(({ label, claimed, found }) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, label),
        el("td", {}, claimed || "not said"),
        el("td", {}, found || "not said"),
      ),
    );
    words.push(el("table", { class: "differences small" }, el("thead", {}, head), el("tbody", {}, ...rows)));
  }
  if (question.page) {
    const link = el(
      "a",
      { href: question.page, target: "_blank", rel: "noopener" },
      "Open the comparison in a new tab",
    );
    words.push(el("p", { class: "small" }, link));
  }
  return words;
}
