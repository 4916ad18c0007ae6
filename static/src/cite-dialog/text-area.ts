import { opensBraces, citeEdit } from "./cite-command";

interface OpenableDialog extends HTMLElement {
  open(options?: { inBraces?: boolean }): void;
}

/**
 * Connect the dialog to the text area named by its `for`. Ctrl+Shift+C, a `[data-cites]` button and the typed braces of
 * a cite command open it; its `cite` event inserts at the caret as typing would, so that it can be undone. Then `cited`
 * is dispatched on the body, and the field `also` of [data-cited] lists the inserted keys that are not saved yet.
 */
export function citeInTextArea(dialog: OpenableDialog): void {
  const text = document.getElementById(dialog.getAttribute("for") ?? "");
  if (!(text instanceof HTMLTextAreaElement)) return;
  // Some browsers lose the caret of a text area under an open dialog, so it is remembered here.
  let [start, end] = [0, 0];
  let touched = document.activeElement === text;
  text.addEventListener("focus", () => (touched = true));
  const open = (options?: { inBraces: boolean }): void => {
    if (document.querySelector("dialog[open]")) return;
    // A text area that was never focused reports the caret at the start; cite at the end instead.
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
    const edit = citeEdit(text.value, start, end, keys, locator);
    replaceRange(text, edit.start, edit.end, edit.text);
    text.setSelectionRange(edit.caret, edit.caret);
    start = end = edit.caret;
    addUnsavedKeys(keys);
    document.body.dispatchEvent(new CustomEvent("cited"));
  });
  dialog.addEventListener("cite:left", () => {
    text.focus();
    text.setSelectionRange(start, end);
  });
  clearSavedKeys(text.form);
}

/** Replace the range from `start` to `end` with `added`, as if it had been typed. */
function replaceRange(text: HTMLTextAreaElement, start: number, end: number, added: string): void {
  text.focus();
  text.setSelectionRange(start, end);
  // Only this keeps the browser's undo. Where it is missing, the text is set and an input event dispatched.
  if (document.execCommand("insertText", false, added)) return;
  text.setRangeText(added, start, end, "end");
  text.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText", data: added }));
}

/** Remove saved keys from the field: the server finds them in the saved text. */
function clearSavedKeys(form: HTMLFormElement | null): void {
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

function addUnsavedKeys(keys: readonly string[]): void {
  const field = document.querySelector<HTMLInputElement>("[data-cited]");
  if (field) field.value = [...new Set([...field.value.split(",").filter(Boolean), ...keys])].join(",");
}
