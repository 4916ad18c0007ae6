import type { KeepSafe } from "./autosave";

let tell: (safe: KeepSafe) => void;

/** Who keeps the text of this page safe, once the text stands there; never where nobody can write. */
export const kept = new Promise<KeepSafe>((resolve) => (tell = resolve));

export function keeps(safe: KeepSafe): void {
  tell(safe);
}
