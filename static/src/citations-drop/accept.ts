import { destinationOf, splitFiles, textOf } from "./dropped";

/**
 * Take what is dropped or pasted anywhere on the page of references, outside of fields and dialogs: PDFs are uploaded
 * and matched, a file of references goes into the import dialog, a text leads to its reference or to the form that adds
 * it.
 */
export function acceptAnywhere(): void {
  let isOwn = false; // something of the page itself is dragged, such as a link
  document.addEventListener("dragstart", () => (isOwn = true));
  document.addEventListener("dragend", () => (isOwn = false));
  document.addEventListener("dragover", (event) => {
    const page = isOwn || hasOwnPlace(event.target) ? undefined : pageThatTakes(event.dataTransfer);
    if (!page) return clearMark();
    event.preventDefault();
    page.dataset.over = "true";
  });
  document.addEventListener("dragleave", (event) => event.relatedTarget === null && clearMark());
  document.addEventListener("drop", (event) => {
    clearMark();
    const moved = event.dataTransfer;
    if (isOwn || !moved || hasOwnPlace(event.target) || !pageThatTakes(moved)) return;
    event.preventDefault();
    take([...moved.files], textOf(moved.getData("text/uri-list"), moved.getData("text/plain")));
  });
  document.addEventListener("paste", (event) => {
    const pasted = event.clipboardData;
    if (!pasted || hasOwnPlace(event.target) || document.querySelector("dialog[open]") || !page()) return;
    const files = mayAdd() ? [...pasted.files] : [];
    const text = pasted.getData("text/plain");
    if (!files.length && !text.trim()) return;
    event.preventDefault();
    take(files, text);
  });
}

function page(): HTMLElement | null {
  return document.querySelector<HTMLElement>("#citations[data-finds]");
}

function clearMark(): void {
  delete page()?.dataset.over;
}

/** Whether a place takes drops and pasted text itself: fields, open dialogs, and forms with a file input. */
function hasOwnPlace(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest("input, textarea, select, [contenteditable], dialog, [data-drop]:not(#pdf-drop)") !== null
  );
}

function mayAdd(): boolean {
  return document.getElementById("pdf-drop") !== null;
}

function pageThatTakes(moved: DataTransfer | null): HTMLElement | null {
  const types = moved?.types ?? [];
  const isTaken = types.includes("Files") ? mayAdd() : types.includes("text/plain") || types.includes("text/uri-list");
  return isTaken ? page() : null;
}

function take(files: File[], text: string): void {
  if (!files.length) return follow(text);
  const { pdfs, others } = splitFiles(files);
  if (pdfs.length) {
    put(pdfs, document.querySelector("#pdf-drop input[type=file]"));
    if (others.length)
      tell(`${others[0]!.name}${others.length > 1 ? " and others are" : " is"} not a PDF. Use Import.`);
    return;
  }
  const dialog = document.querySelector<HTMLDialogElement>("dialog#import");
  dialog?.showModal();
  put(others.slice(0, 1), document.querySelector("#import-form input[type=file]"));
}

function put(files: File[], input: HTMLInputElement | null): void {
  if (!input) return;
  const list = new DataTransfer();
  for (const file of files) list.items.add(file);
  input.files = list.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

function follow(given: string): void {
  const destination = destinationOf(given);
  if (!destination) return;
  const field = document.querySelector<HTMLTextAreaElement>("#add-form [name=text]");
  if (destination.kind === "add" && field) {
    field.closest("dialog")?.showModal();
    field.value = destination.text;
    field.focus();
    return;
  }
  location.assign(`${page()?.dataset.finds}?text=${encodeURIComponent(destination.text.slice(0, 500))}`);
}

function tell(text: string): void {
  document.body.dispatchEvent(new CustomEvent("toast", { bubbles: true, detail: { text } }));
}
