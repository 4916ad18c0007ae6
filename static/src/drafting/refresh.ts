interface Htmx {
  ajax(verb: "GET", path: string, how: { target: Element; swap: string }): Promise<void>;
}

/** Reload `place` from the server; the default path is the page of the proposal. */
export async function fetchInto(place: Element, swap: "outerHTML" | "innerHTML", path = pathOf(place)): Promise<void> {
  const { htmx } = window as unknown as { htmx?: Htmx };
  if (path) await htmx?.ajax("GET", path, { target: place, swap });
}

function pathOf(place: Element): string {
  return `/drafts/${place.getAttribute("draft") ?? ""}/`;
}

/** Announce `words` to screen readers, politely and without showing them. */
export function announce(words: string): void {
  const voice = document.querySelector("section-editor [data-part=voice]");
  if (voice) voice.textContent = words;
}

/** Show a short notice at the edge of the page. */
export function toast(text: string): void {
  document.body.dispatchEvent(new CustomEvent("toast", { detail: { text }, bubbles: true }));
}
