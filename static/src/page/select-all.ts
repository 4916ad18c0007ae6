import { closest } from "./closest";

const LISTS = "form[data-ticks]";

/**
 * Show the number of ticked items on the button of a list (`data-one`, `data-many` with # for the number, `data-none`)
 * and let a box in the list's head tick all or none. Shift with a click or the space bar ticks all between two boxes.
 * `[data-with-ticks]` is only shown while something is ticked; `[data-tick-beyond]` stands for items on other pages and
 * keeps all ticked. Ticks stay when htmx replaces rows. Without scripts all is shown, but not the box in the head.
 */
export function setUpTickLists(): void {
  document.querySelectorAll<HTMLFormElement>(LISTS).forEach(setUp);
  let from: HTMLInputElement | null = null;
  let shift = false;
  // A change event does not say whether Shift was down; the events before it do.
  for (const name of ["click", "keydown", "keyup"])
    document.addEventListener(name, (event) => (shift = (event as MouseEvent | KeyboardEvent).shiftKey), true);
  document.addEventListener("keydown", (event) => {
    // Enter in a box would press the form's first button.
    const box = event.target;
    if (event.key === "Enter" && box instanceof HTMLInputElement && box.type === "checkbox" && closest(event, LISTS))
      event.preventDefault();
  });
  document.addEventListener("change", (event) => {
    const form = closest<HTMLFormElement>(event, LISTS);
    const box = event.target;
    if (!form || !(box instanceof HTMLInputElement) || box.type !== "checkbox") return;
    const all = boxes(form);
    if (box.dataset.tickAll !== undefined || box.dataset.tickBeyond !== undefined) {
      if (box.checked || box.dataset.tickAll !== undefined) all.forEach((one) => (one.checked = box.checked));
    } else {
      const [start, end] = [from ? all.indexOf(from) : -1, all.indexOf(box)];
      if (shift && start >= 0)
        all.slice(Math.min(start, end), Math.max(start, end) + 1).forEach((one) => (one.checked = box.checked));
      from = box;
    }
    if (!box.checked || box.dataset.tickAll !== undefined)
      beyond(form).forEach((one) => (one.checked = one === box && box.checked));
    update(form);
  });
  keepTicks();
  // After going back, browsers restore the ticks only later.
  window.addEventListener("pageshow", () => document.querySelectorAll<HTMLFormElement>(LISTS).forEach(update));
}

/** Keep the ticks of rows that htmx replaces, and set up lists that it loads. */
function keepTicks(): void {
  let ticked = new Set<string>();
  const note = () =>
    (ticked = new Set(
      [...document.querySelectorAll<HTMLInputElement>(`${LISTS} input[type=checkbox]:checked`)].map((box) => box.value),
    ));
  const restore = () =>
    document.querySelectorAll<HTMLFormElement>(LISTS).forEach((form) => {
      boxes(form).forEach((box) => (box.checked ||= ticked.has(box.value)));
      setUp(form);
    });
  // Once for all rows of an answer: for 100 rows out of band htmx sends 5,000 events.
  let isWaiting = false;
  const restoreOnce = () => {
    if (!isWaiting) queueMicrotask(() => ((isWaiting = false), restore()));
    isWaiting = true;
  };
  document.addEventListener("htmx:beforeSwap", note);
  document.addEventListener("htmx:afterSettle", restoreOnce);
  document.addEventListener("htmx:oobAfterSwap", restoreOnce);
}

function setUp(form: HTMLFormElement): void {
  form.querySelectorAll<HTMLInputElement>("[data-tick-all]").forEach((all) => (all.hidden = boxes(form).length < 2));
  update(form);
}

function boxes(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>("input[type=checkbox]:not([data-tick-all], [data-tick-beyond])")];
}

function beyond(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>("[data-tick-beyond]")];
}

function update(form: HTMLFormElement): void {
  const all = boxes(form);
  const ticked = all.filter((box) => box.checked).length;
  form.querySelectorAll<HTMLElement>("[data-ticked]").forEach((shown) => {
    const { one, many, none } = shown.dataset;
    const words = (ticked === 0 ? (none ?? many) : ticked === 1 ? one : many) ?? "#";
    const text = words.replace("#", ticked.toLocaleString("en-GB"));
    if (shown.textContent !== text) shown.textContent = text;
  });
  form.querySelectorAll<HTMLElement>("[data-with-ticks]").forEach((part) => (part.hidden = ticked === 0));
  form.querySelectorAll<HTMLInputElement>("[data-tick-all]").forEach((head) => {
    head.checked = ticked === all.length;
    head.indeterminate = ticked > 0 && ticked < all.length;
  });
}
