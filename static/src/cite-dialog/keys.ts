/** What a key does in the box of the dialog. */
export type Act = "next" | "previous" | "insert" | "stay" | "gather" | "drop" | "close" | "literal" | null;

export interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  isComposing: boolean;
}

/**
 * `reached`: the current row was reached by the arrow keys and nothing was typed since. Then Space puts it into the
 * tray; at all other times Space is a space, since somebody is typing. `empty`: nothing stands in the box. `inBraces`:
 * the box was opened by typing `\cite{`, and `}` ends what was typed as if there had been no box.
 */
export function actOf(pressed: Pressed, at: { reached: boolean; empty: boolean; inBraces: boolean }): Act {
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

/** The place of the row after a step among `count` rows; from nowhere to the first or last, beyond the ends stays. */
export function step(place: number, by: 1 | -1, count: number): number {
  if (count === 0) return -1;
  if (place < 0) return by > 0 ? 0 : count - 1;
  return Math.min(count - 1, Math.max(0, place + by));
}
