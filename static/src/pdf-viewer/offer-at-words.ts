const SETTLED = 250; // ms without a change of the selection

/** Offer the way to the text where a page is clicked or words are selected; a double click goes there at once. */
export function offerAtWords(pages: HTMLElement): void {
  const box = document.querySelector<HTMLElement>("[data-chosen]");
  if (!box) return;
  const link = document.createElement("a");
  link.className = "btn btn-small";
  link.textContent = pages.dataset.act ?? "";
  box.replaceChildren(link);

  const show = (address: string, at: DOMRect): void => {
    link.href = address;
    box.showPopover();
    const below = at.bottom + 8 + box.offsetHeight < innerHeight;
    box.style.top = `${below ? at.bottom + 8 : at.top - box.offsetHeight - 8}px`;
    box.style.left = `${Math.max(8, Math.min(at.left, innerWidth - box.offsetWidth - 8))}px`;
  };
  pages.addEventListener("click", (event) => {
    const address = textAddress(event.target, event.clientX, event.clientY);
    if (!address) return;
    const word = event.target instanceof SVGTSpanElement ? event.target.getBoundingClientRect() : undefined;
    show(address, word ?? new DOMRect(event.clientX, event.clientY - 8, 0, 16));
  });
  pages.addEventListener("dblclick", (event) => {
    const address = textAddress(event.target, event.clientX, event.clientY);
    if (address) location.assign(address);
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener("selectionchange", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const selection = getSelection();
      if (!selection?.rangeCount || selection.isCollapsed) return;
      const range = selection.getRangeAt(0);
      const words = range.startContainer.parentElement;
      if (!words?.closest(".printed-words")) return;
      const start = words.getBoundingClientRect();
      const address = textAddress(words, start.left + 1, start.top + start.height / 2);
      if (address) show(address, range.getBoundingClientRect());
    }, SETTLED);
  });
  const hide = (): void => {
    if (box.matches(":popover-open")) box.hidePopover();
  };
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("scroll", hide, { capture: true, passive: true });
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Element && !target.closest(".pdf-sheet, [data-chosen]")) hide();
  });
}

/** Return the address that leads from a point of a page to its words in the text; undefined beside the pages. */
function textAddress(target: EventTarget | null, x: number, y: number): string | undefined {
  const sheet = target instanceof Element ? target.closest(".pdf-sheet") : null;
  const text = sheet?.closest<HTMLElement>("[data-page]")?.dataset.text;
  if (!sheet || !text) return undefined;
  const { left, top, width, height } = sheet.getBoundingClientRect();
  const part = (value: number): string => Math.min(Math.max(value, 0), 1).toFixed(4);
  return `${text}?x=${part((x - left) / width)}&y=${part((y - top) / height)}`;
}
