import { citeEdit as cited } from "../cite-dialog/cite-command";
import { restoreEndings } from "../autosave/endings";
import { difference, offsetOf, type Caret, type Host, type Mark, type Place, type Selected, type View } from "./view";

/** The box of the form itself as a view: what there is while nothing else can be shown. */
export function textView(host: Host): View {
  const { box } = host;
  let marks: readonly Mark[] = [];
  let given = host.latex;
  // A box knows line feeds only; what goes out has the endings that the text came with, line by line.
  const latex = (): string => restoreEndings(box.value, given);
  const inside = (text: string): string => text.replace(/\r\n?/g, "\n");
  const out = (offset: number): number => {
    const text = latex();
    if (!text.includes("\r")) return offset;
    let at = 0;
    for (let sign = 0; sign < offset; sign++) at += text[at] === "\r" && text[at + 1] === "\n" ? 2 : 1;
    return at;
  };
  const typed = (): void => host.edited();
  const moved = (): void => {
    if (document.activeElement === box) host.moved();
  };

  if (box.value !== inside(host.latex)) box.value = inside(host.latex);
  box.hidden = false;
  box.addEventListener("input", typed);
  document.addEventListener("selectionchange", moved);

  function write(start: number, end: number, text: string): void {
    box.focus();
    box.setSelectionRange(start, end);
    // The one way that keeps the browser's undo; where it is gone, the text is still written and told.
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
        start: out(box.selectionStart),
        end: out(box.selectionEnd),
        before: line,
        rect: box.getBoundingClientRect(),
      };
    },
    get selected(): Selected {
      const [start, end] = [out(box.selectionStart), out(box.selectionEnd)];
      return { start, end, text: latex().slice(start, end) };
    },
    get marks(): readonly Mark[] {
      return marks;
    },
    set marks(list: readonly Mark[]) {
      marks = list;
    },
    replace(text, { undoable = false } = {}): void {
      const change = difference(box.value, inside(text));
      given = text;
      if (!change) return;
      const { selectionStart, selectionEnd } = box;
      const grown = change.text.length - (change.end - change.start);
      const after = (at: number): number => (at <= change.start ? at : at >= change.end ? at + grown : change.start);
      if (undoable) write(change.start, change.end, change.text);
      else box.setRangeText(change.text, change.start, change.end, "preserve");
      box.setSelectionRange(after(selectionStart), after(selectionEnd));
    },
    insert(latex): void {
      write(box.selectionEnd, box.selectionEnd, inside(latex));
    },
    insertCite(keys, command, locator): void {
      const edit = cited(box.value, box.selectionStart, box.selectionEnd, keys, locator);
      const text = command === "cite" ? edit.text : edit.text.replace(/^\\cite(?=[[{])/, () => `\\${command}`);
      write(edit.start, edit.end, text);
      const caret = edit.caret + text.length - edit.text.length;
      box.setSelectionRange(caret, caret);
    },
    focus(): void {
      box.focus();
    },
    show(place: Place): void {
      const text = latex();
      const span = offsetOf(text, place);
      if (!span) return;
      box.focus();
      box.setSelectionRange(inside(text.slice(0, span.start)).length, inside(text.slice(0, span.end)).length);
    },
    does: () => false,
    state: () => false,
    run: () => undefined,
    destroy(): void {
      box.removeEventListener("input", typed);
      document.removeEventListener("selectionchange", moved);
      box.hidden = true;
    },
  };
}
