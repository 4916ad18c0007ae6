import { closest } from "./closest";

/**
 * Show the number of ticked items on the button of a list (`data-one`, `data-many` with # for the number) and let a
 * box in the list's head tick all or none. Without scripts the button keeps its label and the box is hidden.
 */
export function setUpTickLists(): void {
  document.querySelectorAll<HTMLFormElement>("form[data-ticks]").forEach((form) => {
    form.querySelectorAll<HTMLInputElement>("[data-tick-all]").forEach((all) => (all.hidden = boxes(form).length < 2));
    updateCount(form);
  });
  document.addEventListener("change", (event) => {
    const form = closest<HTMLFormElement>(event, "form[data-ticks]");
    if (!form) return;
    const all = closest<HTMLInputElement>(event, "[data-tick-all]");
    if (all) boxes(form).forEach((box) => (box.checked = all.checked));
    updateCount(form);
  });
  // After going back, browsers restore the ticks only later.
  window.addEventListener("pageshow", () =>
    document.querySelectorAll<HTMLFormElement>("form[data-ticks]").forEach(updateCount),
  );
}

function boxes(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>("input[type=checkbox]:not([data-tick-all])")];
}

function updateCount(form: HTMLFormElement): void {
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
