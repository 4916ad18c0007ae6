import { isolateHistory } from "@codemirror/commands";
import { SearchQuery } from "@codemirror/search";
import { EditorSelection, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import { createFinder, type FinderOfView, type FoundRange } from "../find/finder";

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
export function sourceFinder(view: EditorView): FinderOfView {
  return createFinder({
    selection: () => view.state.selection.main,
    selectedWords() {
      const { from, to } = view.state.selection.main;
      return view.state.sliceDoc(from, to);
    },
    find(asked) {
      const query = new SearchQuery({
        search: asked?.words ?? "",
        caseSensitive: asked?.matchCase ?? false,
        wholeWord: asked?.wholeWords ?? false,
        literal: true,
      });
      const matches: FoundRange[] = [];
      const cursor = query.valid ? query.getCursor(view.state) : null;
      for (let next = cursor?.next(); next && !next.done && matches.length < MOST; next = cursor!.next())
        matches.push({ from: next.value.from, to: next.value.to });
      return { matches, hidden: 0 };
    },
    mark(matches, current) {
      view.dispatch({ effects: setFound.of({ matches, current }) });
    },
    select(match, matches, index) {
      view.dispatch({
        selection: EditorSelection.single(match.from, match.to),
        effects: [EditorView.scrollIntoView(match.from, { y: "center" }), setFound.of({ matches, current: index })],
      });
    },
    write(ranges, text) {
      const insert = view.state.toText(text);
      view.dispatch({
        changes: ranges.map(({ from, to }) => ({ from, to, insert })),
        selection: { anchor: ranges[0]!.from + (ranges.length > 1 ? 0 : insert.length) },
        userEvent: "input.replace",
        annotations: isolateHistory.of("full"),
      });
    },
  });
}
