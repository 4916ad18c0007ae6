import { knownCite } from "./chips";

const UNDER_WAY = 3_000; // ms a save may take: what was cited later is not in it

const since = new Map<string, number>(); // keys that were cited here and may not be saved, with the time

/**
 * Tell the page that `keys` were cited: the panel beside the text hears `cited`, and its field `also` names what is not
 * saved yet.
 */
export function tellCited(keys: readonly string[]): void {
  for (const key of keys) since.set(key, performance.now());
  write();
  knownCite.renew();
  document.body.dispatchEvent(new CustomEvent("cited"));
}

/** After a save the panel reads from the text what it reads there. Call once for a page. */
export function forgetWhatIsSaved(): void {
  document.body.addEventListener("section-saved", () => {
    const now = performance.now();
    for (const [key, at] of since) if (now - at > UNDER_WAY) since.delete(key);
    write();
  });
}

function write(): void {
  const field = document.querySelector<HTMLInputElement>("[data-cited]");
  if (field) field.value = [...since.keys()].join(",");
}
