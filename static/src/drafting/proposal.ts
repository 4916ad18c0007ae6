import { el, icon } from "../cite-dialog/render";
import { messageOf } from "../cite-dialog/server";
import type { Chip } from "../citation-chips/chip";
import { chipStore } from "../citation-chips/chips";
import { pageAutosave } from "../autosave/page-autosave";
import { toUtf16Positions, countTakesIn, mergeInputFor, joinTakes, type Block, type Take } from "./blocks";
import { drawChanges, notice } from "./render";
import { fetchInto, announce } from "./refresh";
import { discardDraft, loadDraft, recordTaken, stopDraft, type CitedWork, type Draft } from "./server";
import { LiveDraft } from "./live-draft";

const RUNNING_STATES = ["queued", "running"];
const UNDO_CHECK_DELAY = 800; // ms without typing before it is checked whether a block was undone

const reloadedFor = new Map<string, string>(); // proposal to the state of its works at its last reload

interface Editor extends HTMLElement {
  readonly latex: string;
}

/**
 * `<draft-proposal draft job src state data-may-take>` enhances what templates/thesis/_draft_proposal.html rendered.
 * It streams the draft while it is being written, then loads the finished proposal, shows the cited works as chips, and
 * inserts blocks into the text: merged with what was typed meanwhile, as one undo step, saved as a version of its own.
 * Dispatches `draft-ended` and `draft-settled` on the body, detail {draft}.
 */
export class DraftProposal extends HTMLElement {
  private live: LiveDraft | null = null;
  private draft: Draft | null = null;
  private blocks: Block[] = [];
  private works: { cited: Map<string, CitedWork>; insisted: Set<string> } = { cited: new Map(), insisted: new Set() };
  private takes: Take[] = []; // in order; undone ones stay for redo
  private takesInText = 0; // how many of them are in the text
  private unrecorded = new Set<number>();
  private readonly messageBox = el("div", { role: "alert" });
  private queue: Promise<void> = Promise.resolve();
  private unfinished = 0; // how many actions are not finished
  private listeners = new AbortController();
  private undoTimer = 0;

  connectedCallback(): void {
    if (!this.editor) return; // on the proposal's own page the server handles the forms
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    // in the capture phase, before htmx handles the submit
    this.addEventListener("submit", (event) => this.submitted(event), { signal, capture: true });
    const job = this.getAttribute("job");
    if (job && RUNNING_STATES.includes(this.getAttribute("state") ?? "")) {
      this.live = new LiveDraft(this, job, () => void this.showResult());
      return;
    }
    this.addEventListener("change", () => void this.reload(), { signal });
    this.editor.addEventListener("edited", () => this.textEdited(), { signal });
    document.body.addEventListener("section-saved", () => void this.reportTaken(), { signal });
    signal.addEventListener(
      "abort",
      chipStore.onChange(() => this.chipsChanged()),
    );
    void this.start();
  }

  disconnectedCallback(): void {
    this.listeners.abort();
    this.live?.close();
    this.live = null;
    clearTimeout(this.undoTimer);
  }

  private get src(): string {
    return this.getAttribute("src") ?? "";
  }

  private get editor(): Editor | null {
    return document.querySelector<Editor>("section-editor");
  }

  /** Replace this element with the finished proposal when the job has ended. */
  private async showResult(): Promise<void> {
    const id = this.id;
    await fetchInto(this, "outerHTML");
    const blocks = document.getElementById(id)?.querySelectorAll("[data-block]").length;
    announce(blocks ? "Draft is ready." : "The draft ended without a proposal.");
    this.dispatch("draft-ended");
  }

  private async start(): Promise<void> {
    try {
      this.draft = await loadDraft(this.src, this.citedAnyway());
    } catch {
      return; // the server-rendered form still works
    }
    await customElements.whenDefined("section-editor");
    if (!this.isConnected) return;
    this.setDraft(this.draft);
    const mine = this.editor?.latex ?? "";
    const before = this.blocks.filter(({ number }) => this.draft?.taken.includes(number));
    this.takes = before.length
      ? [new Map(before.map(({ number, latex, safe }) => [number, mine.includes(latex.trim()) ? latex : safe]))]
      : [];
    this.takesInText = this.takes.length;
    this.querySelector("[data-part=take]")?.prepend(this.messageBox);
    this.drawButtons();
    this.dataset.ready = "";
    this.chipsChanged();
  }

  private setDraft(draft: Draft): void {
    this.draft = draft;
    this.blocks = toUtf16Positions(draft.base, draft.blocks);
    this.works = {
      cited: new Map(draft.citations.map((one) => [one.key, one])),
      insisted: new Set(this.citedAnyway()),
    };
    this.drawChanges();
  }

  private drawChanges(): void {
    for (const block of this.blocks) {
      const place = this.blockElement(block.number);
      if (place?.querySelector(":scope > .set-text")) continue; // the server shows it as it will be printed
      place?.querySelectorAll(":scope > p:not([class]), :scope > .change").forEach((old) => old.remove());
      place?.prepend(...drawChanges(block, this.works));
    }
  }

  private get taken(): Map<number, string> {
    return joinTakes(this.takes.slice(0, this.takesInText));
  }

  /** Update the buttons to match which blocks are taken. */
  private drawButtons(): void {
    const [open, taken] = [this.openBlocks(), this.taken];
    for (const { number } of this.blocks) {
      const place = this.blockElement(number);
      const row = place?.querySelector<HTMLElement>("button[name=numbers]")?.closest<HTMLElement>(".row");
      if (!place || !row) continue; // taken before the page loaded, or the only block
      const isTaken = taken.has(number);
      place.toggleAttribute("data-taken", isTaken);
      row.hidden = isTaken;
      if (!isTaken) place.querySelector(".is-taken")?.remove();
      else if (!place.querySelector(".is-taken"))
        place.append(el("p", { class: "row small soft is-taken" }, icon("check"), "Accepted"));
    }
    const buttonRow = this.querySelector<HTMLElement>("[data-part=acts]");
    const all = buttonRow?.querySelector<HTMLElement>("[data-take-all]");
    if (!buttonRow || !all) return;
    buttonRow.hidden = !open.length;
    const promise = this.querySelector<HTMLElement>("[data-part=promise]");
    if (promise)
      promise.textContent = open.length
        ? "Your text changes only when you accept the proposal. You can undo it in one step."
        : "Accepted. You can undo it in one step.";
    all.dataset.words ??= all.textContent ?? "";
    all.textContent = open.length < this.blocks.length ? "Accept the rest" : all.dataset.words;
  }

  private openBlocks(): number[] {
    const { taken } = this;
    return this.blocks.map(({ number }) => number).filter((number) => !taken.has(number));
  }

  private blockElement(number: number): HTMLElement | null {
    return this.querySelector<HTMLElement>(`[data-block="${number}"]`);
  }

  private citedAnyway(): string[] {
    return [...this.querySelectorAll<HTMLInputElement>("input[name=insist]:checked")].map(({ value }) => value);
  }

  // Taking and discarding

  /** Handle a submit of the server's forms here, where the text is. */
  private submitted(event: SubmitEvent): void {
    const button = event.submitter;
    if (!(event.target instanceof HTMLFormElement) || !(button instanceof HTMLButtonElement)) return;
    const isStop = event.target.dataset.part === "stop";
    if (!isStop && (event.target.dataset.part !== "take" || !this.draft)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (isStop) void this.runQueued(button, () => stopDraft(this.src), "Stopping");
    else if (button.hasAttribute("data-leave")) void this.runQueued(button, () => this.discardDraft());
    else
      void this.runQueued(button, () =>
        this.take(button.name === "numbers" ? [Number(button.value)] : this.openBlocks()),
      );
  }

  /** Run actions one after the other, in the order they were started. `words` becomes the button's label. */
  private async runQueued(button: HTMLButtonElement, act: () => Promise<unknown>, words = ""): Promise<void> {
    if (button.ariaDisabled === "true") return;
    button.ariaDisabled = "true";
    if (words) button.textContent = words;
    this.unfinished += 1;
    this.queue = this.queue.then(async () => {
      try {
        this.showMessage("");
        await act();
      } catch (error) {
        this.showMessage(messageOf(error));
      }
      this.unfinished -= 1;
      if (!words) button.ariaDisabled = null;
    });
    await this.queue;
  }

  private async take(numbers: readonly number[]): Promise<void> {
    if (!this.draft || !numbers.length) return;
    const hadFocus = this.contains(document.activeElement);
    const chosen = new Map(
      this.blocks.filter(({ number }) => numbers.includes(number)).map(({ number, safe }) => [number, safe]),
    );
    const { base, text } = mergeInputFor(this.draft.base, this.blocks, this.taken, chosen);
    const { outcome, saved } = await (await pageAutosave).propose(base, text);
    if (outcome === "unsaved")
      return this.showMessage(
        "Nothing was taken, because your last changes are not saved. Try again when the page shows “Saved”.",
      );
    if (outcome === "left") return this.showMessage("Your text stays as it was. The proposal is still here.");
    this.takes = [...this.takes.slice(0, this.takesInText), chosen];
    this.takesInText = this.takes.length;
    numbers.forEach((number) => this.unrecorded.add(number));
    this.drawButtons();
    announce("Accepted. You can undo it in one step.");
    if (hadFocus) this.focusNext(numbers.at(-1)!);
    void saved.then(() => this.reportTaken());
  }

  private async discardDraft(): Promise<void> {
    const id = this.id;
    await discardDraft(this.src);
    await fetchInto(this, "outerHTML");
    document.getElementById(id)?.focus();
    announce("Discarded. You can find it in the earlier proposals.");
    this.dispatch("draft-settled");
  }

  /** Report the taken blocks to the server; what could not be reported is sent again after the next save. */
  private async reportTaken(): Promise<void> {
    const numbers = [...this.unrecorded];
    if (!numbers.length) return;
    this.unrecorded.clear();
    try {
      await recordTaken(this.src, numbers);
      this.dispatch("draft-settled");
    } catch {
      numbers.forEach((number) => this.unrecorded.add(number));
    }
  }

  /** Reload the blocks after the works, or the choice of works to cite anyway, have changed. */
  private async reload(): Promise<void> {
    try {
      this.setDraft(await loadDraft(this.src, this.citedAnyway()));
    } catch (error) {
      this.showMessage(messageOf(error));
    }
  }

  /** Redraw, and reload when works were checked since the proposal was loaded. */
  private chipsChanged(): void {
    if (!this.draft) return;
    const works = [...this.works.cited.values()];
    const isNew = works.some(
      ({ key, status }) =>
        (chipStore.of(key) as Chip | null)?.status !== undefined && (chipStore.of(key) as Chip).status !== status,
    );
    const unlisted = works.some(
      ({ key, bad }) => bad && !this.querySelector(`[data-part=cited] [data-key="${CSS.escape(key)}"][data-bad]`),
    );
    const state = works
      .map(({ key, status }) => `${key} ${status} ${(chipStore.of(key) as Chip | null)?.status ?? ""}`)
      .join();
    if ((!isNew && !unlisted) || reloadedFor.get(this.src) === state) return this.drawChanges();
    reloadedFor.set(this.src, state);
    // The server renders the list of works, so it is reloaded, unless it is in use.
    if (this.takes.length || this.unfinished || this.contains(document.activeElement)) void this.reload();
    else void fetchInto(this, "outerHTML");
  }

  /** Check after typing whether taken blocks were undone or redone. */
  private textEdited(): void {
    if (!this.takes.length) return;
    clearTimeout(this.undoTimer);
    this.undoTimer = window.setTimeout(() => {
      this.takesInText = countTakesIn(this.editor?.latex ?? "", this.draft?.base ?? "", this.blocks, this.takes);
      this.drawButtons();
    }, UNDO_CHECK_DELAY);
  }

  private focusNext(number: number): void {
    const places = this.blocks.map((block) => this.blockElement(block.number));
    const after = this.blocks.findIndex((block) => block.number === number);
    const buttons = [...places.slice(after + 1), ...places.slice(0, after)].map((place) =>
      place?.querySelector<HTMLElement>("button[name=numbers]"),
    );
    (buttons.find((button) => button?.checkVisibility()) ?? this).focus({ preventScroll: true });
  }

  private showMessage(words: string): void {
    this.messageBox.replaceChildren(...(words ? [notice(words)] : []));
  }

  private dispatch(what: "draft-ended" | "draft-settled"): void {
    document.body.dispatchEvent(new CustomEvent(what, { detail: { draft: this.getAttribute("draft") } }));
  }
}

customElements.define("draft-proposal", DraftProposal);
