import { closest } from "./closest";

/**
 * `[data-opens="ID"]` opens that dialog as a modal, `[data-closes]` closes the one around it. A link that opens one
 * leads to the same form on a page of its own, for who asks for a new tab or has no script.
 */
export function openDialogs(): void {
  document.addEventListener("click", (event) => {
    const opener = closest(event, "[data-opens]");
    const dialog = opener && document.getElementById(opener.dataset.opens ?? "");
    if (dialog instanceof HTMLDialogElement && !dialog.open && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      dialog.showModal();
    }
    if (closest(event, "[data-closes]")) closest<HTMLDialogElement>(event, "dialog")?.close();
  });
}

/**
 * `<form data-confirm="Question">` is sent only after a yes. `data-confirm-note` says what goes and what stays,
 * `data-confirm-verb` is the word on the button (else the submit button's own). `hx-confirm` asks the same way.
 */
export function askBeforeSubmit(): void {
  const agreed = new WeakSet<HTMLFormElement>();

  // In the capturing phase, so that neither htmx nor the browser sends a form that is being asked about.
  document.addEventListener(
    "submit",
    (event) => {
      const form = event.target;
      if (!(form instanceof HTMLFormElement) || !form.dataset.confirm || agreed.delete(form)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const { confirm, confirmNote = "", confirmVerb } = form.dataset;
      const submitter = event.submitter;
      void ask(confirm, confirmNote, confirmVerb ?? submitter?.textContent?.trim() ?? "").then((yes) => {
        if (!yes || !form.isConnected) return;
        agreed.add(form);
        form.requestSubmit(submitter);
      });
    },
    true,
  );

  document.addEventListener("htmx:confirm", (event) => {
    const { question, elt, issueRequest } = (event as CustomEvent<HtmxConfirm>).detail;
    if (!question) return;
    event.preventDefault();
    const { confirmNote = "", confirmVerb } = elt.dataset;
    void ask(question, confirmNote, confirmVerb ?? elt.textContent?.trim() ?? "").then((yes) => {
      if (yes) issueRequest(true);
    });
  });
}

interface HtmxConfirm {
  question: string | null;
  elt: HTMLElement;
  issueRequest: (skipConfirmation: boolean) => void;
}

/** Ask in the page's own dialog (base.html). Resolves to false on Escape or "no". */
function ask(question: string, note: string, verb: string): Promise<boolean> {
  const dialog = document.querySelector<HTMLDialogElement>("#ask");
  if (!dialog) return Promise.resolve(window.confirm(`${question}\n\n${note}`));
  const fill = (part: string, text: string) => {
    const element = dialog.querySelector<HTMLElement>(`[data-ask="${part}"]`);
    if (element) [element.textContent, element.hidden] = [text, !text];
  };
  fill("question", question);
  fill("note", note);
  fill("verb", verb || "Yes");
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
