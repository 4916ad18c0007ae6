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

const asItWas = new WeakMap<HTMLElement, Node[]>();

function say(button: HTMLElement, words: string): void {
  if (!asItWas.has(button)) asItWas.set(button, [...button.childNodes]); // an icon among them
  button.replaceChildren(words);
  button.setAttribute("aria-live", "polite");
  setTimeout(() => {
    button.replaceChildren(...(asItWas.get(button) ?? []));
    asItWas.delete(button);
  }, 2000);
}
