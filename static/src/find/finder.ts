const SETTLE = 150; // ms without typing before an edited text is searched again

/** What is searched in the text of a section. */
export interface FindQuery {
  words: string;
  matchCase: boolean;
  wholeWords: boolean;
}

/** A match, as positions in the document of a view. */
export interface FoundRange {
  from: number;
  to: number;
}

/** Finding and replacing in a view. The current match is the selected one. */
export interface Finder {
  /** Search and mark all matches; null ends it. The matches follow the text while it is edited. */
  search(query: FindQuery | null): void;
  readonly total: number;
  /** The number of the current match, from 1; 0 when no match is selected. */
  readonly current: number;
  /** The number of matches in LaTeX that the view does not show as words. */
  readonly hidden: number;
  /** The selected words, if they are on one line. */
  readonly selectedWords: string;
  /** Select the first match from the place where the search began. */
  showFirst(): void;
  /** Select the next match, or the one before; after the last comes the first. */
  step(by: 1 | -1): void;
  /** Replace the current match and select the next one; without a current one only select it. */
  replace(text: string): void;
  /** Replace all matches as one undo step, and return their number. */
  replaceAll(text: string): number;
  /** Call `tell` when the matches or the current one changed. */
  onChange(tell: () => void): void;
}

/** What a finder needs of a view: its selection, and how matches are found, marked, selected and written. */
export interface Searched {
  selection(): FoundRange;
  selectedWords(): string;
  /** Find the matches of `query` (null: none), and the number of those that the view does not show as words. */
  find(query: FindQuery | null): { matches: FoundRange[]; hidden: number };
  /** Mark the matches; the one at `current` is the selected one, -1 for none. */
  mark(matches: readonly FoundRange[], current: number): void;
  /** Select a match and scroll to it. */
  select(match: FoundRange, matches: readonly FoundRange[], index: number): void;
  /** Write `text` over ranges as one undo step, and put the caret behind it; with several ranges before the first. */
  write(ranges: readonly FoundRange[], text: string): void;
}

/** A finder that its view tells when the text or the selection changed. */
export type FinderOfView = Finder & { textChanged(): void; selectionChanged(): void };

/** Create the finder of a view. */
export function createFinder(view: Searched): FinderOfView {
  let query: FindQuery | null = null;
  let matches: FoundRange[] = [];
  let hidden = 0;
  let begun = 0; // where the search began
  let timer = 0; // of an edited text that is not searched yet
  let tell: () => void = () => undefined;

  const currentIndex = (): number => selectedIndex(matches, view.selection().from, view.selection().to);

  function searchAgain(): void {
    clearTimeout(timer);
    timer = 0;
    ({ matches, hidden } = view.find(query));
    view.mark(matches, currentIndex());
    tell();
  }

  /** Search again first if the text was edited since. */
  function upToDate(): void {
    if (timer) searchAgain();
  }

  function select(index: number): void {
    const match = matches[index];
    if (!match) return;
    view.select(match, matches, index);
    tell();
  }

  function write(ranges: readonly FoundRange[], text: string): void {
    view.write(ranges, text);
    searchAgain();
  }

  return {
    get total() {
      return matches.length;
    },
    get current() {
      return currentIndex() + 1;
    },
    get hidden() {
      return hidden;
    },
    get selectedWords() {
      return view.selectedWords();
    },
    search(asked) {
      if (!query) begun = view.selection().from;
      query = asked;
      searchAgain();
    },
    showFirst() {
      select(nextIndex(matches, begun, begun, 1));
    },
    step(by) {
      upToDate();
      const { from, to } = view.selection();
      select(nextIndex(matches, from, to, by));
      begun = view.selection().from;
    },
    replace(text) {
      upToDate();
      const match = matches[currentIndex()];
      if (match) write([match], text);
      this.step(1);
    },
    replaceAll(text) {
      upToDate();
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

/** Return the index of the match that is selected; -1 when none is. */
export function selectedIndex(matches: readonly FoundRange[], from: number, to: number): number {
  const at = firstFrom(matches, from);
  return matches[at]?.from === from && matches[at].to === to ? at : -1;
}

/** Return the index of the next match before or after the selection, starting again at the ends; -1 without matches. */
export function nextIndex(matches: readonly FoundRange[], from: number, to: number, by: 1 | -1): number {
  if (!matches.length) return -1;
  const selected = selectedIndex(matches, from, to);
  if (selected >= 0) return (selected + by + matches.length) % matches.length;
  const after = firstFrom(matches, from);
  return by > 0 ? after % matches.length : (after - 1 + matches.length) % matches.length;
}

/** Return the index of the first match that begins at `at` or later; the number of matches when there is none. */
export function firstFrom(matches: readonly FoundRange[], at: number): number {
  let [low, high] = [0, matches.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (matches[middle]!.from < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
