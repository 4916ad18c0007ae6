import { hunks } from "../latex/hunks";
import { keepBoth, resolveConflicts, type Conflict } from "../latex/merge";
import type { PendingConflict } from "./state-machine";

type Choice = "mine" | "theirs" | "both" | "hand";

/** The person's decision: the merged text, and the rejected texts that go into the history. */
export interface Decision {
  text: string;
  aside: string[];
}

interface ConflictChoice {
  choice?: Choice;
  hand?: string;
}

const LONGEST = 50_000; // characters of a paragraph up to which differences are marked word by word

/** The dialog `#merge`: shows each conflict side by side and lets the person choose. */
export class MergeDialog {
  private asking: PendingConflict | null = null;
  private choices = new Map<string, ConflictChoice>(); // earlier choices, in case the same conflict comes up again
  private readonly storageKey: string;

  constructor(
    private readonly dialog: HTMLDialogElement,
    owner: string, // section and person, for the storage key
    private readonly onDecided: (decided: Decision) => void,
    private readonly onPostpone: () => void,
  ) {
    this.storageKey = `scholium:by-hand:${owner}`;
    this.choices = storedChoices(this.storageKey);
    dialog.querySelector("form")?.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    dialog.querySelector("[data-part=later]")?.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => this.closed());
    dialog.addEventListener("input", () => this.storeChoices());
  }

  open(asking: PendingConflict): void {
    this.asking = asking;
    const { conflicts } = asking.merged;
    const who = asking.names.length ? asking.names.join(" and ") : "you in another window";
    const count = conflicts.length > 1 ? `${conflicts.length} places were` : "One paragraph was";
    this.part("title").textContent = `${count} changed by ${who} too`;
    this.part("places").replaceChildren(...conflicts.map((conflict, index) => this.place(conflict, index)));
    if (!this.dialog.open) this.dialog.showModal();
    this.dialog.querySelector<HTMLInputElement>("input[type=radio]")?.focus();
  }

  private place(conflict: Conflict, index: number): HTMLElement {
    const names = this.asking?.names ?? [];
    const element = document
      .querySelector<HTMLTemplateElement>("#a-place")!
      .content.firstElementChild!.cloneNode(true) as HTMLElement;
    const inside = (name: string) => element.querySelector<HTMLElement>(`[data-part=${name}]`)!;
    const total = this.asking?.merged.conflicts.length ?? 1;
    inside("number").textContent = `Place ${index + 1} of ${total}`;
    const theirs = this.asking?.proposal
      ? "The proposal"
      : names.length === 1
        ? names[0]!
        : names.length
          ? "Theirs"
          : "The other window";
    inside("whose").textContent = inside("other").textContent = theirs;
    inside("theirs").setAttribute("aria-label", theirs);
    const [mine, other] = markDifferences(trimmed(conflict.mine), trimmed(conflict.theirs));
    inside("mine").replaceChildren(...mine);
    inside("theirs").replaceChildren(...other);
    void this.showAsRead(conflict, inside("mine"), inside("theirs"));
    const before = this.choices.get(keyOf(conflict));
    const hand = inside("hand") as HTMLTextAreaElement;
    hand.value = before?.hand ?? trimmed(conflict.mine);
    hand.hidden = before?.choice !== "hand";
    element.querySelectorAll<HTMLInputElement>("input[type=radio]").forEach((radio) => {
      radio.name = `place-${index}`;
      radio.checked = radio.value === before?.choice;
    });
    return element;
  }

  /** Show both texts as they are read instead of as LaTeX, where they are words and the editor's code can be loaded. */
  private async showAsRead({ mine, theirs }: Conflict, here: HTMLElement, there: HTMLElement): Promise<void> {
    if (!mine.trim() || !theirs.trim() || Math.max(mine.length, theirs.length) > LONGEST) return;
    const code = await import("../editor/compare-as-read").catch(() => null); // without a network the LaTeX stays
    const read = code?.compareAsRead(trimmed(mine), trimmed(theirs));
    if (!read) return;
    for (const [place, words] of [
      [here, read[0]],
      [there, read[1]],
    ] as const) {
      place.replaceChildren(...words);
      place.classList.replace("latex", "as-read");
    }
  }

  private chosen(): ConflictChoice[] {
    return [...this.part("places").children].map((place) => {
      const choice = place.querySelector<HTMLInputElement>("input[type=radio]:checked")?.value as Choice | undefined;
      const hand = place.querySelector<HTMLTextAreaElement>("textarea")!.value;
      return choice ? { choice, hand } : { hand };
    });
  }

  /** Store the choices and hand-written texts so that they outlive the dialog and the page. */
  private storeChoices(): void {
    const conflicts = this.asking?.merged.conflicts ?? [];
    this.chosen().forEach((place, index) => {
      const conflict = conflicts[index];
      if (conflict) this.choices.set(keyOf(conflict), place);
      const hand = this.part("places").children[index]?.querySelector("textarea");
      if (hand) hand.hidden = place.choice !== "hand";
    });
    try {
      sessionStorage.setItem(this.storageKey, JSON.stringify([...this.choices]));
    } catch {
      // Storage is full or missing: the choices are still in the dialog.
    }
  }

  private submit(): void {
    if (!this.asking) return;
    const { merged, mine, against, server } = this.asking;
    const places = this.chosen();
    const chosen = merged.conflicts.map((conflict, index) => textOf(conflict, places[index]!));
    const leaves = (...choices: Choice[]) => places.some(({ choice }) => choice && choices.includes(choice));
    const aside = [
      ...(leaves("theirs", "hand") ? [mine] : []),
      ...(leaves("mine", "hand") && against !== server.text ? [against] : []),
    ];
    this.asking = null;
    this.choices.clear();
    try {
      sessionStorage.removeItem(this.storageKey);
    } catch {
      // Without storage nothing was stored.
    }
    this.dialog.close();
    this.onDecided({ text: resolveConflicts(merged, chosen), aside });
  }

  /** Postpone the decision when the dialog is closed without one. */
  private closed(): void {
    if (!this.asking) return;
    this.asking = null;
    this.onPostpone();
  }

  private part(name: string): HTMLElement {
    return this.dialog.querySelector<HTMLElement>(`[data-part=${name}]`)!;
  }
}

/** Return the chosen text for `conflict`; a hand-written text keeps the empty lines around it. */
export function textOf(conflict: Conflict, { choice = "mine", hand = "" }: ConflictChoice): string {
  if (choice === "both") return keepBoth(conflict);
  if (choice !== "hand") return conflict[choice];
  const model = conflict.mine || conflict.theirs;
  const before = /^\s*/.exec(model)?.[0] ?? "";
  const newline = /\r\n|\r|\n/.exec(model)?.[0] ?? "\n";
  return hand.trim() ? before + hand.trim().replace(/\n/g, newline) : "";
}

function trimmed(text: string): string {
  return text.replace(/^(?:[ \t]*(?:\r\n|\r|\n))+/, "").trimEnd();
}

function keyOf({ mine, theirs }: Conflict): string {
  return JSON.stringify([mine, theirs]);
}

function storedChoices(key: string): Map<string, ConflictChoice> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(key) ?? "[]") as [string, ConflictChoice][]);
  } catch {
    return new Map();
  }
}

/** Mark in both texts the words that the other does not have. */
function markDifferences(one: string, other: string): [Node[], Node[]] {
  if (!one || !other || Math.max(one.length, other.length) > LONGEST) return [[plain(one)], [plain(other)]];
  const [here, there] = [one.match(/\S+|\s+/g) ?? [], other.match(/\S+|\s+/g) ?? []];
  const [left, right]: [Node[], Node[]] = [[], []];
  let [at, from] = [0, 0];
  for (const hunk of hunks(here, there)) {
    left.push(new Text(here.slice(at, hunk.start).join("")), mark(here.slice(hunk.start, hunk.end).join("")));
    right.push(new Text(there.slice(from, hunk.from).join("")), mark(there.slice(hunk.from, hunk.to).join("")));
    [at, from] = [hunk.end, hunk.to];
  }
  left.push(new Text(here.slice(at).join("")));
  right.push(new Text(there.slice(from).join("")));
  return [left, right];
}

function plain(text: string): Node {
  if (text) return new Text(text);
  const none = document.createElement("em");
  none.className = "faint";
  none.textContent = "Deleted";
  return none;
}

function mark(text: string): Node {
  if (!text) return new Text("");
  const element = document.createElement("mark");
  element.textContent = text;
  return element;
}
