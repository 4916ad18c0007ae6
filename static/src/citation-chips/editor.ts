import { opensBraces } from "../cite-dialog/cite-command";
import type { Kind, Place } from "../editor/view";
import { knownCite } from "./chips";
import { keepTyped, takeTyped, type Dialog } from "./library";
import { forgetWhatIsSaved, tellCited } from "./notify-page";

/** What citing needs of `<section-editor>`. */
export interface Text extends HTMLElement {
  readonly latex: string;
  readonly view: Kind;
  readonly caret: { before: string };
  insertCite(keys: readonly string[], command?: string, locator?: string): void;
  show(place: Place): void;
}

/**
 * Cite in `text`, whichever view of it is on: Ctrl+Shift+C and a `[data-cites]` button open the dialog, its `cite`
 * event writes at the caret. Afterwards the body hears `cited`, and the field `also` of [data-cited] holds what may not
 * be saved yet.
 */
export function citeInEditor(dialog: Dialog, text: Text): void {
  knownCite.at = dialog.getAttribute("chips") ?? "";
  // Where nobody has put the caret yet, the end of the text is meant, not its beginning.
  let touched = inText(document.activeElement);
  text.addEventListener("focusin", (event) => (touched ||= inText(event.target)));
  const open = (options?: { inBraces: boolean }): void => {
    if (!document.querySelector("dialog[open]")) dialog.open(options);
  };

  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || !event.shiftKey || event.altKey || event.key.toLowerCase() !== "c") return;
    event.preventDefault();
    open();
  });
  document.addEventListener("click", (event) => {
    if ((event.target as Element).closest("[data-cites]")) open();
  });
  // The plain box has no list of its own that opens at the caret.
  text.addEventListener("input", (event) => {
    if (
      text.view !== "text" ||
      !(event instanceof InputEvent) ||
      event.inputType !== "insertText" ||
      event.data !== "{"
    )
      return;
    const { before } = text.caret;
    if (opensBraces(before, before.length)) open({ inBraces: true });
  });

  dialog.addEventListener("cite", (event) => {
    const { keys, locator } = (event as CustomEvent<{ keys: string[]; locator: string }>).detail;
    takeTyped();
    if (!touched) text.show(text.latex.length);
    text.insertCite(keys, "cite", locator);
    text.focus();
    tellCited(keys);
  });
  dialog.addEventListener("cite:left", () => {
    keepTyped();
    text.focus();
  });

  forgetWhatIsSaved();
  document.body.addEventListener("section-saved", () => knownCite.renew());
  // The panel beside the text shows something else than before: a work was looked up.
  document.body.addEventListener("htmx:afterSwap", (event) => {
    if ((event as CustomEvent<{ target: Element }>).detail.target.id === "cited") knownCite.renew();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) knownCite.renew();
  });
}

function inText(target: EventTarget | null): boolean {
  return target instanceof Element && !!target.closest("latex-source, textarea, [contenteditable=true]");
}
