import Sortable from "sortablejs";
import { rename } from "./rename";
import { handleNow, postChange } from "./server";

type Action = "rename" | "up" | "down" | "remove";

/** Make the sections editable: drag by the grip, Alt+Shift+arrows and F2 on a row, and the menu of each row. */
export function setUpSections(panel: HTMLElement): void {
  const menu = panel.querySelector<HTMLElement>("#outline-menu");
  if (!menu) return; // read only
  let opener: HTMLElement | undefined;
  enableDragging(panel);

  // Not on afterSettle: by then the next action may have set another message.
  panel.addEventListener("htmx:afterSwap", () => {
    const outline = panel.querySelector<HTMLElement>("#outline");
    announce(panel, outline?.dataset["said"] ?? "");
    if (document.activeElement === document.body) focus(`at-${outline?.dataset["focus"]}`);
    enableDragging(panel);
  });

  panel.addEventListener("click", (event) => {
    const target = event.target as Element;
    const button = target.closest<HTMLElement>("[data-menu]");
    if (button) {
      // Pressing the button of an open menu has closed it already (light dismiss of popovers).
      if (opener === button && button.getAttribute("aria-expanded") === "true") return;
      opener = button;
      openMenu(menu, button);
    }
    const item = target.closest<HTMLElement>("[data-act]");
    if (item && opener) {
      const row = rowOf(opener);
      menu.hidePopover();
      if (row) run(panel, row, item.dataset["act"] as Action);
    }
  });
  menu.addEventListener("toggle", (event) => {
    const open = (event as ToggleEvent).newState === "open";
    opener?.setAttribute("aria-expanded", String(open));
    if (open) menu.querySelector<HTMLElement>("[role=menuitem]:not([disabled])")?.focus();
    else if (menu.contains(document.activeElement)) opener?.focus();
  });
  menu.addEventListener("keydown", (event) => moveInMenu(menu, event));

  panel.addEventListener("keydown", (event) => {
    const row = rowOf(event.target);
    if (!row || event.target instanceof HTMLInputElement) return;
    const moving = event.altKey && event.shiftKey && !event.ctrlKey && !event.metaKey;
    const wanted: Action | undefined =
      moving && event.key === "ArrowUp"
        ? "up"
        : moving && event.key === "ArrowDown"
          ? "down"
          : event.key === "F2"
            ? "rename"
            : undefined;
    if (!wanted) return;
    event.preventDefault();
    event.stopPropagation();
    run(panel, row, wanted);
  });
}

let queue: Promise<void> = Promise.resolve(); // actions run one after the other, each on the order the last one left

function run(panel: HTMLElement, row: HTMLElement, wanted: Action): void {
  if (wanted === "rename") return rename(panel, row);
  const slug = row.dataset["section"] ?? "";
  queue = queue.then(() => {
    const present = panel.querySelector<HTMLElement>(`li[data-section="${CSS.escape(slug)}"]`);
    if (!present) return undefined;
    return wanted === "remove" ? remove(panel, present) : move(panel, present, wanted === "up" ? -1 : 1);
  });
}

async function remove(panel: HTMLElement, row: HTMLElement): Promise<void> {
  await postChange(panel, row.dataset["at"] ?? "", "remove");
  const undo = document.getElementById("undo");
  const form = undo?.closest("form");
  if (form) handleNow(form);
  undo?.focus();
}

async function move(panel: HTMLElement, row: HTMLElement, by: number): Promise<void> {
  const rows = [...(row.parentElement?.children ?? [])];
  const place = rows.indexOf(row) + by;
  if (place < 0 || place >= rows.length) {
    announce(panel, `${row.dataset["title"]} is already the ${place < 0 ? "first" : "last"} section.`);
    return;
  }
  await postChange(panel, row.dataset["at"] ?? "", "move", { place: String(place) });
  focus(row.querySelector("a")?.id);
}

/** Let rows be dragged by their grip with mouse or touch; a move the server rejects is reverted. */
function enableDragging(panel: HTMLElement): void {
  const list = panel.querySelector<HTMLElement>("ol.outline");
  if (!list || Sortable.get(list)) return;
  const sortable = Sortable.create(list, {
    handle: ".grip",
    draggable: "[data-section]",
    animation: 120,
    forceFallback: true, // native drag and drop does not support touch
    fallbackTolerance: 3,
    dataIdAttr: "data-section",
    onStart: () => list.classList.add("dragged"),
    onEnd: ({ item, oldIndex, newIndex }) => {
      list.classList.remove("dragged");
      if (oldIndex === newIndex || newIndex === undefined || oldIndex === undefined) return;
      const before = sortable.toArray();
      before.splice(oldIndex, 0, ...before.splice(newIndex, 1));
      void postChange(panel, item.dataset["at"] ?? "", "move", { place: String(newIndex) }).then(() => {
        if (list.isConnected) sortable.sort(before, true);
      });
    },
  });
}

function openMenu(menu: HTMLElement, button: HTMLElement): void {
  const row = rowOf(button);
  const items = [...(row?.parentElement?.children ?? [])];
  const disable = (name: string, off: boolean) =>
    menu.querySelector(`[data-act=${name}]`)?.toggleAttribute("disabled", off);
  disable("up", items[0] === row);
  disable("down", items.at(-1) === row);
  menu.showPopover();
  const { bottom, left, top } = button.getBoundingClientRect();
  const below = bottom + menu.offsetHeight < window.innerHeight;
  menu.style.insetBlockStart = `${below ? bottom : Math.max(0, top - menu.offsetHeight)}px`;
  menu.style.insetInlineStart = `${Math.max(8, Math.min(left, window.innerWidth - menu.offsetWidth - 8))}px`;
}

/** Move through the items of the open menu with the arrow keys, Home and End. */
function moveInMenu(menu: HTMLElement, event: KeyboardEvent): void {
  const items = [...menu.querySelectorAll<HTMLElement>("[role=menuitem]:not([disabled])")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const to: Record<string, number> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at + items.length - 1) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  const next = to[event.key];
  if (event.key === "Tab") menu.hidePopover();
  if (next === undefined) return;
  event.preventDefault();
  items[next]?.focus();
}

/** Return the section row around an event target. */
export function rowOf(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>("li[data-section]") : null;
}

/** Announce `words` to screen readers. */
function announce(panel: HTMLElement, words: string): void {
  const voice = panel.querySelector("#outline-said");
  if (voice && words) voice.textContent = words;
}

function focus(id: string | undefined): void {
  if (id) document.getElementById(id)?.focus();
}
