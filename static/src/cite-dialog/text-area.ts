import { opensBraces, place } from "./cite-command";

interface Opens extends HTMLElement {
  open(options?: { inBraces?: boolean }): void;
}

/**
 * Cite in the text area that `for` of the dialog names: Ctrl+Shift+C, a `[data-cites]` button and the braces of a cite
 * command typed by hand open it, and its `cite` event writes at the caret, as typing would, so that it can be undone.
 * Afterwards the body hears `cited`, and the field `also` of [data-cited] holds what was inserted and is not saved yet.
 */
export function citeInTextArea(dialog: Opens): void {
  const text = document.getElementById(dialog.getAttribute("for") ?? "");
  if (!(text instanceof HTMLTextAreaElement)) return;
  // A text under an open dialog loses its caret in some browsers, so it is kept here.
  let [start, end] = [0, 0];
  let touched = document.activeElement === text;
  text.addEventListener("focus", () => (touched = true));
  const open = (options?: { inBraces: boolean }): void => {
    if (document.querySelector("dialog[open]")) return;
    // Where nobody has put the caret yet, the end of the text is meant, not its beginning.
    [start, end] = touched ? [text.selectionStart, text.selectionEnd] : [text.value.length, text.value.length];
    dialog.open(options);
  };

  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || !event.shiftKey || event.altKey || event.key.toLowerCase() !== "c") return;
    event.preventDefault();
    open();
  });
  document.addEventListener("click", (event) => {
    if ((event.target as Element).closest("[data-cites]")) open();
  });
  text.addEventListener("input", (event) => {
    if (!(event instanceof InputEvent) || event.inputType !== "insertText" || event.data !== "{") return;
    if (opensBraces(text.value, text.selectionStart)) open({ inBraces: true });
  });
  dialog.addEventListener("cite", (event) => {
    const { keys, locator } = (event as CustomEvent<{ keys: string[]; locator: string }>).detail;
    const edit = place(text.value, start, end, keys, locator);
    write(text, edit.start, edit.end, edit.text);
    text.setSelectionRange(edit.caret, edit.caret);
    start = end = edit.caret;
    remember(keys);
    document.body.dispatchEvent(new CustomEvent("cited"));
  });
  dialog.addEventListener("cite:left", () => {
    text.focus();
    text.setSelectionRange(start, end);
  });
  forgetWhatIsSaved(text.form);
}

/** Put `added` in the place of what stands from `start` to `end`, as if it had been typed. */
function write(text: HTMLTextAreaElement, start: number, end: number, added: string): void {
  text.focus();
  text.setSelectionRange(start, end);
  // The one way that keeps the browser's undo; where it is gone, the text is still written and told.
  if (document.execCommand("insertText", false, added)) return;
  text.setRangeText(added, start, end, "end");
  text.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText", data: added }));
}

/** What a save has brought to the server, the panel reads from the text there. */
function forgetWhatIsSaved(form: HTMLFormElement | null): void {
  const field = document.querySelector<HTMLInputElement>("[data-cited]");
  let sent: string[] = [];
  form?.addEventListener("htmx:beforeRequest", () => (sent = field?.value.split(",") ?? []));
  form?.addEventListener("htmx:afterRequest", (event) => {
    if (!field || !(event as CustomEvent<{ successful: boolean }>).detail.successful) return;
    field.value = field.value
      .split(",")
      .filter((key) => !sent.includes(key))
      .join(",");
  });
}

function remember(keys: readonly string[]): void {
  const field = document.querySelector<HTMLInputElement>("[data-cited]");
  if (field) field.value = [...new Set([...field.value.split(",").filter(Boolean), ...keys])].join(",");
}
