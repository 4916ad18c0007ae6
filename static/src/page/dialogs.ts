import { closest } from "./closest";

/**
 * Make `[data-opens="ID"]` open that dialog as a modal and `[data-closes]` close the dialog around it. A link with
 * `data-opens` also leads to the same form on its own page, for a new tab or without scripts.
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
 * Ask for confirmation before `<form data-confirm="Question">` is submitted. `data-confirm-note` explains the
 * consequences, `data-confirm-verb` labels the button (default: the submit button's label). Same for `hx-confirm`.
 */
export function askBeforeSubmit(): void {
  const agreed = new WeakSet<HTMLFormElement>();

  // In the capture phase, so that neither htmx nor the browser submits the form before the answer.
  document.addEventListener(
    "submit",
    (event) => {
      const form = event.target;
      if (!(form instanceof HTMLFormElement) || !form.dataset.confirm || agreed.delete(form)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const { confirm, confirmNote = "", confirmVerb } = form.dataset;
      const submitter = event.submitter;
      void confirmInDialog(confirm, confirmNote, confirmVerb ?? submitter?.textContent?.trim() ?? "").then((yes) => {
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
    void confirmInDialog(question, confirmNote, confirmVerb ?? elt.textContent?.trim() ?? "").then((yes) => {
      if (yes) issueRequest(true);
    });
  });
}

interface HtmxConfirm {
  question: string | null;
  elt: HTMLElement;
  issueRequest: (skipConfirmation: boolean) => void;
}

/** Ask in the dialog of base.html. Resolves to false on Escape or "no". */
function confirmInDialog(question: string, note: string, verb: string): Promise<boolean> {
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
