/** Open a menu (a popover) below `anchor` and focus its first command; arrow keys move between its commands. */
export function openMenu(anchor: Element, menu: HTMLElement): void {
  menu.showPopover();
  const at = anchor.getBoundingClientRect();
  const below = at.bottom + 4 + menu.offsetHeight < innerHeight;
  menu.style.margin = "0";
  menu.style.left = `${Math.max(8, Math.min(at.left, innerWidth - menu.offsetWidth - 8))}px`;
  menu.style.top = `${Math.max(8, below ? at.bottom + 4 : at.top - menu.offsetHeight - 4)}px`;
  menu.querySelector<HTMLElement>("button:not([aria-disabled=true])")?.focus();
  menu.onkeydown = (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const all = [...menu.querySelectorAll("button")];
    const here = all.indexOf(document.activeElement as HTMLButtonElement);
    all[(here + step + all.length) % all.length]?.focus();
  };
}
