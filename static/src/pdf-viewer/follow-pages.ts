import { pageInView } from "./zoom";

/** Show the number of the page in view, go to one that is typed, and let "Edit this page" lead to its text. */
export function followPages(pages: HTMLElement): void {
  const form = document.querySelector<HTMLFormElement>("[data-page-form]");
  const field = form?.querySelector("input");
  const link = document.querySelector<HTMLAnchorElement>("a[data-page-text]");
  if (!form || !field) return;
  form.hidden = false;
  let frame = 0;
  const look = (): void => {
    frame = 0;
    const page = pageInView(pages);
    if (!page) return;
    if (document.activeElement !== field) field.value = page.dataset.page ?? "";
    if (link) link.href = page.dataset.text ?? "";
  };
  const go = (): void => {
    document.getElementById(`page-${Number(field.value)}`)?.scrollIntoView({ block: "start" });
  };
  document.addEventListener("scroll", () => (frame ||= requestAnimationFrame(look)), { capture: true, passive: true });
  field.addEventListener("change", go);
  field.addEventListener("blur", look);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go();
  });
  document.getElementById("contents")?.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element) || !target.closest("a[href^='#']")) return;
    target.closest<HTMLElement>("[popover]:popover-open")?.hidePopover();
  });
  look();
}
