/**
 * `[data-keeps-place]`: what htmx renews from within it never moves what the person is at. The element that has the
 * focus, else the one under the pointer, stays where it is in the window; the page is scrolled by as much as it moved.
 */
export function keepPlace(): void {
  let held: { element: Element; id: string; top: number } | undefined;

  document.addEventListener("htmx:beforeSwap", (event) => {
    const { requestConfig } = (event as CustomEvent<{ requestConfig: { elt: Element } }>).detail;
    held = undefined;
    if (!requestConfig.elt.closest("[data-keeps-place]")) return;
    const at = attended();
    if (at) held = { element: at, id: at.closest("[id]")?.id ?? "", top: at.getBoundingClientRect().top };
  });

  document.addEventListener("htmx:afterSwap", () => {
    if (!held) return;
    const now = held.element.isConnected ? held.element : document.getElementById(held.id);
    const moved = now ? now.getBoundingClientRect().top - held.top : 0;
    if (moved) window.scrollBy({ top: moved, behavior: "instant" });
    held = undefined;
  });
}

/** Where the person is: what has the focus, if it is in sight, else the row or block under the pointer. */
function attended(): Element | null {
  const focused = document.activeElement;
  if (focused && focused !== document.body && focused.id !== "main" && inSight(focused)) return focused;
  return [...document.querySelectorAll("main :is(tr, p, h1, h2, section, form, div):hover")].pop() ?? null;
}

function inSight(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}
