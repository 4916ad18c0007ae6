import { closest } from "./closest";
import { chosen, type Limits } from "./upload-limits";

/**
 * `[data-drop]` around a file input: files dragged onto it land in that input. With `data-drop="send"` choosing or
 * dropping files sends the form at once. What is more than `data-most-bytes` of a file or `data-most-files` at once
 * allow is not sent, and said in its `[data-left]`. A `<progress>` in it shows how far an upload by htmx has got.
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
  // In the capturing phase, so that neither htmx nor the form sends what does not fit.
  document.addEventListener("change", (event) => take(event), true);
  showUploads();
}

function take(event: Event): void {
  const input = event.target;
  const drop = closest(event, "[data-drop]");
  if (!drop || !(input instanceof HTMLInputElement) || input.type !== "file" || !input.files?.length) return;
  const { files, said } = chosen([...input.files], limitsOf(drop), "sending" in drop.dataset);
  tell(drop, said);
  if (files.length < input.files.length) input.files = asList(files);
  if (!files.length) event.stopPropagation();
  else if (drop instanceof HTMLFormElement && drop.dataset.drop === "send") drop.requestSubmit();
}

function limitsOf(drop: HTMLElement): Limits {
  return { bytes: Number(drop.dataset.mostBytes) || Infinity, files: Number(drop.dataset.mostFiles) || Infinity };
}

/** One line for each file that is not sent, read out when it appears. */
function tell(drop: HTMLElement, said: string[]): void {
  drop
    .querySelector("[data-left]")
    ?.replaceChildren(...said.map((words) => Object.assign(document.createElement("li"), { textContent: words })));
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
  const sent = (event: Event) => {
    const drop = closest(event, "[data-drop]");
    return (event as CustomEvent<{ requestConfig?: { verb?: string } }>).detail.requestConfig?.verb === "get"
      ? null
      : drop;
  };
  document.addEventListener("htmx:beforeRequest", (event) => {
    const drop = sent(event);
    if (drop) drop.dataset.sending = "";
  });
  document.addEventListener("htmx:xhr:progress", (event) => {
    const progress = closest(event, "[data-drop]")?.querySelector("progress");
    const { loaded, total } = (event as CustomEvent<{ loaded: number; total: number }>).detail;
    if (!progress || !total) return;
    progress.hidden = false;
    progress.max = total;
    // All of it has left: what the server still does takes a time that nobody knows.
    if (loaded < total) progress.value = loaded;
    else progress.removeAttribute("value");
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const drop = sent(event);
    if (!drop) return;
    delete drop.dataset.sending;
    const progress = drop.querySelector("progress");
    if (progress) progress.hidden = true;
    // What was refused stays chosen, so that it can be sent again. htmx counts an answer that is shown as a success.
    const status = (event as CustomEvent<{ xhr?: XMLHttpRequest }>).detail.xhr?.status ?? 0;
    if (drop instanceof HTMLFormElement && status >= 200 && status < 400) drop.reset();
  });
}
