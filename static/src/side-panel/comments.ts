import { anchorOf, paragraphAt, placeOf, type Span } from "./comment-places";
import type { Tabs } from "./tabs";
import { textOfPage, type Mark, type Text } from "./text-access";

const PANEL = "beside-comments";

/**
 * Joins the Comments panel (templates/sections/_comments.html) to the text: paints the words of open threads, shows a
 * thread when its words are clicked and its words from "Show in text", and opens the box for a new one about what is
 * selected, by `[data-comments]` and Ctrl+Alt+M.
 */
export function joinComments(tabs: Tabs): void {
  const place = document.getElementById(PANEL);
  if (!place) return;
  let text: Text | undefined;
  let marks: Mark[] = [];
  let waiting = false; // for the panel, to comment in it

  const paint = (): void => {
    if (!text) return;
    const latex = text.latex;
    marks = threads(place).flatMap((thread) => {
      if (thread.hasAttribute("data-resolved")) return [];
      const span = placeOf(latex, thread.dataset.words ?? "", Number(thread.dataset.start));
      return span ? [{ id: thread.dataset.thread ?? "", ...span }] : [];
    });
    text.paint(marks);
  };
  const comment = (): void => {
    tabs.show(PANEL);
    const box = place.querySelector<HTMLDetailsElement>("#new-comment");
    waiting = !box;
    if (box) open(box, text);
  };
  const showThread = (id: string): void => {
    const thread = threads(place).find((one) => one.dataset.thread === id);
    if (!thread) return;
    tabs.show(PANEL);
    for (const one of threads(place)) one.toggleAttribute("data-current", one === thread);
    thread.scrollIntoView({ block: "nearest" });
  };

  void textOfPage().then((found) => {
    text = found;
    paint();
    text?.onClick((at) => {
      const inside = marks.filter((mark) => mark.start <= at && at <= mark.end);
      // Of several the narrowest is meant.
      const mark = inside.sort((one, other) => one.end - one.start - (other.end - other.start))[0];
      if (mark) showThread(mark.id);
    });
  });
  for (const button of document.querySelectorAll<HTMLElement>("[data-comments]")) {
    button.hidden = false;
    // The text keeps its selection while the button is pressed.
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("click", comment);
  }
  document.addEventListener("keydown", (event) => {
    if (!event.ctrlKey || !event.altKey || event.shiftKey || event.code !== "KeyM") return;
    if (!document.querySelector("[data-comments]") || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    comment();
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (!place.contains(event.target as Node) && event.target !== place) return;
    arrived(place);
    paint();
    if (waiting) comment();
  });
  place.addEventListener("click", (event) => {
    const target = event.target as Element;
    const show = target.closest("[data-show]");
    const thread = target.closest<HTMLElement>("[data-thread]");
    const span = marks.find((mark) => mark.id === thread?.dataset.thread) ?? resolvedPlace(text, thread);
    if (show && span) {
      event.preventDefault();
      text?.show(span);
    }
    if (target.closest("[data-cancels]")) cancel(place);
  });
  place.addEventListener("keydown", (event) => {
    const said = (event.target as Element).closest<HTMLDetailsElement>("details.saying[open]");
    if (event.key === "Escape" && said && !said.querySelector("textarea")?.value.trim()) {
      event.preventDefault();
      said.open = false;
      said.querySelector("summary")?.focus();
    }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target instanceof HTMLTextAreaElement) {
      event.preventDefault();
      event.stopPropagation();
      event.target.form?.requestSubmit();
    }
  });
  // A box somebody writes in stays; in a window nobody looks at nothing is asked.
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { requestConfig } = (event as CustomEvent<{ requestConfig: { verb: string } }>).detail;
    const asks = event.target instanceof Element && event.target.id === "comments" && requestConfig.verb === "get";
    if (asks && (document.hidden || isWriting(place))) event.preventDefault();
  });
}

function threads(place: HTMLElement): HTMLElement[] {
  return [...place.querySelectorAll<HTMLElement>("[data-thread]")];
}

function resolvedPlace(text: Text | undefined, thread: HTMLElement | null): Span | undefined {
  return text && thread?.dataset.words
    ? placeOf(text.latex, thread.dataset.words, Number(thread.dataset.start))
    : undefined;
}

/** Whether a box of the panel is open: what stands in it must not be taken away. */
function isWriting(place: HTMLElement): boolean {
  return place.querySelector("details.saying[open]") !== null;
}

/** The panel is new: the counts elsewhere follow it, and the focus goes to what was written. */
function arrived(place: HTMLElement): void {
  const panel = place.querySelector<HTMLElement>("#comments");
  if (!panel) return;
  const number = panel.dataset.open ?? "0";
  const badge = document.querySelector<HTMLElement>("[data-open-comments]");
  if (badge) {
    badge.hidden = number === "0";
    const shown = badge.querySelector("[data-number]");
    if (shown) shown.textContent = number;
  }
  const outline = document.querySelector<HTMLElement>(`[data-comments-of="${panel.dataset.section ?? ""}"]`);
  if (outline) {
    outline.hidden = number === "0";
    const shown = outline.querySelector("[data-number]");
    if (shown) shown.textContent = number;
  }
  for (const button of panel.querySelectorAll<HTMLElement>("[data-cancels]")) button.hidden = false;
  const focus = panel.dataset.focus;
  if (!focus) return;
  const said = document.getElementById(`comment-${focus}`);
  said?.closest("details")?.setAttribute("open", "");
  said?.focus({ preventScroll: true });
  said?.scrollIntoView({ block: "nearest" });
}

/**
 * The box for a new comment, about what is selected in the text, else the paragraph of the caret, else the whole
 * section.
 */
function open(box: HTMLDetailsElement, text: Text | undefined): void {
  const form = box.querySelector("form");
  const body = form?.querySelector("textarea");
  if (!form || !body) return;
  const latex = text?.latex ?? "";
  let span = text?.selected;
  if (span && span.start === span.end) span = paragraphAt(latex, span.start);
  const anchor = anchorOf(latex, span ?? { start: 0, end: 0 });
  for (const [name, value] of Object.entries(anchor)) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement) field.value = String(value);
  }
  const quote = form.querySelector<HTMLElement>("[data-quote]");
  if (quote) [quote.textContent, quote.hidden] = [shortened(anchor.quote), !anchor.quote];
  const about = form.querySelector("[data-about]");
  if (about) about.textContent = anchor.quote ? "About these words:" : "About the section as a whole.";
  box.open = true;
  body.focus();
}

function cancel(place: HTMLElement): void {
  const box = place.querySelector<HTMLDetailsElement>("#new-comment");
  const form = box?.querySelector("form");
  if (!box || !form) return;
  form.reset();
  box.open = false;
  box.querySelector("summary")?.focus();
}

function shortened(words: string): string {
  const signs = [...words];
  return signs.length <= 200 ? words : `${signs.slice(0, 199).join("")}…`;
}
