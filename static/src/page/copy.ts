import { closest } from "./closest";

/** `[data-copy="text"]` copies that text, `[data-copy-from="#id"]` the text of that element; the button says so. */
export function copyOnClick(): void {
  document.addEventListener("click", (event) => {
    const button = closest(event, "[data-copy], [data-copy-from]");
    if (button) void copy(button);
  });
}

async function copy(button: HTMLElement): Promise<void> {
  const source = button.dataset.copyFrom ? document.querySelector<HTMLElement>(button.dataset.copyFrom) : null;
  const text = button.dataset.copy ?? (source instanceof HTMLInputElement ? source.value : source?.textContent?.trim());
  if (!text) return;
  try {
    await navigator.clipboard.writeText(text);
    say(button, "Copied");
  } catch {
    // Without https some browsers refuse: select it, so that one key press copies it.
    if (source) getSelection()?.selectAllChildren(source);
    say(button, source ? "Selected. Press Ctrl+C" : "Could not copy");
  }
}

function say(button: HTMLElement, words: string): void {
  const label = button.querySelector<HTMLElement>("[data-label]") ?? button;
  label.dataset.was ??= label.textContent ?? "";
  label.textContent = words;
  label.setAttribute("aria-live", "polite");
  setTimeout(() => {
    label.textContent = label.dataset.was ?? "";
    delete label.dataset.was;
  }, 2000);
}
