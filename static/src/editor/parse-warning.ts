import type { Closed } from "./visual-view";

/**
 * Tell above the text why it is not shown as a page; nothing takes the words away. What is not closed in the LaTeX, the
 * source view tells.
 */
export function tellClosed(editor: HTMLElement, why: readonly Closed[]): void {
  const banner = editor.querySelector<HTMLElement>("[data-part=banner]");
  const words = banner?.querySelector("[data-text]");
  if (!banner || !words) return;
  const told = why
    .filter(({ line }) => line === undefined)
    .map(({ message }) => message)
    .join(" ");
  banner.hidden = !told;
  words.textContent = told;
}
