import type { Editor } from "@tiptap/core";
import { TextSelection } from "@tiptap/pm/state";
import { locatorText } from "../cite-dialog/cite-command";
import { badgeOf, el } from "../cite-dialog/render";
import { readable, type Chip, type CiteAttributes } from "./chip";
import { knownCite } from "./chips";
import { dialog, searchElsewhere } from "./library";
import { written } from "./edit-citation";

/** What the card says of a work beyond its chip (citations/api/schemas.py, CitationDetail). */
interface Work {
  title: string;
  authors: string;
  container: string;
  year: number | null;
  reason: string;
}

let open: HTMLElement | null = null;

/**
 * Open the card of the citation at `at`: each work with its proof and the way to it, and the notes before and behind.
 * `key`: the chip it was asked for. Esc and a click elsewhere leave it; what was typed stays.
 */
export function openCard(editor: Editor, at: number, key: string | null): void {
  const dom = editor.view.nodeDOM(at);
  const cite = citeAt(editor, at);
  if (!(dom instanceof HTMLElement) || !cite) return;
  open?.hidePopover();

  const card = el("div", { class: "sheet cite-card", popover: "auto", role: "dialog", "aria-label": "Citation" });
  const pre = field("Before it, such as “see”", cite.pre);
  const post = field("Page or place", cite.post);
  const done = el("button", { class: "btn btn-small", type: "button" }, "Done");
  // The text may have moved under the card: the chip is where its element is.
  const now = (): number => (dom.isConnected ? editor.view.posAtDOM(dom, 0) : -1);
  const leave = (): void => card.hidePopover();

  const works = cite.keys.map((one) => {
    const row = el("li", { class: "stack", "data-key": one });
    drawWork(row, one, {
      remove: () => {
        const left = cite.keys.filter((each) => each !== one);
        leave();
        change(editor, now(), { keys: left });
      },
      find: () => {
        leave();
        searchElsewhere(one, () => change(editor, now(), { keys: cite.keys.filter((each) => each !== one) }));
      },
    });
    return row;
  });
  card.append(
    el("ul", { role: "list", class: "stack wide" }, ...works),
    el("div", { class: "places" }, pre.field, post.field),
    el("div", { class: "row apart" }, done),
  );

  done.addEventListener("click", leave);
  card.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
      event.preventDefault();
      leave();
    }
    if (event.key !== "Escape") event.stopPropagation();
  });
  card.addEventListener("beforetoggle", (event) => {
    if ((event as ToggleEvent).newState !== "closed") return;
    const notes = { ...pre.changed("pre"), ...post.changed("post") };
    if (Object.keys(notes).length) change(editor, now(), notes);
    else if (card.contains(document.activeElement)) caretBehind(editor, now());
  });
  card.addEventListener("toggle", (event) => {
    if ((event as ToggleEvent).newState !== "closed") return;
    const held = card.contains(document.activeElement) || document.activeElement === document.body;
    card.remove();
    if (open === card) open = null;
    if (held && !document.querySelector("dialog[open]")) editor.view.focus();
  });

  document.body.append(card);
  open = card;
  card.showPopover();
  beside(card, dom);
  (key
    ? card.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"] a, [data-key="${CSS.escape(key)}"] button`)
    : null
  )?.focus();
  if (!card.contains(document.activeElement)) post.box.focus();
}

/** One work of the card; what is not here yet comes in its place. */
function drawWork(row: HTMLElement, key: string, does: { remove(): void; find(): void }): void {
  const known = knownCite.of(key);
  const remove = el(
    "button",
    { class: "btn btn-small btn-quiet", type: "button" },
    "Remove",
    el("span", { class: "vh" }, ` ${key}`),
  );
  remove.addEventListener("click", does.remove);
  if (known === "missing" || known === null) {
    const find = el("button", { class: "btn btn-small", type: "button" }, "Find it …");
    find.addEventListener("click", does.find);
    const told = known ? "is not in your references. The PDF leaves it out until it is." : "is being looked up.";
    row.append(
      el("p", {}, el("code", {}, key), ` ${told}`),
      el("div", { class: "row" }, ...(known ? [find] : []), remove),
    );
    return;
  }
  const page = `${dialog()?.getAttribute("works") ?? ""}${known.id}/`;
  const link = (to: string, words: string) =>
    el(
      "a",
      { class: "small", href: to, target: "_blank", rel: "noopener" },
      words,
      el("span", { class: "vh" }, ` ${key}, in a new tab`),
    );
  const title = el("p", { class: "serif" }, known.label);
  const about = el("p", { class: "small soft" }, el("code", {}, key));
  const why = el("p", { class: "small" });
  row.append(
    badgeOf(known),
    title,
    about,
    why,
    el("div", { class: "row" }, link(`${page}#why`, "Why this tier?"), link(page, "Open in References"), remove),
  );
  void details(known).then((work) => {
    if (!work) return;
    title.textContent = work.title || known.label;
    const where = [work.authors, work.container, work.year].filter(Boolean).join(" · ");
    about.replaceChildren(where, where ? ", " : "", el("code", {}, key));
    why.textContent = work.reason;
  });
}

async function details(chip: Chip): Promise<Work | null> {
  try {
    const response = await fetch(`${dialog()?.getAttribute("add") ?? ""}/${chip.id}`, {
      headers: { Accept: "application/json" },
    });
    return response.ok ? ((await response.json()) as Work) : null;
  } catch {
    return null;
  }
}

interface NoteField {
  field: HTMLElement;
  box: HTMLInputElement;
  /** The attribute with what was typed; nothing where it stayed as it was. */
  changed(name: "pre" | "post"): Partial<CiteAttributes>;
}

function field(label: string, latex: string | null): NoteField {
  const id = `cite-note-${label.length}`;
  const shown = latex === null ? "" : readable(latex).replaceAll("\u00a0", " ");
  const box = document.createElement("input");
  box.id = id;
  box.value = shown;
  box.autocomplete = "off";
  return {
    field: el("div", { class: "field" }, el("label", { for: id }, label), box),
    box,
    changed: (name) => (box.value === shown ? {} : { [name]: noted(name, box.value) }),
  };
}

/** What was typed as LaTeX of an option; null for nothing. */
function noted(name: "pre" | "post", typed: string): string | null {
  const text =
    name === "post"
      ? locatorText(typed.replace(/^pp?\.\s*(?=\d)/, ""))
      : locatorText(`\u0001${typed}`).replace("\u0001", "");
  return text.trim() || null;
}

function citeAt(editor: Editor, at: number): CiteAttributes | null {
  const node = at >= 0 ? editor.state.doc.nodeAt(at) : null;
  return node?.type.name === "cite" ? (node.attrs as CiteAttributes) : null;
}

/** Change the citation at `at`; without keys it goes. */
function change(editor: Editor, at: number, to: Partial<CiteAttributes>): void {
  const cite = citeAt(editor, at);
  if (!cite) return;
  const { tr, doc } = editor.state;
  const node = doc.nodeAt(at)!;
  if (to.keys && !to.keys.length) {
    tr.delete(at, at + node.nodeSize);
    tr.setSelection(TextSelection.create(tr.doc, at));
  } else {
    tr.setNodeMarkup(at, undefined, { ...cite, ...to, source: null }, node.marks);
    tr.setSelection(TextSelection.create(tr.doc, at + node.nodeSize));
  }
  written(editor, tr);
}

/** The caret goes behind the citation: what is typed next is no change of it. */
function caretBehind(editor: Editor, at: number): void {
  const { tr, doc } = editor.state;
  if (citeAt(editor, at))
    editor.view.dispatch(tr.setSelection(TextSelection.create(doc, at + doc.nodeAt(at)!.nodeSize)));
}

function beside(card: HTMLElement, anchor: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const below = at.bottom + 6 + card.offsetHeight < innerHeight;
  card.style.margin = "0";
  card.style.left = `${Math.max(8, Math.min(at.left, innerWidth - card.offsetWidth - 8))}px`;
  card.style.top = `${Math.max(8, below ? at.bottom + 6 : at.top - card.offsetHeight - 6)}px`;
}
