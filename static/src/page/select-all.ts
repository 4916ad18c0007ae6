import { closest } from "./closest";

/**
 * A list of which some are ticked: the button says how many (`data-one`, `data-many` with a # for the number), and a
 * box in the list's head ticks all or none. Without scripts the button keeps its first words and the box is hidden.
 */
export function countTicks(): void {
  document.querySelectorAll<HTMLFormElement>("form[data-ticks]").forEach((form) => {
    form.querySelectorAll<HTMLInputElement>("[data-tick-all]").forEach((all) => (all.hidden = boxes(form).length < 2));
    told(form);
  });
  document.addEventListener("change", (event) => {
    const form = closest<HTMLFormElement>(event, "form[data-ticks]");
    if (!form) return;
    const all = closest<HTMLInputElement>(event, "[data-tick-all]");
    if (all) boxes(form).forEach((box) => (box.checked = all.checked));
    told(form);
  });
  // Back from the next page, a browser restores the ticks after the page was told.
  window.addEventListener("pageshow", () =>
    document.querySelectorAll<HTMLFormElement>("form[data-ticks]").forEach(told),
  );
}

function boxes(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>("input[type=checkbox]:not([data-tick-all])")];
}

function told(form: HTMLFormElement): void {
  const all = boxes(form);
  const ticked = all.filter((box) => box.checked).length;
  form.querySelectorAll<HTMLElement>("[data-ticked]").forEach((button) => {
    const words = (ticked === 1 ? button.dataset.one : button.dataset.many) ?? "#";
    button.textContent = words.replace("#", ticked.toLocaleString("en-GB"));
  });
  form.querySelectorAll<HTMLInputElement>("[data-tick-all]").forEach((head) => {
    head.checked = ticked === all.length;
    head.indeterminate = ticked > 0 && ticked < all.length;
  });
}
