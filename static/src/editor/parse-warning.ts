import type { ViewFault } from "./visual-view";

/** Show above the text why it cannot be opened in the visual view. Faults with a line are shown by the source view. */
export function showFaults(editor: HTMLElement, why: readonly ViewFault[]): void {
  const banner = editor.querySelector<HTMLElement>("[data-part=banner]");
  const words = banner?.querySelector("[data-text]");
  if (!banner || !words) return;
  const message = why
    .filter(({ line }) => line === undefined)
    .map(({ message }) => message)
    .join(" ");
  banner.hidden = !message;
  words.textContent = message;
}
