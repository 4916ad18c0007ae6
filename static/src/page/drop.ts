import { closest } from "./closest";
import { checkLimits, type Limits } from "./upload-limits";

/**
 * Accept dropped files in `[data-drop]` around a file input. With `data-drop="send"` choosing or dropping files submits
 * the form at once. Files over `data-most-bytes`, or more than `data-most-files`, are not sent and are listed in
 * `[data-left]`. A `<progress>` inside shows the progress of an htmx upload.
 */
export function acceptDrops(): void {
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      const drop = carriesFiles(event as DragEvent) ? closest(event, "[data-drop]") : null;
      for (const other of document.querySelectorAll("[data-over]"))
        if (other !== drop) other.removeAttribute("data-over");
      if (!drop) return;
      event.preventDefault();
      drop.dataset.over = "true";
    });
  }
  document.addEventListener("dragleave", (event) => {
    const drop = closest(event, "[data-drop]");
    const to = event.relatedTarget;
    if (drop && !(to instanceof Node && drop.contains(to))) delete drop.dataset.over;
  });
  document.addEventListener("drop", (event) => {
    const drop = closest(event, "[data-drop]");
    const input = drop?.querySelector<HTMLInputElement>("input[type=file]");
    if (!drop || !input || !event.dataTransfer?.files.length) return;
    event.preventDefault();
    delete drop.dataset.over;
    const files = [...event.dataTransfer.files];
    input.files = asList(input.multiple ? files : files.slice(0, 1));
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  // In the capture phase, so that neither htmx nor the form sends files over the limit.
  document.addEventListener("change", (event) => checkFiles(event), true);
  showUploads();
}

function checkFiles(event: Event): void {
  const input = event.target;
  const drop = closest(event, "[data-drop]");
  if (!drop || !(input instanceof HTMLInputElement) || input.type !== "file" || !input.files?.length) return;
  const { files, rejected: said } = checkLimits([...input.files], limitsOf(drop), "sending" in drop.dataset);
  showRejected(drop, said);
  if (files.length < input.files.length) input.files = asList(files);
  if (!files.length) event.stopPropagation();
  else if (drop instanceof HTMLFormElement && drop.dataset.drop === "send") drop.requestSubmit();
}

function limitsOf(drop: HTMLElement): Limits {
  return { bytes: Number(drop.dataset.mostBytes) || Infinity, files: Number(drop.dataset.mostFiles) || Infinity };
}

/** List the files that are not sent; screen readers announce the list. */
function showRejected(drop: HTMLElement, sentences: string[]): void {
  drop
    .querySelector("[data-left]")
    ?.replaceChildren(...sentences.map((words) => Object.assign(document.createElement("li"), { textContent: words })));
}

function carriesFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

function asList(files: File[]): FileList {
  const list = new DataTransfer();
  for (const file of files) list.items.add(file);
  return list.files;
}

function showUploads(): void {
  const uploadArea = (event: Event) => {
    const drop = closest(event, "[data-drop]");
    return (event as CustomEvent<{ requestConfig?: { verb?: string } }>).detail.requestConfig?.verb === "get"
      ? null
      : drop;
  };
  document.addEventListener("htmx:beforeRequest", (event) => {
    const drop = uploadArea(event);
    if (drop) drop.dataset.sending = "";
  });
  document.addEventListener("htmx:xhr:progress", (event) => {
    const progress = closest(event, "[data-drop]")?.querySelector("progress");
    const { loaded, total } = (event as CustomEvent<{ loaded: number; total: number }>).detail;
    if (!progress || !total) return;
    progress.hidden = false;
    progress.max = total;
    // Everything is sent; how long the server still takes is unknown.
    if (loaded < total) progress.value = loaded;
    else progress.removeAttribute("value");
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const drop = uploadArea(event);
    if (!drop) return;
    delete drop.dataset.sending;
    const progress = drop.querySelector("progress");
    if (progress) progress.hidden = true;
    // Rejected files stay selected so that they can be sent again. htmx counts every answer it shows as a success.
    const status = (event as CustomEvent<{ xhr?: XMLHttpRequest }>).detail.xhr?.status ?? 0;
    if (drop instanceof HTMLFormElement && status >= 200 && status < 400) drop.reset();
  });
}
