/**
 * Guard a `<form data-writing>` without autosave (static/src/keep-safe.ts marks forms it saves with `data-safe`):
 * Ctrl+S saves, and leaving with unsaved text asks first.
 */
export function guardWriting(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-writing]");
  const text = form?.querySelector("textarea");
  if (!form || !text) return;
  let saved = text.value;
  let sent = saved;

  document.addEventListener("keydown", (event) => {
    if ("safe" in form.dataset) return;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "s") {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  form.addEventListener("htmx:beforeRequest", () => (sent = text.value));
  form.addEventListener("htmx:afterRequest", (event) => {
    if ((event as CustomEvent<{ successful: boolean }>).detail.successful) saved = sent;
  });
  window.addEventListener("beforeunload", (event) => {
    if (!("safe" in form.dataset) && text.value !== saved) event.preventDefault();
  });
}
