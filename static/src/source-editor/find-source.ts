import { isolateHistory } from "@codemirror/commands";
import { SearchQuery } from "@codemirror/search";
import { EditorSelection, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import { nextIndex, selectedIndex, type Finder, type FindQuery, type FoundRange } from "../find/finder";

const SETTLE = 150; // ms without typing before an edited text is searched again
const MOST = 50_000; // matches that are counted

const setFound = StateEffect.define<{ matches: readonly FoundRange[]; current: number }>();
const mark = Decoration.mark({ class: "cm-searchMatch" });
const currentMark = Decoration.mark({ class: "cm-searchMatch cm-searchMatch-selected" });

/** The extension that marks the matches of a search. */
export const foundInSource = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    const set = transaction.effects.find((effect) => effect.is(setFound));
    if (!set) return value.map(transaction.changes);
    const { matches, current } = set.value as { matches: readonly FoundRange[]; current: number };
    return Decoration.set(
      matches.map(({ from, to }, index) => (index === current ? currentMark : mark).range(from, to)),
    );
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Create the finder of the source view. Characters are searched and written as they are. */
export function sourceFinder(view: EditorView): Finder & { textChanged(): void; selectionChanged(): void } {
  let query: SearchQuery | null = null;
  let matches: FoundRange[] = [];
  let begun = 0; // where the search began
  let timer = 0;
  let tell: () => void = () => undefined;

  const selection = (): FoundRange => view.state.selection.main;

  const currentIndex = (): number => selectedIndex(matches, selection().from, selection().to);

  function searchAgain(): void {
    clearTimeout(timer);
    timer = 0;
    matches = [];
    const cursor = query?.valid ? query.getCursor(view.state) : null;
    for (let next = cursor?.next(); next && !next.done && matches.length < MOST; next = cursor!.next())
      matches.push({ from: next.value.from, to: next.value.to });
    view.dispatch({ effects: setFound.of({ matches, current: currentIndex() }) });
    tell();
  }

  function select(index: number): void {
    const match = matches[index];
    if (!match) return;
    view.dispatch({
      selection: EditorSelection.single(match.from, match.to),
      effects: [EditorView.scrollIntoView(match.from, { y: "center" }), setFound.of({ matches, current: index })],
    });
    tell();
  }

  function write(ranges: readonly FoundRange[], text: string): void {
    const insert = view.state.toText(text);
    const changes = ranges.map(({ from, to }) => ({ from, to, insert }));
    const at = ranges[0]!.from + (ranges.length > 1 ? 0 : insert.length);
    view.dispatch({
      changes,
      selection: { anchor: at },
      userEvent: "input.replace",
      annotations: isolateHistory.of("full"),
    });
    searchAgain();
  }

  return {
    get total() {
      return matches.length;
    },
    get current() {
      return currentIndex() + 1;
    },
    hidden: 0,
    get selectedWords() {
      const { from, to } = selection();
      return view.state.sliceDoc(from, to);
    },
    search(asked: FindQuery | null) {
      if (!query) begun = selection().from;
      query =
        asked &&
        new SearchQuery({
          search: asked.words,
          caseSensitive: asked.matchCase,
          wholeWord: asked.wholeWords,
          literal: true,
        });
      searchAgain();
    },
    showFirst() {
      select(nextIndex(matches, begun, begun, 1));
    },
    step(by) {
      if (timer) searchAgain();
      select(nextIndex(matches, selection().from, selection().to, by));
      begun = selection().from;
    },
    replace(text) {
      if (timer) searchAgain();
      const match = matches[currentIndex()];
      if (match) write([match], text);
      this.step(1);
    },
    replaceAll(text) {
      if (timer) searchAgain();
      const number = matches.length;
      if (number) write(matches, text);
      return number;
    },
    onChange(listener) {
      tell = listener;
    },
    textChanged() {
      if (!query) return;
      clearTimeout(timer);
      timer = window.setTimeout(searchAgain, SETTLE);
    },
    selectionChanged() {
      if (query) tell();
    },
  };
}
