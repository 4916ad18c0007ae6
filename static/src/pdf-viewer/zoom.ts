const STEPS = [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3]; // of the printed size

/** Let the buttons change the size of the pages: to the width of the window, or in steps. The page in view stays. */
export function setUpZoom(pages: HTMLElement): void {
  const box = document.querySelector<HTMLElement>("[data-zoom]");
  const fit = box?.querySelector<HTMLElement>("[data-fit]");
  if (!box || !fit) return;
  box.hidden = false;
  const size = (): number => (pages.querySelector<HTMLElement>(".pdf-page")?.clientWidth ?? 794) / 794;
  const change = (zoom: number | undefined): void => {
    const current = pageInView(pages);
    const before = current?.getBoundingClientRect();
    pages.classList.toggle("zoomed", zoom !== undefined);
    if (zoom !== undefined) pages.style.setProperty("--zoom", String(zoom));
    fit.setAttribute("aria-pressed", String(zoom === undefined));
    if (!current || !before) return;
    const after = current.getBoundingClientRect();
    const read = (innerHeight / 2 - before.top) / before.height; // the part of the page in the middle of the window
    scrollerOf(pages).scrollBy(0, after.top + read * after.height - innerHeight / 2);
  };
  fit.addEventListener("click", () => change(undefined));
  for (const button of box.querySelectorAll<HTMLElement>("[data-step]"))
    button.addEventListener("click", () => {
      const now = size();
      const next =
        button.dataset.step === "1"
          ? STEPS.find((step) => step > now + 0.02)
          : STEPS.findLast((step) => step < now - 0.02);
      if (next) change(next);
    });
}

/** Return the page in the middle of the window. */
export function pageInView(pages: HTMLElement): HTMLElement | undefined {
  const all = [...pages.querySelectorAll<HTMLElement>("[data-page]")];
  return all.find((page) => page.getBoundingClientRect().bottom > innerHeight / 2) ?? all.at(-1);
}

/** Return what scrolls the pages: the box around them, or the window on a narrow screen. */
export function scrollerOf(pages: HTMLElement): Element | Window {
  const box = pages.closest("[data-reading]");
  return box && getComputedStyle(box).overflowY !== "visible" ? box : window;
}
