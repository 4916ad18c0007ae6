/** What a key does in the search field of the dialog. */
export type KeyAction = "next" | "previous" | "insert" | "stay" | "gather" | "drop" | "close" | "literal" | null;

/** The parts of a keyboard event that matter here. */
export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  isComposing: boolean;
}

/**
 * Return the action of a key. `reached`: the current row was reached with the arrow keys and nothing was typed since;
 * only then Space puts it into the tray. `empty`: the field is empty. `inBraces`: the dialog was opened by typing
 * `\cite{`, and `}` inserts the typed key as it is.
 */
export function actionOf(pressed: KeyPress, at: { reached: boolean; empty: boolean; inBraces: boolean }): KeyAction {
  if (pressed.isComposing) return null;
  const control = pressed.ctrlKey || pressed.metaKey;
  if (pressed.key === "Escape") return "close";
  if (pressed.key === "Enter" && !pressed.altKey && !pressed.shiftKey) return control ? "stay" : "insert";
  if (control || pressed.altKey) return null;
  if (pressed.key === "ArrowDown") return "next";
  if (pressed.key === "ArrowUp") return "previous";
  if (pressed.key === " " && at.reached && !pressed.shiftKey) return "gather";
  if (pressed.key === "Backspace" && at.empty) return "drop";
  return pressed.key === "}" && at.inBraces ? "literal" : null;
}

/** Move one row up or down among `count` rows. Without a current row go to the first or last; stop at the ends. */
export function stepRow(place: number, by: 1 | -1, count: number): number {
  if (count === 0) return -1;
  if (place < 0) return by > 0 ? 0 : count - 1;
  return Math.min(count - 1, Math.max(0, place + by));
}
