import { mapCaret } from "./caret-position";
import { restoreEndings } from "./line-endings";

/** The text of one section in an editor: `<section-editor>` or a plain text area (`textareaEditable`). */
export interface Editable {
  /** The current LaTeX with its line endings. */
  readonly latex: string;
  /** Replace the text, changing only what differs; the caret stays on its words. */
  replace(text: string, options?: { undoable?: boolean }): void;
  /** `edited` is dispatched on every change by the person, never by `replace`. */
  addEventListener(type: "edited", listener: () => void): void;
  removeEventListener(type: "edited", listener: () => void): void;
}

/**
 * Make a text area editable for autosave. `given` is its text when the page loaded. A text area turns all line endings
 * into line feeds; `latex` restores them.
 */
export function textareaEditable(box: HTMLTextAreaElement, given: string): Editable {
  let before = given;
  const listeners = new Map<() => void, () => void>();
  let quiet = false;
  return {
    get latex() {
      return restoreEndings(box.value, before);
    },
    replace(text) {
      const [start, end, top] = [box.selectionStart, box.selectionEnd, box.scrollTop];
      const was = box.value;
      const now = text.replace(/\r\n?/g, "\n");
      quiet = true;
      box.value = now;
      quiet = false;
      before = text;
      box.setSelectionRange(mapCaret(was, now, start), mapCaret(was, now, end));
      box.scrollTop = top;
    },
    addEventListener(_type, listener) {
      const forward = () => !quiet && listener();
      listeners.set(listener, forward);
      box.addEventListener("input", forward);
    },
    removeEventListener(_type, listener) {
      const forward = listeners.get(listener);
      if (forward) box.removeEventListener("input", forward);
      listeners.delete(listener);
    },
  };
}
