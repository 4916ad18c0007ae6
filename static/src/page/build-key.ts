import { pageAutosave } from "../autosave/page-autosave";

/**
 * Build on Ctrl+Enter where the page has a `form[data-build]`. The text is saved first; if that fails, nothing is
 * built. Elements with their own use for the key (a comment, the citation dialog) keep it.
 */
export function buildOnCtrlEnter(): void {
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
  if (document.querySelector("form[data-writing][data-safe]") && (await (await pageAutosave).saveAndWait()) === null) {
    const text = "Your last changes are not saved yet, so nothing was built. See the save state above the text.";
    document.body.dispatchEvent(new CustomEvent("toast", { detail: { text }, bubbles: true }));
    return;
  }
  form.requestSubmit(form.querySelector<HTMLButtonElement>("button[value=pdf]"));
}

function isUsed({ target, defaultPrevented }: KeyboardEvent): boolean {
  // The visual editor prevents the default of every Enter, even one it does nothing with.
  if (!(target instanceof Element) || target.matches(".ProseMirror")) return false;
  if (defaultPrevented) return true;
  return (
    !target.closest("form[data-writing]") && target.closest("textarea, input, select, [contenteditable=true]") !== null
  );
}
