import { el } from "../cite-dialog/render";
import { request, messageOf } from "../cite-dialog/server";
import { pageAutosave } from "../autosave/page-autosave";
import { citeAfterSentence, type Sentence } from "./chosen-sentence";
import { notice } from "./render";
import { fetchInto, announce } from "./refresh";

interface Editor extends HTMLElement {
  readonly latex: string;
}

/**
 * `<support-offers data-src data-sentence data-before data-after>` around what templates/thesis/_support_one.html
 * rendered. "Cite" adds the work to the references and cites it after the sentence in the editor, as one undo step. On
 * a page without the editor the server changes the text.
 */
export class SupportOffers extends HTMLElement {
  private busy = false;

  connectedCallback(): void {
    this.addEventListener("submit", (event) => this.submitted(event));
  }

  private submitted(event: SubmitEvent): void {
    const { target, submitter } = event;
    const editor = document.querySelector<Editor>("section-editor");
    if (!editor || !(target instanceof HTMLFormElement) || target.dataset.part !== "cite") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (this.busy) return;
    this.busy = true;
    submitter?.setAttribute("aria-disabled", "true");
    const source = String(new FormData(target).get("source_id") ?? "");
    void this.cite(editor, source)
      .catch((error: unknown) => {
        this.showMessage(messageOf(error));
        submitter?.removeAttribute("aria-disabled");
      })
      .finally(() => (this.busy = false));
  }

  private async cite(editor: Editor, source_id: string): Promise<void> {
    const { src = "", sentence = "", before = "", after = "" } = this.dataset;
    const { key } = await request<{ key: string }>(`${src}/cite`, {
      method: "POST",
      body: { source_id, place: false },
    });
    const words = await this.citeInText(editor, { sentence, before, after }, key);
    const id = this.id;
    await fetchInto(this, "outerHTML", `/support/${src.split("/").at(-1) ?? ""}/`);
    const anew = document.getElementById(id);
    if (anew instanceof SupportOffers) anew.showMessage(words.problem);
    anew?.focus();
    announce(words.problem || words.done);
  }

  private async citeInText(
    editor: Editor,
    sentence: Sentence,
    key: string,
  ): Promise<{ done: string; problem: string }> {
    const autosave = await pageAutosave;
    const unsaved =
      `The work is in your references as ${key}, but it was not cited in the text, because your last changes are ` +
      `not saved. Cite it yourself when the page shows “Saved”.`;
    if ((await autosave.saveAndWait()) === null) return { done: "", problem: unsaved };
    const base = editor.latex;
    const text = citeAfterSentence(base, sentence, key);
    if (text === null)
      return {
        done: "",
        problem:
          `The work is in your references as ${key}, but its sentence is no longer in the text as it was. Cite the ` +
          `work yourself.`,
      };
    if (text !== base && (await autosave.propose(base, text)).outcome === "unsaved")
      return { done: "", problem: unsaved };
    return { done: `${key} is cited after the sentence. You can undo it in one step.`, problem: "" };
  }

  private showMessage(words: string): void {
    const place = this.querySelector("[data-part=told]") ?? this.appendChild(el("div", {}));
    place.replaceChildren(...(words ? [notice(words)] : []));
  }
}

customElements.define("support-offers", SupportOffers);
