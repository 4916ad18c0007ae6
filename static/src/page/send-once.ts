const PATIENCE = 4000; // ms; a page that has not left by then (a download, a lost connection) may send again

/** A second click on a form that is on its way sends nothing: one click, one run, one upload. */
export function sendOnce(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.method !== "post") return;
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "true";
    event.submitter?.setAttribute("aria-busy", "true");
    setTimeout(() => release(form), PATIENCE);
  });
  // Back from the next page: the form is as it was.
  window.addEventListener("pageshow", () =>
    document.querySelectorAll<HTMLFormElement>("form[data-sent]").forEach(release),
  );
}

function release(form: HTMLFormElement): void {
  delete form.dataset.sent;
  form.querySelectorAll("[aria-busy]").forEach((button) => button.removeAttribute("aria-busy"));
}
