import type { Autosave } from "./autosave";

let resolvePromise: (safe: Autosave) => void;

/** The autosave of this page, once its text has loaded. Stays pending on read-only pages. */
export const pageAutosave = new Promise<Autosave>((resolve) => (resolvePromise = resolve));

/** Resolve `pageAutosave`. */
export function setPageAutosave(autosave: Autosave): void {
  resolvePromise(autosave);
}
