import { hunks } from "../latex/hunks";
import { both, settled, type Conflict } from "../latex/merge";
import type { Asking } from "./state-machine";

type Choice = "mine" | "theirs" | "both" | "hand";

/** What a person decided: the whole text, and what goes into the history because it is not in it. */
export interface Decided {
  text: string;
  aside: string[];
}

interface Place {
  choice?: Choice;
  hand?: string;
}

const LONGEST = 50_000; // characters of a paragraph whose differences are marked word by word

/** The dialog `#merge`: each place that both sides changed, side by side, and what is to stand there. */
export class MergeDialog {
  private asking: Asking | null = null;
  private places = new Map<string, Place>(); // what was chosen for a place before, should it come up again
  private readonly kept: string;

  constructor(
    private readonly dialog: HTMLDialogElement,
    owner: string, // whose choices these are: section and person
    private readonly decided: (decided: Decided) => void,
    private readonly later: () => void,
  ) {
    this.kept = `scholium:by-hand:${owner}`;
    this.places = remembered(this.kept);
    dialog.querySelector("form")?.addEventListener("submit", (event) => {
      event.preventDefault();
      this.done();
    });
    dialog.querySelector("[data-part=later]")?.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => this.closed());
    dialog.addEventListener("input", () => this.note());
  }

  open(asking: Asking): void {
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
    const made = document
      .querySelector<HTMLTemplateElement>("#a-place")!
      .content.firstElementChild!.cloneNode(true) as HTMLElement;
    const inside = (name: string) => made.querySelector<HTMLElement>(`[data-part=${name}]`)!;
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
    const [mine, other] = marked(trimmed(conflict.mine), trimmed(conflict.theirs));
    inside("mine").replaceChildren(...mine);
    inside("theirs").replaceChildren(...other);
    const before = this.places.get(keyOf(conflict));
    const hand = inside("hand") as HTMLTextAreaElement;
    hand.value = before?.hand ?? trimmed(conflict.mine);
    hand.hidden = before?.choice !== "hand";
    made.querySelectorAll<HTMLInputElement>("input[type=radio]").forEach((radio) => {
      radio.name = `place-${index}`;
      radio.checked = radio.value === before?.choice;
    });
    return made;
  }

  private chosen(): Place[] {
    return [...this.part("places").children].map((place) => {
      const choice = place.querySelector<HTMLInputElement>("input[type=radio]:checked")?.value as Choice | undefined;
      const hand = place.querySelector<HTMLTextAreaElement>("textarea")!.value;
      return choice ? { choice, hand } : { hand };
    });
  }

  /** A choice was made, or something typed by hand: it outlives the dialog and the page. */
  private note(): void {
    const conflicts = this.asking?.merged.conflicts ?? [];
    this.chosen().forEach((place, index) => {
      const conflict = conflicts[index];
      if (conflict) this.places.set(keyOf(conflict), place);
      const hand = this.part("places").children[index]?.querySelector("textarea");
      if (hand) hand.hidden = place.choice !== "hand";
    });
    try {
      sessionStorage.setItem(this.kept, JSON.stringify([...this.places]));
    } catch {
      // No room, or no store: it is still in the dialog.
    }
  }

  private done(): void {
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
    this.places.clear();
    try {
      sessionStorage.removeItem(this.kept);
    } catch {
      // There was none.
    }
    this.dialog.close();
    this.decided({ text: settled(merged, chosen), aside });
  }

  /** Closed without a decision: everything stays as it is, and can be decided later. */
  private closed(): void {
    if (!this.asking) return;
    this.asking = null;
    this.later();
  }

  private part(name: string): HTMLElement {
    return this.dialog.querySelector<HTMLElement>(`[data-part=${name}]`)!;
  }
}

/** What stands in the place of `conflict`; what was put together by hand keeps the empty lines around it. */
export function textOf(conflict: Conflict, { choice = "mine", hand = "" }: Place): string {
  if (choice === "both") return both(conflict);
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

function remembered(key: string): Map<string, Place> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(key) ?? "[]") as [string, Place][]);
  } catch {
    return new Map();
  }
}

/** Both texts with the words marked that the other does not have. */
function marked(one: string, other: string): [Node[], Node[]] {
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
  none.textContent = "Taken out";
  return none;
}

function mark(text: string): Node {
  if (!text) return new Text("");
  const made = document.createElement("mark");
  made.textContent = text;
  return made;
}
