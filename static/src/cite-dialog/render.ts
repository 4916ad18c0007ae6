import type { Question } from "./warnings";
import type { Badge, Row } from "./rows";

/** One group of the list: the library, the pasted works, or a catalogue. */
export interface Group {
  name: string;
  heading: string;
  rows: Row[];
}

type Child = Node | string;

/** Create an element with children. Strings become text nodes, so markup from catalogues is never interpreted. */
export function el(tag: string, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElement {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Create an icon. */
export function icon(name: string): SVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "i");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/** Create the badge of a work. */
export function drawBadge({ tier, letter, icon: iconName, words }: Badge): HTMLElement {
  const letters = letter ? [el("span", { class: "vh" }, "Tier "), el("b", {}, letter)] : [];
  return el("span", { class: "tier", "data-tier": tier }, ...letters, icon(iconName), words);
}

/** Create a group of options. `place` is the index of its first row in the whole list, used for the ids. */
export function drawGroup(group: Group, place: number, current: number, isInTray: (row: Row) => boolean): HTMLElement {
  const id = `cite-group-${group.name}`;
  const options = group.rows.map((row, offset) =>
    drawOption(row, place + offset, place + offset === current, isInTray(row)),
  );
  const heading = el("div", { class: "rubric", id, role: "presentation" }, group.heading);
  return el("div", { role: "group", "aria-labelledby": id }, heading, ...options);
}

/** The element id of an option. */
export const optionId = (place: number): string => `cite-option-${place}`;

function drawOption(row: Row, place: number, isCurrent: boolean, isGathered: boolean): HTMLElement {
  const title = row.retracted ? el("s", {}, row.title) : row.title;
  const about: Child[] = [
    el("p", { class: "serif" }, title),
    el("p", { class: "small soft" }, ...bibliographicLine(row)),
  ];
  about.push(...row.notes.map((note) => el("p", { class: "small" }, ...withCode(note))));
  if (isGathered) about.push(el("p", { class: "small gathered" }, icon("check"), "To insert"));
  const attributes = {
    role: "option",
    id: optionId(place),
    "aria-selected": String(isCurrent),
    "data-place": String(place),
  };
  return el("div", attributes, el("div", {}, ...about), drawBadge(row.badge));
}

/** Show the parts in backticks as code. */
function withCode(words: string): Child[] {
  return words.split(/`([^`\s]+)`/).map((part, place) => (place % 2 ? el("code", {}, part) : part));
}

function bibliographicLine(row: Row): Child[] {
  const parts: Child[] = [];
  for (const part of [row.authors, row.container && el("i", {}, row.container), row.year && String(row.year)]) {
    if (!part) continue;
    if (parts.length) parts.push(" · ");
    parts.push(part);
  }
  return parts.length ? parts : ["No further details yet"];
}

/** Create a chip of the tray. */
export function drawTrayChip(row: Row): HTMLElement {
  const { tier, letter, icon: sign, words } = row.badge;
  const tierParts = letter
    ? [el("span", { class: "vh" }, ", tier "), el("b", {}, letter)]
    : [el("span", { class: "vh" }, `, ${words}`), icon(sign)];
  return el("span", { class: "cite", "data-tier": tier }, row.short, ...tierParts);
}

/** Create a line below the list: a search in progress, its result, or an error. */
export function statusLine(text: string, state: "asking" | "wrong" | "told"): HTMLElement {
  if (state === "wrong") return el("p", { class: "wrong" }, icon("alert"), text);
  return el(
    "p",
    { class: "small soft waiting" },
    ...(state === "asking" ? [el("span", { class: "pulse" })] : []),
    text,
  );
}

/** Create the text of a confirmation question. */
export function drawQuestion(question: Question): Node[] {
  const words: Node[] = question.words.map((paragraph) => el("p", {}, ...withCode(paragraph)));
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
        el("td", {}, claimed || "not given"),
        el("td", {}, found || "not given"),
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

/** Return a pasted text on one line, as the search field shows it. */
export function onOneLine(text: string): string {
  const lines = text.split(/\s*\n\s*/).filter(Boolean);
  return lines.join("  ").slice(0, 2000);
}

/** Return how many works are listed, for screen readers: those that were `pasted`, or found in the library. */
export function countMessage(count: number, { pasted, searched }: { pasted: boolean; searched: boolean }): string {
  if (pasted) return `${count === 1 ? "1 work" : `${count} works`} pasted`;
  return searched ? `${count} in your library` : "";
}
