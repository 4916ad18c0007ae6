import { opensBraces } from "../cite-dialog/cite-command";
import type { ViewKind, Place } from "../editor/view";
import { chipStore } from "./chips";
import { keepTypedSearch, removeTypedSearch, type Dialog } from "./library";
import { clearSavedKeys, notifyCited } from "./notify-page";

/** The parts of `<section-editor>` that citing needs. */
export interface CitingEditor extends HTMLElement {
  readonly latex: string;
  readonly view: ViewKind;
  readonly caret: { before: string };
  insertCite(keys: readonly string[], command?: string, locator?: string): void;
  show(place: Place): void;
}

/**
 * Connect the dialog to the editor in all of its views. Ctrl+Shift+C and a `[data-cites]` button open it; its `cite`
 * event inserts at the caret. Then `cited` is dispatched on the body, and the field `also` of [data-cited] lists keys
 * that may not be saved yet.
 */
export function citeInEditor(dialog: Dialog, text: CitingEditor): void {
  chipStore.at = dialog.getAttribute("chips") ?? "";
  // An editor that was never focused reports the caret at the start; cite at the end instead.
  let wasFocused = inText(document.activeElement);
  text.addEventListener("focusin", (event) => (wasFocused ||= inText(event.target)));
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
  // The plain text area has no inline list, so the dialog opens.
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
    removeTypedSearch();
    if (!wasFocused) text.show(text.latex.length);
    text.insertCite(keys, "cite", locator);
    text.focus();
    notifyCited(keys);
  });
  dialog.addEventListener("cite:left", () => {
    keepTypedSearch();
    text.focus();
  });

  clearSavedKeys();
  document.body.addEventListener("section-saved", () => chipStore.reload());
  // The References panel changed: a work was looked up.
  document.body.addEventListener("htmx:afterSwap", (event) => {
    if ((event as CustomEvent<{ target: Element }>).detail.target.id === "cited") chipStore.reload();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) chipStore.reload();
  });
}

function inText(target: EventTarget | null): boolean {
  return target instanceof Element && !!target.closest("latex-source, textarea, [contenteditable=true]");
}
