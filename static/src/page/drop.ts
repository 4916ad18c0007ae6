import { closest } from "./closest";

/**
 * `<form data-drop>`: files dragged onto it land in its file input. With `data-drop="send"` choosing or dropping
 * files sends the form at once. A `<progress>` in the form shows how far an upload by htmx has got.
 */
export function acceptDrops(): void {
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      const form = carriesFiles(event as DragEvent) ? closest(event, "[data-drop]") : null;
      for (const other of document.querySelectorAll("[data-over]")) if (other !== form) other.removeAttribute("data-over");
      if (!form) return;
      event.preventDefault();
      form.dataset.over = "true";
    });
  }
  document.addEventListener("dragleave", (event) => {
    const form = closest(event, "[data-drop]");
    const to = event.relatedTarget;
    if (form && !(to instanceof Node && form.contains(to))) delete form.dataset.over;
  });
  document.addEventListener("drop", (event) => {
    const form = closest<HTMLFormElement>(event, "[data-drop]");
    const input = form?.querySelector<HTMLInputElement>("input[type=file]");
    if (!form || !input || !event.dataTransfer?.files.length) return;
    event.preventDefault();
    delete form.dataset.over;
    input.files = input.multiple ? event.dataTransfer.files : first(event.dataTransfer.files);
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  document.addEventListener("change", (event) => {
    const input = event.target;
    const form = closest<HTMLFormElement>(event, "form[data-drop]");
    if (!form || !(input instanceof HTMLInputElement) || input.type !== "file" || !input.files?.length) return;
    if (form.dataset.drop === "send") form.requestSubmit();
  });
  showUploads();
}

function carriesFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

function first(files: FileList): FileList {
  const one = new DataTransfer();
  if (files[0]) one.items.add(files[0]);
  return one.files;
}

function showUploads(): void {
  const progressOf = (event: Event) => closest(event, "form[data-drop]")?.querySelector("progress");
  document.addEventListener("htmx:xhr:progress", (event) => {
    const progress = progressOf(event);
    const { loaded, total } = (event as CustomEvent<{ loaded: number; total: number }>).detail;
    if (!progress || !total) return;
    progress.hidden = false;
    progress.max = total;
    progress.value = loaded;
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const progress = progressOf(event);
    if (!progress) return;
    progress.hidden = true;
    if ((event as CustomEvent<{ successful?: boolean }>).detail.successful) progress.closest("form")?.reset();
  });
}
