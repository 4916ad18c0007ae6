import { el, icon } from "../cite-dialog/render";
import { said } from "../cite-dialog/server";
import type { Chip } from "../citation-chips/chip";
import { knownCite } from "../citation-chips/chips";
import { kept } from "../autosave/page-autosave";
import { inUnits, standing, taking, together, type Block, type Take } from "./blocks";
import { changeOf, notice } from "./render";
import { fetchInto, sayAloud } from "./refresh";
import { discard, read, record, stop, type Cited, type Draft } from "./server";
import { Watching } from "./live-draft";

const ALIVE = ["queued", "running"];
const RESTING = 800; // ms without a key until it is looked whether a block was undone

const asked = new Map<string, string>(); // by proposal: what was known of its works when it was asked for anew

interface Editor extends HTMLElement {
  readonly latex: string;
}

/**
 * `<draft-proposal draft job src state data-may-take>` takes over what templates/thesis/_draft_proposal.html rendered.
 * While the draft is written it streams; at the end it asks the server for the proposal once. Then it shows the works
 * that are cited as chips, and puts blocks into the text of the page: put together with what was typed meanwhile, as
 * one step of undo, saved as a version of its own. The body hears `draft-ended` and `draft-settled`, detail {draft}.
 */
export class DraftProposal extends HTMLElement {
  private watching: Watching | null = null;
  private draft: Draft | null = null;
  private blocks: Block[] = [];
  private works: { cited: Map<string, Cited>; insisted: Set<string> } = { cited: new Map(), insisted: new Set() };
  private takes: Take[] = []; // in their order; those that are undone stay for redo
  private stand = 0; // how many of them stand in the text
  private unrecorded = new Set<number>();
  private readonly told = el("div", { role: "alert" });
  private doing: Promise<void> = Promise.resolve();
  private waiting = 0; // how much of it is still to be done
  private leave = new AbortController();
  private resting = 0;

  connectedCallback(): void {
    if (!this.editor) return; // a page of its own: the server's answers serve there
    this.leave = new AbortController();
    const { signal } = this.leave;
    // before htmx hears of it
    this.addEventListener("submit", (event) => this.pressed(event), { signal, capture: true });
    const job = this.getAttribute("job");
    if (job && ALIVE.includes(this.getAttribute("state") ?? "")) {
      this.watching = new Watching(this, job, () => void this.ended());
      return;
    }
    this.addEventListener("change", () => void this.renew(), { signal });
    this.editor.addEventListener("edited", () => this.edited(), { signal });
    document.body.addEventListener("section-saved", () => void this.tellTaken(), { signal });
    signal.addEventListener(
      "abort",
      knownCite.heard(() => this.chipsChanged()),
    );
    void this.start();
  }

  disconnectedCallback(): void {
    this.leave.abort();
    this.watching?.close();
    this.watching = null;
    clearTimeout(this.resting);
  }

  private get src(): string {
    return this.getAttribute("src") ?? "";
  }

  private get editor(): Editor | null {
    return document.querySelector<Editor>("section-editor");
  }

  /** The job has come to its end: what the server makes of it stands here in a moment, as a new element. */
  private async ended(): Promise<void> {
    const id = this.id;
    await fetchInto(this, "outerHTML");
    const blocks = document.getElementById(id)?.querySelectorAll("[data-block]").length;
    sayAloud(blocks ? "Draft is ready." : "The draft has ended without a proposal.");
    this.tell("draft-ended");
  }

  private async start(): Promise<void> {
    try {
      this.draft = await read(this.src, this.insisted());
    } catch {
      return; // what the server rendered serves without us
    }
    await customElements.whenDefined("section-editor");
    if (!this.isConnected) return;
    this.learn(this.draft);
    const mine = this.editor?.latex ?? "";
    const before = this.blocks.filter(({ number }) => this.draft?.taken.includes(number));
    this.takes = before.length
      ? [new Map(before.map(({ number, latex, safe }) => [number, mine.includes(latex.trim()) ? latex : safe]))]
      : [];
    this.stand = this.takes.length;
    this.querySelector("[data-part=take]")?.prepend(this.told);
    this.drawActs();
    this.dataset.ready = "";
    this.chipsChanged();
  }

  private learn(draft: Draft): void {
    this.draft = draft;
    this.blocks = inUnits(draft.base, draft.blocks);
    this.works = { cited: new Map(draft.citations.map((one) => [one.key, one])), insisted: new Set(this.insisted()) };
    this.drawChanges();
  }

  private drawChanges(): void {
    for (const block of this.blocks) {
      const place = this.placeOf(block.number);
      place?.querySelectorAll(":scope > p:not([class]), :scope > .change").forEach((old) => old.remove());
      place?.prepend(...changeOf(block, this.works));
    }
  }

  private get taken(): Map<number, string> {
    return together(this.takes.slice(0, this.stand));
  }

  /** The buttons, as it stands now with what is taken. */
  private drawActs(): void {
    const [open, taken] = [this.open(), this.taken];
    for (const { number } of this.blocks) {
      const place = this.placeOf(number);
      const row = place?.querySelector<HTMLElement>("button[name=numbers]")?.closest<HTMLElement>(".row");
      if (!place || !row) continue; // taken before this page came, or the only one
      const isTaken = taken.has(number);
      place.toggleAttribute("data-taken", isTaken);
      row.hidden = isTaken;
      if (!isTaken) place.querySelector(".is-taken")?.remove();
      else if (!place.querySelector(".is-taken"))
        place.append(el("p", { class: "row small soft is-taken" }, icon("check"), "Taken"));
    }
    const acts = this.querySelector<HTMLElement>("[data-part=acts]");
    const all = acts?.querySelector<HTMLElement>("[data-take-all]");
    if (!acts || !all) return;
    acts.hidden = !open.length;
    const promise = this.querySelector<HTMLElement>("[data-part=promise]");
    if (promise)
      promise.textContent = open.length
        ? "Nothing changes in your text until you take it. One undo takes it back."
        : "Taken. One undo takes it back.";
    all.dataset.words ??= all.textContent ?? "";
    all.textContent = open.length < this.blocks.length ? "Take the rest" : all.dataset.words;
  }

  private open(): number[] {
    const { taken } = this;
    return this.blocks.map(({ number }) => number).filter((number) => !taken.has(number));
  }

  private placeOf(number: number): HTMLElement | null {
    return this.querySelector<HTMLElement>(`[data-block="${number}"]`);
  }

  private insisted(): string[] {
    return [...this.querySelectorAll<HTMLInputElement>("input[name=insist]:checked")].map(({ value }) => value);
  }

  // What a person makes of it

  /** A button of the server's forms: what it asks for is done here, where the text is. */
  private pressed(event: SubmitEvent): void {
    const button = event.submitter;
    if (!(event.target instanceof HTMLFormElement) || !(button instanceof HTMLButtonElement)) return;
    const stops = event.target.dataset.part === "stop";
    if (!stops && (event.target.dataset.part !== "take" || !this.draft)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (stops) void this.does(button, () => stop(this.src), "Stopping");
    else if (button.hasAttribute("data-leave")) void this.does(button, () => this.leaveIt());
    else void this.does(button, () => this.take(button.name === "numbers" ? [Number(button.value)] : this.open()));
  }

  /** One thing after the other, as they were asked for. `words`: what the button says from then on. */
  private async does(button: HTMLButtonElement, act: () => Promise<unknown>, words = ""): Promise<void> {
    if (button.ariaDisabled === "true") return;
    button.ariaDisabled = "true";
    if (words) button.textContent = words;
    this.waiting += 1;
    this.doing = this.doing.then(async () => {
      try {
        this.say("");
        await act();
      } catch (error) {
        this.say(said(error));
      }
      this.waiting -= 1;
      if (!words) button.ariaDisabled = null;
    });
    await this.doing;
  }

  private async take(numbers: readonly number[]): Promise<void> {
    if (!this.draft || !numbers.length) return;
    const held = this.contains(document.activeElement);
    const chosen = new Map(
      this.blocks.filter(({ number }) => numbers.includes(number)).map(({ number, safe }) => [number, safe]),
    );
    const { base, text } = taking(this.draft.base, this.blocks, this.taken, chosen);
    const { outcome, saved } = await (await kept).propose(base, text);
    if (outcome === "unsaved")
      return this.say("What you typed could not be saved first, so nothing was taken. Try again once it says “Saved”.");
    if (outcome === "left") return this.say("Your text stays as it was. The proposal is still here.");
    this.takes = [...this.takes.slice(0, this.stand), chosen];
    this.stand = this.takes.length;
    numbers.forEach((number) => this.unrecorded.add(number));
    this.drawActs();
    sayAloud("Taken. One undo takes it back.");
    if (held) this.focusNext(numbers.at(-1)!);
    void saved.then(() => this.tellTaken());
  }

  private async leaveIt(): Promise<void> {
    const id = this.id;
    await discard(this.src);
    await fetchInto(this, "outerHTML");
    document.getElementById(id)?.focus();
    sayAloud("Not taken. It stays among the earlier proposals.");
    this.tell("draft-settled");
  }

  /** The server is told which blocks were taken; what it did not hear is told again after the next save. */
  private async tellTaken(): Promise<void> {
    const numbers = [...this.unrecorded];
    if (!numbers.length) return;
    this.unrecorded.clear();
    try {
      await record(this.src, numbers);
      this.tell("draft-settled");
    } catch {
      numbers.forEach((number) => this.unrecorded.add(number));
    }
  }

  /** What is known of the works has changed, or what the person insists on: the blocks as they would be taken now. */
  private async renew(): Promise<void> {
    try {
      this.learn(await read(this.src, this.insisted()));
    } catch (error) {
      this.say(said(error));
    }
  }

  /** The page knows more of the works than the proposal came with: they were checked since. */
  private chipsChanged(): void {
    if (!this.draft) return;
    const works = [...this.works.cited.values()];
    const isNew = works.some(
      ({ key, status }) =>
        (knownCite.of(key) as Chip | null)?.status !== undefined && (knownCite.of(key) as Chip).status !== status,
    );
    const unlisted = works.some(
      ({ key, bad }) => bad && !this.querySelector(`[data-part=cited] [data-key="${CSS.escape(key)}"][data-bad]`),
    );
    const now = works
      .map(({ key, status }) => `${key} ${status} ${(knownCite.of(key) as Chip | null)?.status ?? ""}`)
      .join();
    if ((!isNew && !unlisted) || asked.get(this.src) === now) return this.drawChanges();
    asked.set(this.src, now);
    // The list of works is the server's: it is asked for anew, unless somebody is at it.
    if (this.takes.length || this.waiting || this.contains(document.activeElement)) void this.renew();
    else void fetchInto(this, "outerHTML");
  }

  /** The text changed: a block that was taken may be out of it again, or back in it. */
  private edited(): void {
    if (!this.takes.length) return;
    clearTimeout(this.resting);
    this.resting = window.setTimeout(() => {
      this.stand = standing(this.editor?.latex ?? "", this.draft?.base ?? "", this.blocks, this.takes);
      this.drawActs();
    }, RESTING);
  }

  private focusNext(number: number): void {
    const places = this.blocks.map((block) => this.placeOf(block.number));
    const after = this.blocks.findIndex((block) => block.number === number);
    const buttons = [...places.slice(after + 1), ...places.slice(0, after)].map((place) =>
      place?.querySelector<HTMLElement>("button[name=numbers]"),
    );
    (buttons.find((button) => button?.checkVisibility()) ?? this).focus({ preventScroll: true });
  }

  private say(words: string): void {
    this.told.replaceChildren(...(words ? [notice(words)] : []));
  }

  private tell(what: "draft-ended" | "draft-settled"): void {
    document.body.dispatchEvent(new CustomEvent(what, { detail: { draft: this.getAttribute("draft") } }));
  }
}

customElements.define("draft-proposal", DraftProposal);
