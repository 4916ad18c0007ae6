import { plainWords } from "../editor/plain-words";
import type { Span } from "./comment-places";
import type { Tabs } from "./tabs";
import type { Mark, NewAnchor, PageText } from "./text-access";

const PANEL = "beside-comments";
const WHOLE_SECTION: NewAnchor = { quote: "", before: "", after: "", start: 0 };

/**
 * Connect the Comments panel (templates/sections/_comments.html) to the text: highlight the commented words, show a
 * thread when its words are clicked and its words from "Show in text", and open the form for a new comment on the
 * selection with `[data-comments]` or Ctrl+Alt+M.
 */
export function connectComments(tabs: Pick<Tabs, "show">, pageText: Promise<PageText | undefined>): void {
  const place = document.getElementById(PANEL);
  if (!place) return;
  let text: PageText | undefined;
  let marks: Mark[] = [];
  let opensWhenLoaded = false; // open the form as soon as the panel has loaded

  const paint = (): void => {
    if (!text) return;
    const inText = text;
    marks = threads(place).flatMap((thread) => {
      if (thread.hasAttribute("data-resolved")) return [];
      const span = inText.placeOf(thread);
      return span ? [{ id: thread.dataset.thread ?? "", ...span }] : [];
    });
    text.paint(marks);
  };
  const comment = (): void => {
    tabs.show(PANEL);
    const box = place.querySelector<HTMLDetailsElement>("#new-comment");
    opensWhenLoaded = !box;
    if (box) openNewComment(box, text);
  };
  const showThread = (id: string): void => {
    const thread = threads(place).find((one) => one.dataset.thread === id);
    if (!thread) return;
    tabs.show(PANEL);
    for (const other of threads(place)) other.toggleAttribute("data-current", other === thread);
    thread.scrollIntoView({ block: "nearest" });
  };

  void pageText.then((found) => {
    text = found;
    paint();
    text?.onClick((at) => {
      const inside = marks.filter((mark) => mark.start <= at && at <= mark.end);
      // Of several the narrowest wins.
      const mark = inside.sort((one, other) => one.end - one.start - (other.end - other.start))[0];
      if (mark) showThread(mark.id);
    });
  });
  for (const button of document.querySelectorAll<HTMLElement>("[data-comments]")) {
    button.hidden = false;
    // Keeps the selection in the text when the button is pressed.
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
    panelReloaded(place);
    paint();
    if (opensWhenLoaded) comment();
  });
  place.addEventListener("click", (event) => {
    const target = event.target as Element;
    const show = target.closest("[data-show]");
    const thread = target.closest<HTMLElement>("[data-thread]");
    const span: Span | undefined =
      marks.find((mark) => mark.id === thread?.dataset.thread) ?? (thread ? text?.placeOf(thread) : undefined);
    if (show && span) {
      event.preventDefault();
      text?.show(span);
    }
    if (target.closest("[data-cancels]")) cancelNewComment(place);
  });
  place.addEventListener("keydown", (event) => {
    const openForm = (event.target as Element).closest<HTMLDetailsElement>("details.saying[open]");
    if (event.key === "Escape" && openForm && !openForm.querySelector("textarea")?.value.trim()) {
      event.preventDefault();
      openForm.open = false;
      openForm.querySelector("summary")?.focus();
    }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target instanceof HTMLTextAreaElement) {
      event.preventDefault();
      event.stopPropagation();
      event.target.form?.requestSubmit();
    }
  });
  // Polling must not replace a form in use, and stops in a hidden window.
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { requestConfig } = (event as CustomEvent<{ requestConfig: { verb: string } }>).detail;
    const asks = event.target instanceof Element && event.target.id === "comments" && requestConfig.verb === "get";
    if (asks && (document.hidden || isWriting(place))) event.preventDefault();
  });
}

function threads(place: HTMLElement): HTMLElement[] {
  return [...place.querySelectorAll<HTMLElement>("[data-thread]")];
}

/** Tell whether a form of the panel is open; what is typed in it must not be lost. */
function isWriting(place: HTMLElement): boolean {
  return place.querySelector("details.saying[open]") !== null;
}

/** Update the comment counts and move the focus to the new comment after the panel was reloaded. */
function panelReloaded(place: HTMLElement): void {
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
  const comment = document.getElementById(`comment-${focus}`);
  comment?.closest("details")?.setAttribute("open", "");
  comment?.focus({ preventScroll: true });
  comment?.scrollIntoView({ block: "nearest" });
}

/** Open the form for a new comment on the selection, else on the paragraph at the caret, else on the whole section. */
function openNewComment(box: HTMLDetailsElement, text: PageText | undefined): void {
  const form = box.querySelector("form");
  const body = form?.querySelector("textarea");
  if (!form || !body) return;
  const anchor = text?.anchor() ?? WHOLE_SECTION;
  for (const [name, value] of Object.entries(anchor)) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement) field.value = String(value);
  }
  const quote = form.querySelector<HTMLElement>("[data-quote]");
  if (quote) [quote.textContent, quote.hidden] = [shortened(plainWords(anchor.quote) || anchor.quote), !anchor.quote];
  const about = form.querySelector("[data-about]");
  if (about) about.textContent = anchor.quote ? "About these words:" : "About the section as a whole.";
  box.open = true;
  body.focus();
}

function cancelNewComment(place: HTMLElement): void {
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
