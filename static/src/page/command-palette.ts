import { closest } from "./closest";

/**
 * The palette of templates/_command_palette.html: Ctrl+K or `[data-palette]` opens it, arrow keys choose, Enter
 * follows. The server finds the places (config/command_palette.py). "?" outside of a field opens the list of keys.
 */
export function openPalette(): void {
  const dialog = document.querySelector<HTMLDialogElement>("#palette");
  const form = dialog?.querySelector("form");
  const field = form?.querySelector<HTMLInputElement>("[role=combobox]");
  const found = dialog?.querySelector<HTMLElement>("#palette-found");
  if (!dialog || !form || !field || !found) return;

  const options = () => [...found.querySelectorAll<HTMLAnchorElement>("a[role=option]")];
  const chosen = () => found.querySelector<HTMLAnchorElement>("a[aria-selected=true]");
  const choose = (option: HTMLAnchorElement | undefined) => {
    chosen()?.setAttribute("aria-selected", "false");
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) field.setAttribute("aria-activedescendant", option.id);
    else field.removeAttribute("aria-activedescendant");
  };
  let first = ""; // the places without words, as the server sent them last: shown at once, and then asked for again
  const open = () => {
    if (document.querySelector("dialog[open]")) return;
    form.reset();
    dialog.showModal();
    field.focus();
    found.innerHTML = first;
    choose(options()[0]);
    form.dispatchEvent(new CustomEvent("opened"));
  };

  document.addEventListener("keydown", (event) => {
    const modified = event.ctrlKey || event.metaKey;
    if (event.key.toLowerCase() === "k" && modified && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      if (dialog.open) dialog.close();
      else open();
    }
    if (event.key === "?" && !modified && !event.altKey && !isTyping(event.target)) {
      if (!document.querySelector("dialog[open]")) document.querySelector<HTMLDialogElement>("#keys")?.showModal();
    }
  });
  document.addEventListener("click", (event) => {
    const opener = closest(event, "[data-palette]");
    if (opener && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      open();
    }
    // A link to a place on this page closes the palette; so does a click beside it, and the way to the keys.
    if (event.target === dialog || closest(event, "#palette a")) dialog.close();
  });
  field.addEventListener("keydown", (event) => {
    const all = options();
    const at = all.indexOf(chosen()!);
    if (event.key === "ArrowDown") choose(all[(at + 1) % all.length]);
    else if (event.key === "ArrowUp") choose(all[(at - 1 + all.length) % all.length]);
    else if (event.key === "Enter") chosen()?.click();
    else return;
    event.preventDefault();
  });
  let before = ""; // where the chosen option leads
  found.addEventListener("htmx:beforeSwap", () => (before = field.value ? "" : (chosen()?.href ?? "")));
  found.addEventListener("htmx:afterSwap", () => {
    if (!field.value) first = found.innerHTML;
    choose(options().find((option) => option.href === before) ?? options()[0]); // it may have been chosen by key since
  });
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input, textarea, select") || target.shadowRoot !== null;
}
