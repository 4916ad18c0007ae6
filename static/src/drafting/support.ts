import { el } from "../cite-dialog/render";
import { request, said } from "../cite-dialog/server";
import { kept } from "../autosave/page-autosave";
import { citedBehind, type Sentence } from "./chosen-sentence";
import { notice } from "./render";
import { fetchInto, sayAloud } from "./refresh";

interface Editor extends HTMLElement {
  readonly latex: string;
}

/**
 * `<support-offers data-src data-sentence data-before data-after>` around what templates/thesis/_support_one.html
 * rendered. "Cite" makes the work a reference and puts its key behind the sentence in the text of this page, as one
 * step of undo; on a page without the text the server does.
 */
export class SupportOffers extends HTMLElement {
  private busy = false;

  connectedCallback(): void {
    this.addEventListener("submit", (event) => this.pressed(event));
  }

  private pressed(event: SubmitEvent): void {
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
        this.say(said(error));
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
    const words = await this.putIn(editor, { sentence, before, after }, key);
    const id = this.id;
    await fetchInto(this, "outerHTML", `/support/${src.split("/").at(-1) ?? ""}/`);
    const anew = document.getElementById(id);
    if (anew instanceof SupportOffers) anew.say(words.problem);
    anew?.focus();
    sayAloud(words.problem || words.done);
  }

  private async putIn(editor: Editor, sentence: Sentence, key: string): Promise<{ done: string; problem: string }> {
    const safe = await kept;
    const unsaved =
      `What you typed could not be saved, so ${key} was not put in. It is among your references: cite it where it ` +
      `belongs.`;
    if ((await safe.saved()) === null) return { done: "", problem: unsaved };
    const base = editor.latex;
    const text = citedBehind(base, sentence, key);
    if (text === null)
      return {
        done: "",
        problem:
          `The sentence does not stand in the text any more. The work is among your references as ${key}: cite it ` +
          `where it belongs.`,
      };
    if (text !== base && (await safe.propose(base, text)).outcome === "unsaved") return { done: "", problem: unsaved };
    return { done: `${key} is cited. One undo takes it back.`, problem: "" };
  }

  private say(words: string): void {
    const place = this.querySelector("[data-part=told]") ?? this.appendChild(el("div", {}));
    place.replaceChildren(...(words ? [notice(words)] : []));
  }
}

customElements.define("support-offers", SupportOffers);
