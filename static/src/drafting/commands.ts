import { codePoints } from "../side-panel/comment-places";
import { kept } from "../autosave/page-autosave";
import { fetchInto, toast } from "./refresh";
import { placeFor, type Chosen, type Way } from "./insert-places";

const PANEL = "beside-draft";
const NOTHING: Record<Way, string> = {
  rewrite: "Put the caret into a paragraph, or select the words to write anew.",
  shorten: "Put the caret into a paragraph, or select the words to shorten.",
  continue: "",
  support: "Put the caret into the sentence that needs support.",
};

interface Editor extends HTMLElement {
  readonly latex: string;
  readonly selected: Chosen;
  readonly caret: { before: string };
  focus(): void;
}

/**
 * The menu of the toolbar's "Draft" (`[data-drafts]`, Ctrl+Alt+J): each command opens the Draft panel with its form
 * about what is selected, else about the paragraph or sentence of the caret. What is typed is saved before, so that
 * places are those of the server's text.
 */
export function draftCommands(): void {
  const button = document.querySelector<HTMLElement>("[data-drafts]");
  const menu = document.getElementById("draft-menu");
  const panel = document.getElementById(PANEL);
  const editor = document.querySelector<Editor>("section-editor");
  if (!button || !menu || !panel || !editor) return;
  button.hidden = false;
  // The text keeps its selection while the button is pressed with the mouse.
  button.addEventListener("mousedown", (event) => event.preventDefault());
  button.addEventListener("click", () => beside(button, menu));
  menu.addEventListener("click", (event) => {
    const way = (event.target as Element).closest<HTMLElement>("[data-draft]")?.dataset.draft;
    if (!way) return;
    menu.hidePopover();
    void open(panel, editor, way as Way);
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
    beside(button, menu);
  });
  // A draft is made over the text the server has: what is typed goes there first.
  document.addEventListener("htmx:confirm", (event) => {
    const { elt, verb, issueRequest } = (
      event as CustomEvent<{ elt: Element; verb: string; issueRequest(skips: boolean): void }>
    ).detail;
    if (verb !== "post" || !elt.matches(`#${PANEL} form`) || elt.closest("draft-proposal")) return;
    event.preventDefault();
    void kept.then((safe) => safe.saved()).then(() => issueRequest(true));
  });
}

async function open(panel: HTMLElement, editor: Editor, way: Way): Promise<void> {
  const version = await (await kept).saved();
  if (version === null) return toast("What you typed is not saved yet. Try again once it says “Saved”.");
  const { latex, selected } = editor;
  const place = placeFor(way, latex, { start: selected.start, end: selected.end, before: editor.caret.before });
  if (!place) {
    toast(NOTHING[way]);
    return editor.focus();
  }
  const asked = new URLSearchParams({
    way,
    start: `${codePoints(latex, place.start)}`,
    end: `${codePoints(latex, place.end)}`,
    based_on: `${version}`,
  });
  await shown(panel, `${panel.getAttribute("hx-get") ?? ""}?${asked}`);
  const box = panel.querySelector<HTMLElement>(
    way === "support" ? "form[data-support] button, form[data-support] textarea" : "textarea[name=instructions]",
  );
  (box ?? panel.querySelector<HTMLElement>("form button"))?.focus();
}

/**
 * Show the panel as `path` has it. The first time it is shown it would ask for itself: then that request goes to
 * `path`.
 */
async function shown(panel: HTMLElement, path: string): Promise<void> {
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

function beside(button: HTMLElement, menu: HTMLElement): void {
  if (menu.matches(":popover-open")) return menu.hidePopover();
  menu.showPopover();
  const at = button.getBoundingClientRect();
  menu.style.margin = "0";
  menu.style.left = `${Math.max(8, Math.min(at.left, innerWidth - menu.offsetWidth - 8))}px`;
  menu.style.top = `${at.bottom + 4}px`;
  menu.querySelector("button")?.focus();
}
