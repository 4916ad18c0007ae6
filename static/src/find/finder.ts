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
