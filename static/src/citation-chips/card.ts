import type { Editor } from "@tiptap/core";
import { TextSelection } from "@tiptap/pm/state";
import { locatorText } from "../cite-dialog/cite-command";
import { drawBadge, el } from "../cite-dialog/render";
import { latexToText, type Chip, type CiteAttributes } from "./chip";
import { chipStore } from "./chips";
import { dialog, searchElsewhere } from "./library";
import { dispatchAsUndoStep } from "./edit-citation";

/** The details of a work that its chip does not have (citations/api/schemas.py, CitationDetail). */
interface Work {
  title: string;
  authors: string;
  container: string;
  year: number | null;
  reason: string;
}

let openedCard: HTMLElement | null = null;

/**
 * Open the card of the citation at `at`: each work with its tier and links, and the notes before and after. `key` is
 * the clicked chip. Esc and a click elsewhere close the card and keep what was typed.
 */
export function openCard(editor: Editor, at: number, key: string | null): void {
  const dom = editor.view.nodeDOM(at);
  const cite = citeAt(editor, at);
  if (!(dom instanceof HTMLElement) || !cite) return;
  openedCard?.hidePopover();

  const card = el("div", { class: "sheet cite-card", popover: "auto", role: "dialog", "aria-label": "Citation" });
  const pre = noteField("Text before, such as “see”", cite.pre);
  const post = noteField("Page or other locator", cite.post);
  const done = el("button", { class: "btn btn-small", type: "button" }, "Done");
  // The position may change while the card is open, so it is taken from the element.
  const position = (): number => (dom.isConnected ? editor.view.posAtDOM(dom, 0) : -1);
  const close = (): void => card.hidePopover();

  const works = cite.keys.map((one) => {
    const row = el("li", { class: "stack", "data-key": one });
    drawWork(row, one, {
      remove: () => {
        const remaining = cite.keys.filter((each) => each !== one);
        close();
        changeCitation(editor, position(), { keys: remaining });
      },
      find: () => {
        close();
        searchElsewhere(one, () =>
          changeCitation(editor, position(), { keys: cite.keys.filter((each) => each !== one) }),
        );
      },
    });
    return row;
  });
  card.append(
    el("ul", { role: "list", class: "stack wide" }, ...works),
    el("div", { class: "places" }, pre.field, post.field),
    el("div", { class: "row apart" }, done),
  );

  done.addEventListener("click", close);
  card.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
      event.preventDefault();
      close();
    }
    if (event.key !== "Escape") event.stopPropagation();
  });
  card.addEventListener("beforetoggle", (event) => {
    if ((event as ToggleEvent).newState !== "closed") return;
    const notes = { ...pre.changed("pre"), ...post.changed("post") };
    if (Object.keys(notes).length) changeCitation(editor, position(), notes);
    else if (card.contains(document.activeElement)) putCaretAfter(editor, position());
  });
  card.addEventListener("toggle", (event) => {
    if ((event as ToggleEvent).newState !== "closed") return;
    const hadFocus = card.contains(document.activeElement) || document.activeElement === document.body;
    card.remove();
    if (openedCard === card) openedCard = null;
    if (hadFocus && !document.querySelector("dialog[open]")) editor.view.focus();
  });

  document.body.append(card);
  openedCard = card;
  card.showPopover();
  positionAt(card, dom);
  (key
    ? card.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"] a, [data-key="${CSS.escape(key)}"] button`)
    : null
  )?.focus();
  if (!card.contains(document.activeElement)) post.box.focus();
}

/** Draw a work of the card; details are filled in when they have loaded. */
function drawWork(row: HTMLElement, key: string, actions: { remove(): void; find(): void }): void {
  const known = chipStore.of(key);
  const remove = el(
    "button",
    { class: "btn btn-small btn-quiet", type: "button" },
    "Remove",
    el("span", { class: "vh" }, ` ${key}`),
  );
  remove.addEventListener("click", actions.remove);
  if (known === "missing" || known === null) {
    const find = el("button", { class: "btn btn-small", type: "button" }, "Search …");
    find.addEventListener("click", actions.find);
    const message = known
      ? "is not in your references. It is left out of the PDF until you add it."
      : "is being loaded.";
    row.append(
      el("p", {}, el("code", {}, key), ` ${message}`),
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
    drawBadge(known),
    title,
    about,
    why,
    el("div", { class: "row" }, link(`${page}#why`, "Why this tier?"), link(page, "Open in References"), remove),
  );
  void fetchDetails(known).then((work) => {
    if (!work) return;
    title.textContent = work.title || known.label;
    const where = [work.authors, work.container, work.year].filter(Boolean).join(" · ");
    about.replaceChildren(where, where ? ", " : "", el("code", {}, key));
    why.textContent = work.reason;
  });
}

async function fetchDetails(chip: Chip): Promise<Work | null> {
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
  /** Return the attribute with the typed text; an empty object when it did not change. */
  changed(name: "pre" | "post"): Partial<CiteAttributes>;
}

function noteField(label: string, latex: string | null): NoteField {
  const id = `cite-note-${label.length}`;
  const shown = latex === null ? "" : latexToText(latex).replaceAll("\u00a0", " ");
  const box = document.createElement("input");
  box.id = id;
  box.value = shown;
  box.autocomplete = "off";
  return {
    field: el("div", { class: "field" }, el("label", { for: id }, label), box),
    box,
    changed: (name) => (box.value === shown ? {} : { [name]: toOptionLatex(name, box.value) }),
  };
}

/** Convert a typed note to the LaTeX of an option; null when empty. */
function toOptionLatex(name: "pre" | "post", typed: string): string | null {
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

/** Change the citation at `at`; without keys it is deleted. */
function changeCitation(editor: Editor, at: number, to: Partial<CiteAttributes>): void {
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
  dispatchAsUndoStep(editor, tr);
}

/** Put the caret after the citation, so that further typing does not replace it. */
function putCaretAfter(editor: Editor, at: number): void {
  const { tr, doc } = editor.state;
  if (citeAt(editor, at))
    editor.view.dispatch(tr.setSelection(TextSelection.create(doc, at + doc.nodeAt(at)!.nodeSize)));
}

function positionAt(card: HTMLElement, anchor: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const below = at.bottom + 6 + card.offsetHeight < innerHeight;
  card.style.margin = "0";
  card.style.left = `${Math.max(8, Math.min(at.left, innerWidth - card.offsetWidth - 8))}px`;
  card.style.top = `${Math.max(8, below ? at.bottom + 6 : at.top - card.offsetHeight - 6)}px`;
}
