/**
 * Keep the scroll position when htmx swaps content from within `[data-keeps-place]`. The focused element, else the one
 * under the pointer, stays where it is in the window.
 */
export function keepScroll(): void {
  let anchor: { element: Element; id: string; top: number } | undefined;

  document.addEventListener("htmx:beforeSwap", (event) => {
    const { requestConfig } = (event as CustomEvent<{ requestConfig: { elt: Element } }>).detail;
    anchor = undefined;
    if (!requestConfig.elt.closest("[data-keeps-place]")) return;
    const at = focusedOrHovered();
    if (at) anchor = { element: at, id: at.closest("[id]")?.id ?? "", top: at.getBoundingClientRect().top };
  });

  document.addEventListener("htmx:afterSwap", () => {
    if (!anchor) return;
    const element = anchor.element.isConnected ? anchor.element : document.getElementById(anchor.id);
    const moved = element ? element.getBoundingClientRect().top - anchor.top : 0;
    if (moved) window.scrollBy({ top: moved, behavior: "instant" });
    anchor = undefined;
  });
}

/** Return the visible focused element, else the row or block under the pointer. */
function focusedOrHovered(): Element | null {
  const focused = document.activeElement;
  if (focused && focused !== document.body && focused.id !== "main" && inSight(focused)) return focused;
  return [...document.querySelectorAll("main :is(tr, p, h1, h2, section, form, div):hover")].pop() ?? null;
}

function inSight(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}
