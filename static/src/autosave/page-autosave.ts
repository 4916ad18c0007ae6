import type { Autosave } from "./autosave";

let tell: (safe: Autosave) => void;

/** Who keeps the text of this page safe, once the text stands there; never where nobody can write. */
export const pageAutosave = new Promise<Autosave>((resolve) => (tell = resolve));

export function setPageAutosave(safe: Autosave): void {
  tell(safe);
}
