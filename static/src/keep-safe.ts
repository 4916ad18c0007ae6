// The page of a section: what is typed is kept safe and saved by itself. Without this script the form of the page
// saves.
import { showCounts } from "./autosave/word-counts";
import { textareaEditable, type Editable } from "./autosave/editable";
import { setPageAutosave } from "./autosave/page-autosave";
import { journalOrNone, Autosave, openTab, type PageState } from "./autosave/autosave";

const PATIENCE = 5000; // ms until an editor that does not come is given up for the plain box

async function theEditable(form: HTMLFormElement, page: PageState): Promise<Editable | null> {
  const element = form.closest("section-editor");
  if (element) {
    const late = new Promise((resolve) => setTimeout(resolve, PATIENCE));
    await Promise.race([customElements.whenDefined("section-editor"), late]);
    if (customElements.get("section-editor")) return element as HTMLElement & Editable;
  }
  const box = form.querySelector<HTMLTextAreaElement>("textarea[name=latex]");
  return box && textareaEditable(box, page.latex);
}

async function start(): Promise<void> {
  const state = document.getElementById("section-state")?.textContent;
  const form = document.querySelector<HTMLFormElement>("form[data-writing]");
  const save = document.getElementById("save");
  const merge = document.getElementById("merge");
  if (!state || !form || !save || !(merge instanceof HTMLDialogElement)) return;
  const page = JSON.parse(state) as PageState;
  const [editable, journal] = await Promise.all([theEditable(form, page), journalOrNone()]);
  if (!editable) return;
  // Nobody empties a text before the page stands: an editor that did not get it must not save that.
  if (!editable.latex && page.latex) editable.replace(page.latex);
  showCounts(page.words);
  const safe = new Autosave(editable, page, openTab(), journal, { save, merge });
  setPageAutosave(safe);
  form.dataset.safe = "";
  document.addEventListener(
    "submit",
    (event) => {
      if (event.target !== form) return;
      event.preventDefault();
      event.stopImmediatePropagation(); // neither htmx nor the browser sends it
      safe.now();
    },
    true,
  );
}

void start();
