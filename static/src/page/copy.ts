import { closest } from "./closest";

/** `[data-copy-from="#id"]` copies the text of that element; the button says so. */
export function copyOnClick(): void {
  document.addEventListener("click", (event) => {
    const button = closest(event, "[data-copy-from]");
    if (button) void copy(button);
  });
}

async function copy(button: HTMLElement): Promise<void> {
  const source = document.querySelector<HTMLElement>(button.dataset.copyFrom ?? "");
  const text = source?.textContent?.trim();
  if (!source || !text) return;
  try {
    await navigator.clipboard.writeText(text);
    say(button, "Copied");
  } catch {
    // Without https some browsers refuse: select it, so that one key press copies it.
    getSelection()?.selectAllChildren(source);
    say(button, "Selected. Press Ctrl+C");
  }
}

function say(button: HTMLElement, words: string): void {
  button.dataset.was ??= button.textContent ?? "";
  button.textContent = words;
  button.setAttribute("aria-live", "polite");
  setTimeout(() => {
    button.textContent = button.dataset.was ?? "";
    delete button.dataset.was;
  }, 2000);
}
