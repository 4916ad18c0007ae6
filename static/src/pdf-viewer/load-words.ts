const PAUSE = 60; // ms between two pages

/**
 * Load the words of the pages one after another while nothing else is done, so that the browser's search finds them on
 * pages that were not scrolled to yet.
 */
export function loadAllWords(pages: HTMLElement): void {
  const next = (): void => {
    const waiting = pages.querySelector("[hx-trigger*='load-words']");
    if (!waiting) return;
    waiting.addEventListener("htmx:afterRequest", () => setTimeout(soon, PAUSE), { once: true });
    waiting.dispatchEvent(new Event("load-words"));
    waiting.removeAttribute("hx-trigger");
  };
  const soon = (): void => void ("requestIdleCallback" in window ? requestIdleCallback(next) : setTimeout(next, PAUSE));
  if (document.readyState === "complete") soon();
  else addEventListener("load", soon, { once: true });
}
