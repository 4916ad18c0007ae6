import { el, icon } from "../cite-dialog/render";
import { drawCite, type Chip, type Known } from "../citation-chips/chip";
import { knownCite } from "../citation-chips/chips";
import type { Block } from "./blocks";
import { differing, piecesOf, type Piece, type Run } from "./word-diff";
import type { Cited } from "./server";

const RED = ["d", "conflict", "retracted", "missing"];
const GAP = /(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)\s*/;

/** What is known of the works of a draft, and which of them the person wants cited although nobody vouches for them. */
export interface Works {
  cited: ReadonlyMap<string, Cited>;
  insisted: ReadonlySet<string>;
}

/** What a block changes, paragraph by paragraph, with the chips of the works it cites. */
export function changeOf({ was, latex }: Block, works: Works): HTMLElement[] {
  const [old, young] = [was, latex].map((text) =>
    text
      .split(GAP)
      .map((part) => part.trim())
      .filter(Boolean),
  ) as [string[], string[]];
  // A paragraph that becomes one is compared with it; of several nobody can say which became which.
  const paragraphs: Run[][] =
    old.length === 1 && young.length === 1
      ? [differing(old[0]!, young[0]!)]
      : [
          ...old.map((text): Run[] => [{ fate: "del", pieces: piecesOf(text) }]),
          ...young.map((text): Run[] => [{ fate: "ins", pieces: piecesOf(text) }]),
        ];
  // what was cited there before is the writer's own
  const own = new Set(piecesOf(was).flatMap(({ keys = [] }) => keys));
  return paragraphs.map((runs) => el("p", { class: "change" }, ...runs.map((run) => drawRun(run, works, own))));
}

function drawRun({ fate, pieces }: Run, works: Works, own: ReadonlySet<string>): Node {
  const drawn: Node[] = [];
  let words = "";
  const flush = (): void => {
    if (words) drawn.push(new Text(words));
    words = "";
  };
  for (const piece of pieces) {
    if (piece.kind === "words") words += piece.text;
    else if (piece.text === "~") words += "\u00a0";
    else {
      flush();
      drawn.push(drawPiece(piece, fate === "ins", works, own));
    }
  }
  flush();
  if (fate !== "same") return el(fate, {}, ...drawn);
  const same = document.createDocumentFragment();
  same.append(...drawn);
  return same;
}

function drawPiece(
  { kind, text, keys = [] }: Piece,
  isNew: boolean,
  works: Works,
  own: ReadonlySet<string>,
): HTMLElement {
  if (kind !== "cite") return el("span", { class: "tex" }, text);
  const chips = el("span", { class: "cites" });
  const notes = [...text.matchAll(/\[([^[\]{}]*)\]/g)].map((note) => note[1] ?? "");
  const command = /[A-Za-z]+/.exec(text)?.[0] ?? "cite";
  drawCite(
    chips,
    { command, keys, pre: notes.length > 1 ? notes[0]! : null, post: notes.at(-1) ?? null, source: text },
    { of: (key) => lookedUp(key, works) },
  );
  for (const chip of isNew ? chips.querySelectorAll<HTMLElement>("[data-key]") : []) {
    const key = chip.dataset.key ?? "";
    if (!works.cited.get(key)?.bad || works.insisted.has(key) || own.has(key)) continue;
    chip.dataset.out = "";
    chip.append(el("span", { class: "vh" }, ", left out"));
  }
  return chips;
}

/** What the chips of the page know; before they do, what the draft came with. What is bad is red in any case. */
function lookedUp(key: string, { cited }: Works): Known {
  const [known, told] = [knownCite.of(key), cited.get(key)];
  if (!told) return known;
  const tier = told.tier.toLowerCase();
  const chip: Chip =
    known && known !== "missing"
      ? known
      : {
          id: "",
          label: key,
          tier: tier || "wait",
          letter: /^[a-d]$/.test(tier) ? tier.toUpperCase() : "",
          icon: "",
          words: told.title,
          status: told.status,
          retracted: told.retracted,
          pending: false,
        };
  return told.bad && !RED.includes(chip.tier)
    ? { ...chip, tier: "conflict", letter: "", icon: "alert", words: "not in the registries as it is cited" }
    : chip;
}

export function notice(words: string): HTMLElement {
  return el("div", { class: "notice", "data-tier": "c" }, icon("alert"), el("p", {}, words));
}
