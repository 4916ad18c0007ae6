import { openMenu } from "./menu";
import { connectTableSize } from "./table-size";
import type { ToolbarAction, ViewKind, View } from "./view";

const PARAGRAPH_KINDS: readonly ToolbarAction[] = [
  "bulletList",
  "orderedList",
  "blockquote",
  "section",
  "subsection",
  "subsubsection",
  "paragraph",
];

/** The parts of the editor that the toolbar needs. */
export interface ToolbarHost {
  readonly current: View;
  readonly view: ViewKind;
  choose(view: "visual" | "source"): void;
  run(act: ToolbarAction): void;
  picture(file: File): void;
  table(rows: number, columns: number): void;
}

/** Connect the toolbar of templates/sections/_editor_toolbar.html; return a function that updates it for the caret. */
export function connectToolbar(bar: HTMLElement, form: HTMLElement, editor: ToolbarHost): () => void {
  const kind = bar.querySelector<HTMLSelectElement>("[data-part=kind]");
  const file = form.querySelector<HTMLInputElement>("[data-part=picture]");
  const menu = form.querySelector<HTMLElement>("[data-part=table-menu]");
  const size = form.querySelector<HTMLElement>("[data-part=table-size]");
  const resetSize = size && connectTableSize(size, (rows, columns) => editor.table(rows, columns));
  const visualTools = bar.querySelector<HTMLElement>("[data-part=visual-tools]");
  for (const tools of bar.querySelectorAll<HTMLElement>("[data-part=tools]")) tools.hidden = false;

  // Keeps the selection in the text when a button is pressed with the mouse.
  bar.addEventListener("mousedown", (event) => {
    if ((event.target as Element).closest("button[data-act]")) event.preventDefault();
  });
  form.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("button[data-act], button[data-view]");
    if (!button || !form.contains(button)) return;
    const { act, view } = button.dataset;
    if (view) editor.choose(view as "visual" | "source");
    else if (act === "figure") file?.click();
    else if (act === "table" && menu && editor.current.isActive("table")) openMenu(button, menu);
    else if (act === "table" && size && editor.current.canRun("table")) {
      resetSize?.();
      openMenu(button, size);
    } else if (act) {
      menu?.hidePopover();
      editor.run(act as ToolbarAction);
    }
  });
  file?.addEventListener("change", () => {
    const chosen = file.files?.[0];
    if (chosen) editor.picture(chosen);
    file.value = "";
  });
  kind?.addEventListener("change", () => editor.run(kind.value as ToolbarAction));
  kind?.addEventListener("keydown", (event) => {
    // Without the open list, each arrow key would change the paragraph.
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    kind.showPicker?.();
  });
  enableArrowKeys(bar);

  return () => {
    const { current } = editor;
    for (const button of bar.querySelectorAll<HTMLElement>("[data-view]")) {
      button.setAttribute(
        "aria-pressed",
        String(button.dataset.view === (editor.view === "visual" ? "visual" : "source")),
      );
    }
    if (visualTools) visualTools.hidden = editor.view !== "visual";
    const menuButtons = menu?.matches(":popover-open") ? [...menu.querySelectorAll<HTMLButtonElement>("button")] : [];
    for (const button of [...bar.querySelectorAll<HTMLButtonElement>("button[data-act]"), ...menuButtons]) {
      const act = button.dataset.act as ToolbarAction;
      if (button.hasAttribute("aria-pressed")) setIfChanged(button, "aria-pressed", String(current.isActive(act)));
      if (act === "table") setIfChanged(button, "aria-label", current.isActive(act) ? "Change the table" : "Table");
      setIfChanged(button, "aria-disabled", String(act !== "figure" && !current.canRun(act)));
    }
    const now = PARAGRAPH_KINDS.find((act) => current.isActive(act)) ?? "other";
    if (kind && kind.value !== now) kind.value = now;
  };
}

/** Set an attribute only when it differs; this runs at each key press. */
function setIfChanged(element: HTMLElement, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** Make the toolbar one Tab stop; arrows, Home and End move between the tools (ARIA toolbar pattern). */
function enableArrowKeys(bar: HTMLElement): void {
  const tools = (): HTMLElement[] =>
    [...bar.querySelectorAll<HTMLElement>("button, select, a[href]")].filter(
      (tool) => tool.getClientRects().length > 0 && !tool.closest("[popover]"),
    );
  let last: HTMLElement | null = null;
  const settle = (): void => {
    const all = tools();
    if (!last || !all.includes(last)) last = all[0] ?? null;
    for (const tool of all) tool.tabIndex = tool === last ? 0 : -1;
  };
  bar.addEventListener("focusin", (event) => {
    last = event.target as HTMLElement;
    settle();
  });
  bar.addEventListener("keydown", (event) => {
    const all = tools();
    const at = all.indexOf(event.target as HTMLElement);
    const way = document.dir === "rtl" ? -1 : 1;
    const step = event.key === "ArrowRight" ? way : event.key === "ArrowLeft" ? -way : 0;
    const to =
      event.key === "Home"
        ? 0
        : event.key === "End"
          ? all.length - 1
          : step
            ? (at + step + all.length) % all.length
            : -1;
    if (at < 0 || to < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    all[to]?.focus();
  });
  settle();
}
