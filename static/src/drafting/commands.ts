import { codePointOffset } from "../side-panel/comment-places";
import { pageAutosave } from "../autosave/page-autosave";
import { fetchInto, toast } from "./refresh";
import { targetOf, type TextSelection, type DraftCommand } from "./insert-places";

const PANEL = "beside-draft";
const NO_PLACE: Record<DraftCommand, string> = {
  rewrite: "Place the cursor in a paragraph, or select the text to rewrite.",
  shorten: "Place the cursor in a paragraph, or select the text to shorten.",
  continue: "",
  support: "Place the cursor in the sentence that needs support.",
};

interface Editor extends HTMLElement {
  readonly latex: string;
  readonly selected: TextSelection;
  readonly caret: { before: string };
  focus(): void;
}

/**
 * Set up the toolbar's "Draft" menu (`[data-drafts]`, Ctrl+Alt+J). Each command opens the Draft panel with a form for
 * the selection, or for the paragraph or sentence at the caret. The text is saved first, so that positions match the
 * server's text.
 */
export function setUpDraftMenu(): void {
  const button = document.querySelector<HTMLElement>("[data-drafts]");
  const menu = document.getElementById("draft-menu");
  const panel = document.getElementById(PANEL);
  const editor = document.querySelector<Editor>("section-editor");
  if (!button || !menu || !panel || !editor) return;
  button.hidden = false;
  // Keeps the selection in the text when the button is pressed with the mouse.
  button.addEventListener("mousedown", (event) => event.preventDefault());
  button.addEventListener("click", () => toggleMenu(button, menu));
  menu.addEventListener("click", (event) => {
    const way = (event.target as Element).closest<HTMLElement>("[data-draft]")?.dataset.draft;
    if (!way) return;
    menu.hidePopover();
    void openForm(panel, editor, way as DraftCommand);
  });
  menu.addEventListener("keydown", (event) => {
    const all = [...menu.querySelectorAll<HTMLElement>("button")];
    const at = all.indexOf(event.target as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    all[(to + all.length) % all.length]?.focus();
  });
  menu.addEventListener("toggle", (event) =>
    button.setAttribute("aria-expanded", String((event as ToggleEvent).newState === "open")),
  );
  document.addEventListener("keydown", (event) => {
    if (!event.ctrlKey || !event.altKey || event.shiftKey || event.metaKey || event.code !== "KeyJ") return;
    if (document.querySelector("dialog[open]")) return;
    event.preventDefault();
    toggleMenu(button, menu);
  });
  // A draft is based on the server's text, so the current text is saved first.
  document.addEventListener("htmx:confirm", (event) => {
    const { elt, verb, issueRequest } = (
      event as CustomEvent<{ elt: Element; verb: string; issueRequest(skips: boolean): void }>
    ).detail;
    if (verb !== "post" || !elt.matches(`#${PANEL} form`) || elt.closest("draft-proposal")) return;
    event.preventDefault();
    void pageAutosave.then((autosave) => autosave.saveAndWait()).then(() => issueRequest(true));
  });
}

async function openForm(panel: HTMLElement, editor: Editor, way: DraftCommand): Promise<void> {
  const version = await (await pageAutosave).saveAndWait();
  if (version === null) return toast("Your last changes are not saved yet. Try again when the page shows “Saved”.");
  const { latex, selected } = editor;
  const place = targetOf(way, latex, { start: selected.start, end: selected.end, before: editor.caret.before });
  if (!place) {
    toast(NO_PLACE[way]);
    return editor.focus();
  }
  const query = new URLSearchParams({
    way,
    start: `${codePointOffset(latex, place.start)}`,
    end: `${codePointOffset(latex, place.end)}`,
    based_on: `${version}`,
  });
  await loadPanel(panel, `${panel.getAttribute("hx-get") ?? ""}?${query}`);
  const box = panel.querySelector<HTMLElement>(
    way === "support" ? "form[data-support] button, form[data-support] textarea" : "textarea[name=instructions]",
  );
  (box ?? panel.querySelector<HTMLElement>("form button"))?.focus();
}

/**
 * Load `path` into the panel and show it. A panel shown for the first time loads itself; that request is redirected to
 * `path`.
 */
async function loadPanel(panel: HTMLElement, path: string): Promise<void> {
  let own: Promise<void> | null = null;
  const configure = (event: Event): void => {
    if (event.target !== panel) return;
    (event as CustomEvent<{ path: string }>).detail.path = path;
    own = new Promise((resolve) => panel.addEventListener("htmx:afterSettle", () => resolve(), { once: true }));
  };
  document.addEventListener("htmx:configRequest", configure);
  document.querySelector<HTMLElement>(`[data-shows="${PANEL}"]`)?.click();
  document.removeEventListener("htmx:configRequest", configure);
  await (own ?? fetchInto(panel, "innerHTML", path));
}

function toggleMenu(button: HTMLElement, menu: HTMLElement): void {
  if (menu.matches(":popover-open")) return menu.hidePopover();
  menu.showPopover();
  const at = button.getBoundingClientRect();
  menu.style.margin = "0";
  menu.style.left = `${Math.max(8, Math.min(at.left, innerWidth - menu.offsetWidth - 8))}px`;
  menu.style.top = `${at.bottom + 4}px`;
  menu.querySelector("button")?.focus();
}
