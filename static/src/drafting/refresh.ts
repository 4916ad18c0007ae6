interface Asking {
  ajax(verb: "GET", path: string, how: { target: Element; swap: string }): Promise<void>;
}

/** Ask the server for `place` anew: for a proposal by its own page's address. */
export async function fetchInto(place: Element, swap: "outerHTML" | "innerHTML", path = pathOf(place)): Promise<void> {
  const { htmx } = window as unknown as { htmx?: Asking };
  if (path) await htmx?.ajax("GET", path, { target: place, swap });
}

function pathOf(place: Element): string {
  return `/drafts/${place.getAttribute("draft") ?? ""}/`;
}

/** Tell who cannot see the page; politely, and without a word on it. */
export function sayAloud(words: string): void {
  const voice = document.querySelector("section-editor [data-part=voice]");
  if (voice) voice.textContent = words;
}

/** The short notice at the edge of the page. */
export function toast(text: string): void {
  document.body.dispatchEvent(new CustomEvent("toast", { detail: { text }, bubbles: true }));
}
