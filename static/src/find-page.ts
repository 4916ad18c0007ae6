// The page for finding and replacing in the whole thesis: the button says how many of the matches have a tick.
const form = document.querySelector<HTMLFormElement>("form[data-replaces]");
const button = form?.querySelector<HTMLButtonElement>("button[data-total]");

function count(form: HTMLFormElement, button: HTMLButtonElement): void {
  const boxes = [...form.querySelectorAll<HTMLInputElement>("input[name=match]")];
  const ticked = boxes.filter((box) => box.checked);
  const notListed = Number(button.dataset.total) - boxes.length;
  const number = ticked.length + notListed;
  // Sections whose matches are not listed are replaced too.
  const whole = form.querySelectorAll(".found:not(:has(input))").length;
  const sections = new Set(ticked.map((box) => box.dataset.section)).size + whole;
  const verb = form.querySelector<HTMLInputElement>("input[name=new]")?.value ? "Replace" : "Remove";
  const named = sections === 1 ? "1 section" : `${sections} sections`;
  button.textContent = `${verb} ${number.toLocaleString("en")} in ${named}`;
  button.disabled = number === 0;
}

if (form && button) {
  const update = (): void => count(form, button);
  form.addEventListener("input", update);
  addEventListener("pageshow", update);
  update();
}
