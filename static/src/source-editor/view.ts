import {
  history,
  historyKeymap,
  isolateHistory,
  redo,
  redoDepth,
  standardKeymap,
  undo,
  undoDepth,
} from "@codemirror/commands";
import { bracketMatching, StreamLanguage } from "@codemirror/language";
import { stex } from "@codemirror/legacy-modes/mode/stex";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Annotation, EditorState, StateEffect, StateField, Transaction } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { citeEdit as cited } from "../cite-dialog/cite-command";
import {
  findPlace,
  type ToolbarAction,
  type Caret,
  type ViewHost,
  type Mark,
  type Place,
  type SelectedText,
  type View,
} from "../editor/view";
import { faultBanner } from "./banner";
import { changesTo } from "./minimal-changes";
import { foundInSource, sourceFinder } from "./find-source";
import { toEditorPosition, keepEndings, toTextOffset, textOf } from "./line-endings";
import { keyCompletion } from "./keys";
import { sourceTheme } from "./theme";

const NEAR = 3_000; // characters around the caret that are searched for a cite command
const WRAPS: Partial<Record<ToolbarAction, [before: string, after: string]>> = {
  bold: ["\\textbf{", "}"],
  italic: ["\\emph{", "}"],
  code: ["\\texttt{", "}"],
  superscript: ["\\textsuperscript{", "}"],
  subscript: ["\\textsubscript{", "}"],
  footnote: ["\\footnote{", "}"],
  maths: ["$", "$"],
};

const FIND_KEYS = new Set(["Mod-f", "F3", "Mod-g", "Escape"]); // of the page's find bar

/** Makes a transaction an undo step of its own. */
const ownUndoStep = isolateHistory.of("full");

/** Marks changes by `replace`, which are not reported as edits. */
const silent = Annotation.define<true>();

const setHighlights = StateEffect.define<DecorationSet>();
const highlightField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    const set = transaction.effects.find((effect) => effect.is(setHighlights));
    return set ? (set.value as DecorationSet) : value.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The element with CodeMirror in its shadow root. */
export class LatexSource extends HTMLElement {
  readonly root = this.attachShadow({ mode: "open" });
}

/** Create the source view with CodeMirror. Text that was not edited stays byte for byte as it was. */
export function sourceView(host: ViewHost): View {
  const element = document.createElement("latex-source") as LatexSource;
  host.place.append(element);
  const { doc, extension } = keepEndings(host.latex);
  const name = host.box.labels[0]?.textContent?.trim() ?? "LaTeX";
  const content = {
    "aria-label": name,
    spellcheck: String(host.box.spellcheck),
    lang: host.box.lang || "en-GB",
    autocapitalize: "sentences",
  };
  let text: { of: EditorState["doc"]; is: string } | null = null;
  let marks: readonly Mark[] = [];

  const view = new EditorView({
    root: element.root,
    parent: element.root,
    state: EditorState.create({
      doc,
      extensions: [
        extension,
        highlightField,
        history(),
        StreamLanguage.define(stex),
        bracketMatching({ maxScanDistance: 5_000 }),
        highlightSpecialChars(),
        foundInSource,
        highlightSelectionMatches({ minSelectionLength: 3 }),
        keyCompletion,
        lineNumbers(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of(content),
        EditorState.tabSize.of(4),
        placeholder(host.box.placeholder),
        // Tab moves the focus on, as elsewhere; no key of the page's own shortcuts is bound.
        keymap.of([
          ...searchKeymap.filter(({ key }) => !FIND_KEYS.has(key ?? "")),
          ...historyKeymap,
          ...standardKeymap,
        ]),
        sourceTheme,
        EditorView.updateListener.of((update) => {
          if (update.docChanged) banner.changed();
          if (update.docChanged) finder.textChanged();
          else if (update.selectionSet) finder.selectionChanged();
          if (update.docChanged && !update.transactions.every((one) => one.annotation(silent))) host.onEdit();
          if (update.selectionSet || update.docChanged) host.onCaretMove();
        }),
      ],
    }),
  });

  const finder = sourceFinder(view);

  const latex = (): string => {
    const { state } = view;
    if (text?.of !== state.doc) text = { of: state.doc, is: textOf(state) };
    return text.is;
  };
  const selection = () => view.state.selection.main;
  const textRange = (): { start: number; end: number } => ({
    start: toTextOffset(view.state, selection().from),
    end: toTextOffset(view.state, selection().to),
  });

  function show(place: Place): void {
    const span = findPlace(latex(), place);
    if (!span) return;
    const [anchor, head] = [toEditorPosition(view.state, span.start), toEditorPosition(view.state, span.end)];
    view.dispatch({ selection: { anchor, head }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    view.focus();
  }

  function replaceRange(from: number, to: number, added: string, caret: number): void {
    const insert = view.state.toText(added);
    // Editor positions count every line ending as one character.
    const anchor = from + view.state.toText(added.slice(0, caret)).length;
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor },
      userEvent: "input",
      annotations: ownUndoStep,
      scrollIntoView: true,
    });
  }

  const banner = faultBanner(host.place, {
    get latex() {
      return latex();
    },
    show,
  });
  // Check the text when the visual view is asked for, so that the banner shows why it cannot open.
  const onVisualViewAsked = (event: Event): void => {
    const isKey = event instanceof KeyboardEvent && event.key === "/" && (event.ctrlKey || event.metaKey);
    if (isKey || (event.target as Element).closest("[data-view=visual]"))
      setTimeout(() => element.isConnected && banner.onVisualViewAsked());
  };
  host.editor.addEventListener("click", onVisualViewAsked);
  host.editor.addEventListener("keydown", onVisualViewAsked);

  return {
    kind: "source",
    finder,
    get latex(): string {
      return latex();
    },
    get caret(): Caret {
      const { head } = selection();
      const line = view.state.doc.lineAt(head);
      const at = view.coordsAtPos(head);
      const rect = at && new DOMRect(at.left, at.top, at.right - at.left, at.bottom - at.top);
      return { ...textRange(), before: line.text.slice(0, head - line.from).slice(-200), rect };
    },
    get selected(): SelectedText {
      const { from, to } = selection();
      return { ...textRange(), text: textOf(view.state, from, to) };
    },
    get marks(): readonly Mark[] {
      return marks;
    },
    set marks(list: readonly Mark[]) {
      marks = list;
      const ranges = list.flatMap(({ id, start, end }) => {
        const [from, to] = [toEditorPosition(view.state, start), toEditorPosition(view.state, end)];
        return from < to
          ? [Decoration.mark({ class: "cm-remark", attributes: { "data-mark": id } }).range(from, to)]
          : [];
      });
      view.dispatch({ effects: setHighlights.of(Decoration.set(ranges, true)) });
    },
    replace(wanted, { undoable = false } = {}): void {
      const spec = changesTo(view.state, latex(), wanted);
      if (!spec) return;
      const annotations = undoable
        ? [silent.of(true), ownUndoStep]
        : [silent.of(true), Transaction.addToHistory.of(false)];
      view.dispatch({ ...spec, annotations });
    },
    insert(added): void {
      const { to } = selection();
      replaceRange(to, to, added, added.length);
    },
    insertCite(keys, command, locator): void {
      const { state } = view;
      const { from, to } = selection();
      const start = Math.max(0, from - NEAR);
      const edit = cited(state.sliceDoc(start, to + NEAR), from - start, to - start, keys, locator);
      const fresh = edit.text.startsWith("\\cite") && command !== "cite";
      const added = fresh ? edit.text.replace("\\cite", () => `\\${command}`) : edit.text;
      const caret = edit.caret - edit.start + added.length - edit.text.length;
      view.dispatch({
        changes: { from: start + edit.start, to: start + edit.end, insert: added },
        selection: { anchor: start + edit.start + caret },
        userEvent: "input",
        annotations: ownUndoStep,
        scrollIntoView: true,
      });
    },
    focus(): void {
      view.focus();
    },
    show,
    canRun: (act) =>
      act in WRAPS || (act === "undo" && undoDepth(view.state) > 0) || (act === "redo" && redoDepth(view.state) > 0),
    isActive: () => false,
    run(act): void {
      if (act === "undo") undo(view);
      if (act === "redo") redo(view);
      const wrap = WRAPS[act];
      const { from, to } = selection();
      if (wrap) replaceRange(from, to, wrap[0] + view.state.sliceDoc(from, to) + wrap[1], wrap[0].length + (to - from));
      view.focus();
    },
    destroy(): void {
      host.editor.removeEventListener("click", onVisualViewAsked);
      host.editor.removeEventListener("keydown", onVisualViewAsked);
      banner.destroy();
      view.destroy();
      element.remove();
    },
  };
}

customElements.define("latex-source", LatexSource);
