import { pageAutosave } from "../autosave/page-autosave";

/**
 * Ctrl+Enter builds, where the page has a `form[data-build]`. What is typed is saved first; where that cannot be,
 * nothing is built.
 * Whatever has a use of its own for the key (a comment, the citation dialog) keeps it.
 */
export function buildByKey(): void {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.repeat)
      return;
    const form = document.querySelector<HTMLFormElement>("form[data-build]");
    if (!form || isUsed(event) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    void build(form);
  });
}

async function build(form: HTMLFormElement): Promise<void> {
  if (document.querySelector("form[data-writing][data-safe]") && (await (await pageAutosave).saved()) === null) {
    const text = "Not everything is saved yet, so nothing was built. Look at the line above the text.";
    document.body.dispatchEvent(new CustomEvent("toast", { detail: { text }, bubbles: true }));
    return;
  }
  form.requestSubmit(form.querySelector<HTMLButtonElement>("button[value=pdf]"));
}

function isUsed({ target, defaultPrevented }: KeyboardEvent): boolean {
  // The page of the text takes every Enter as its own, also one it does nothing with.
  if (!(target instanceof Element) || target.matches(".ProseMirror")) return false;
  if (defaultPrevented) return true;
  return (
    !target.closest("form[data-writing]") && target.closest("textarea, input, select, [contenteditable=true]") !== null
  );
}
