import { chipStore } from "./chips";

const UNDER_WAY = 3_000; // ms a save may take; keys cited within that time may not be in it

const citedAt = new Map<string, number>(); // keys that were cited here and may not be saved yet, with the time

/** Dispatch `cited` for the References panel; its field `also` lists the keys that may not be saved yet. */
export function notifyCited(keys: readonly string[]): void {
  for (const key of keys) citedAt.set(key, performance.now());
  updateField();
  chipStore.reload();
  document.body.dispatchEvent(new CustomEvent("cited"));
}

/** Remove saved keys from the list after each save. Call once per page. */
export function clearSavedKeys(): void {
  document.body.addEventListener("section-saved", () => {
    const now = performance.now();
    for (const [key, at] of citedAt) if (now - at > UNDER_WAY) citedAt.delete(key);
    updateField();
  });
}

function updateField(): void {
  const field = document.querySelector<HTMLInputElement>("[data-cited]");
  if (field) field.value = [...citedAt.keys()].join(",");
}
