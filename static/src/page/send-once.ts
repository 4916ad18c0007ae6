const PATIENCE = 4000; // ms; a page still open by then (a download, a lost connection) may submit again

/** Ignore a second submit of a form that is being sent. */
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
  // After going back, the form can be submitted again.
  window.addEventListener("pageshow", () =>
    document.querySelectorAll<HTMLFormElement>("form[data-sent]").forEach(release),
  );
}

function release(form: HTMLFormElement): void {
  delete form.dataset.sent;
  form.querySelectorAll("[aria-busy]").forEach((button) => button.removeAttribute("aria-busy"));
}
