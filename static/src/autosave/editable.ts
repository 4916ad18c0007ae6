import { carried } from "./caret-position";
import { asBefore } from "./endings";

/**
 * What can be kept safe: the text of one section, wherever a person edits it. `<section-editor>` is one, and so is a
 * plain text area (`textareaEditable`).
 */
export interface Editable {
  /** The whole text as it stands now, LaTeX, line endings included. */
  readonly latex: string;
  /** Put `text` in its place; only what differs is touched, and the caret stays on the words it was on. */
  replace(text: string, options?: { undoable?: boolean }): void;
  /** `edited` is told on every change by the person; never by `replace`. */
  addEventListener(type: "edited", listener: () => void): void;
  removeEventListener(type: "edited", listener: () => void): void;
}

/**
 * The text of `box`, which was `given` when the page came. A box turns all line endings into line feeds; they are put
 * back.
 */
export function textareaEditable(box: HTMLTextAreaElement, given: string): Editable {
  let before = given;
  const heard = new Map<() => void, () => void>();
  let quiet = false;
  return {
    get latex() {
      return asBefore(box.value, before);
    },
    replace(text) {
      const [start, end, top] = [box.selectionStart, box.selectionEnd, box.scrollTop];
      const was = box.value;
      const now = text.replace(/\r\n?/g, "\n");
      quiet = true;
      box.value = now;
      quiet = false;
      before = text;
      box.setSelectionRange(carried(was, now, start), carried(was, now, end));
      box.scrollTop = top;
    },
    addEventListener(_type, listener) {
      const told = () => !quiet && listener();
      heard.set(listener, told);
      box.addEventListener("input", told);
    },
    removeEventListener(_type, listener) {
      const told = heard.get(listener);
      if (told) box.removeEventListener("input", told);
      heard.delete(listener);
    },
  };
}
