import { selectedRange } from "./chapter-text";
import { leafOf, sourceAt } from "./text-blocks";
import { editAddress, pdfAddress } from "./follow-reading";

const SETTLED = 250; // ms without a change of the selection

/** Show buttons at selected words: comment on them, or go to them in the editor or the built PDF. */
export function offerOnSelection(): void {
  const box = document.querySelector<HTMLElement>("[data-chosen]");
  if (!box) return;
  const comment = document.querySelector<HTMLElement>("[data-comments]");
  const edit = document.querySelector<HTMLAnchorElement>("a[data-edit]");
  const pdf = document.querySelector<HTMLAnchorElement>("a[data-in-pdf]");
  const buttons: HTMLElement[] = [];
  if (comment) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Comment";
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("click", () => {
      box.hidePopover();
      comment.click();
    });
    buttons.push(button);
  }
  const link = document.createElement("a");
  link.textContent = edit?.href.includes("view=source") ? "Show in source" : "Edit here";
  const printed = document.createElement("a");
  printed.textContent = "Show in PDF";
  buttons.push(link, ...(pdf ? [printed] : []));
  for (const button of buttons) button.className = "btn btn-small";
  box.replaceChildren(...buttons);

  const draw = (): void => {
    const range = selectedRange();
    const chapter = leafOf(range?.startContainer ?? null)?.closest<HTMLElement>(".chapter[data-section]");
    const at = range && sourceAt(range.startContainer, range.startOffset);
    const isCovered = document.querySelector(".drawer:popover-open") !== null;
    if (!range || !chapter || isCovered) return box.hidePopover();
    link.href = editAddress(chapter, at);
    if (pdf) printed.href = pdfAddress(pdf, chapter, at);
    box.showPopover();
    const words = range.getBoundingClientRect();
    const below = words.bottom + 8 + box.offsetHeight < innerHeight;
    box.style.top = `${below ? words.bottom + 8 : words.top - box.offsetHeight - 8}px`;
    box.style.left = `${Math.max(8, Math.min(words.left, innerWidth - box.offsetWidth - 8))}px`;
  };
  // On a phone a selection ends without an event of the pointer: the buttons come when it has not changed for a while.
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener("selectionchange", () => {
    clearTimeout(timer);
    timer = setTimeout(draw, SETTLED);
  });
  document.addEventListener("keyup", (event) => {
    if (event.key === "Escape") box.hidePopover();
  });
  const follow = (): void => {
    if (box.matches(":popover-open")) draw();
  };
  document.addEventListener("scroll", follow, { capture: true, passive: true });
}
