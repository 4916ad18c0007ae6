const PAUSE = 60; // ms between two pages

/**
 * Load the words of the pages one after another while nothing else is done, so that the browser's search finds them on
 * pages that were not scrolled to yet.
 */
export function loadAllWords(pages: HTMLElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const next = (): void => {
    timer = undefined;
    const waiting = pages.querySelector("[hx-trigger*='load-words']");
    waiting?.removeAttribute("hx-trigger");
    waiting?.dispatchEvent(new Event("load-words"));
  };
  const soon = (): void => {
    timer ??= setTimeout(() => ("requestIdleCallback" in window ? requestIdleCallback(next) : next()), PAUSE);
  };
  // The words take the place of what asked for them, so the event comes from around it.
  pages.addEventListener("htmx:afterRequest", soon);
  if (document.readyState === "complete") soon();
  else addEventListener("load", soon, { once: true });
}
