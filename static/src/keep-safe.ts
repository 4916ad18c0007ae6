// The page of a section: the text is saved automatically. Without this script the form of the page saves.
import { showCounts } from "./autosave/word-counts";
import { textareaEditable, type Editable } from "./autosave/editable";
import { setPageAutosave } from "./autosave/page-autosave";
import { journalOrNone, Autosave, openTab, type PageState } from "./autosave/autosave";

const PATIENCE = 5000; // ms to wait for the editor before the plain text area is used

async function findEditable(form: HTMLFormElement, page: PageState): Promise<Editable | null> {
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
  const [editable, journal] = await Promise.all([findEditable(form, page), journalOrNone()]);
  if (!editable) return;
  // An editor that is empty at this point has not received the text and must not save an empty one.
  if (!editable.latex && page.latex) editable.replace(page.latex);
  showCounts(page.words);
  const autosave = new Autosave(editable, page, openTab(), journal, { save, merge });
  setPageAutosave(autosave);
  form.dataset.safe = "";
  document.addEventListener(
    "submit",
    (event) => {
      if (event.target !== form) return;
      event.preventDefault();
      event.stopImmediatePropagation(); // neither htmx nor the browser sends it
      autosave.saveNow();
    },
    true,
  );
}

void start();
