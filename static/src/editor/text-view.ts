import { citeEdit as cited } from "../cite-dialog/cite-command";
import { restoreEndings } from "../autosave/line-endings";
import {
  smallestChange,
  findPlace,
  type Caret,
  type ViewHost,
  type Mark,
  type Place,
  type SelectedText,
  type View,
} from "./view";

/** Create the view of the form's plain text area, used while no other view can be shown. */
export function textView(host: ViewHost): View {
  const { box } = host;
  let marks: readonly Mark[] = [];
  let original = host.latex;
  // A text area has line feeds only; the original line endings are restored on reading.
  const latex = (): string => restoreEndings(box.value, original);
  const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, "\n");
  const toTextOffset = (offset: number): number => {
    const text = latex();
    if (!text.includes("\r")) return offset;
    let at = 0;
    for (let sign = 0; sign < offset; sign++) at += text[at] === "\r" && text[at + 1] === "\n" ? 2 : 1;
    return at;
  };
  const onInput = (): void => host.onEdit();
  const onSelectionChange = (): void => {
    if (document.activeElement === box) host.onCaretMove();
  };

  if (box.value !== withLineFeeds(host.latex)) box.value = withLineFeeds(host.latex);
  box.hidden = false;
  box.addEventListener("input", onInput);
  document.addEventListener("selectionchange", onSelectionChange);

  function replaceRange(start: number, end: number, text: string): void {
    box.focus();
    box.setSelectionRange(start, end);
    // Only this keeps the browser's undo. Where it is missing, the text is set and an input event dispatched.
    if (document.execCommand(text ? "insertText" : "delete", false, text)) return;
    box.setRangeText(text, start, end, "end");
    box.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText", data: text }));
  }

  return {
    kind: "text",
    get latex(): string {
      return latex();
    },
    get caret(): Caret {
      const before = box.value.slice(0, box.selectionStart);
      const line = before.slice(before.lastIndexOf("\n") + 1).slice(-200);
      return {
        start: toTextOffset(box.selectionStart),
        end: toTextOffset(box.selectionEnd),
        before: line,
        rect: box.getBoundingClientRect(),
      };
    },
    get selected(): SelectedText {
      const [start, end] = [toTextOffset(box.selectionStart), toTextOffset(box.selectionEnd)];
      return { start, end, text: latex().slice(start, end) };
    },
    get marks(): readonly Mark[] {
      return marks;
    },
    set marks(list: readonly Mark[]) {
      marks = list;
    },
    replace(text, { undoable = false } = {}): void {
      const change = smallestChange(box.value, withLineFeeds(text));
      original = text;
      if (!change) return;
      const { selectionStart, selectionEnd } = box;
      const grown = change.text.length - (change.end - change.start);
      const after = (at: number): number => (at <= change.start ? at : at >= change.end ? at + grown : change.start);
      if (undoable) replaceRange(change.start, change.end, change.text);
      else box.setRangeText(change.text, change.start, change.end, "preserve");
      box.setSelectionRange(after(selectionStart), after(selectionEnd));
    },
    insert(latex): void {
      replaceRange(box.selectionEnd, box.selectionEnd, withLineFeeds(latex));
    },
    insertCite(keys, command, locator): void {
      const edit = cited(box.value, box.selectionStart, box.selectionEnd, keys, locator);
      const text = command === "cite" ? edit.text : edit.text.replace(/^\\cite(?=[[{])/, () => `\\${command}`);
      replaceRange(edit.start, edit.end, text);
      const caret = edit.caret + text.length - edit.text.length;
      box.setSelectionRange(caret, caret);
    },
    focus(): void {
      box.focus();
    },
    show(place: Place): void {
      const text = latex();
      const span = findPlace(text, place);
      if (!span) return;
      box.focus();
      box.setSelectionRange(
        withLineFeeds(text.slice(0, span.start)).length,
        withLineFeeds(text.slice(0, span.end)).length,
      );
    },
    canRun: () => false,
    isActive: () => false,
    run: () => undefined,
    destroy(): void {
      box.removeEventListener("input", onInput);
      document.removeEventListener("selectionchange", onSelectionChange);
      box.hidden = true;
    },
  };
}
