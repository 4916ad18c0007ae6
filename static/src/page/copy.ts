import { closest } from "./closest";

/** Make buttons `[data-copy-from="#id"]` copy the text of that element and confirm it. */
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
    confirmOn(button, "Copied");
  } catch {
    // Some browsers refuse without https: the text is selected instead, so that Ctrl+C copies it.
    getSelection()?.selectAllChildren(source);
    confirmOn(button, "Selected. Press Ctrl+C");
  }
}

const originalContent = new WeakMap<HTMLElement, Node[]>();

function confirmOn(button: HTMLElement, words: string): void {
  if (!originalContent.has(button)) originalContent.set(button, [...button.childNodes]); // an icon among them
  button.replaceChildren(words);
  button.setAttribute("aria-live", "polite");
  setTimeout(() => {
    button.replaceChildren(...(originalContent.get(button) ?? []));
    originalContent.delete(button);
  }, 2000);
}
