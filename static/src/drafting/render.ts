import { el, icon } from "../cite-dialog/render";
import { drawCite, type Chip, type ChipState } from "../citation-chips/chip";
import { chipStore } from "../citation-chips/chips";
import type { Block } from "./blocks";
import { wordDiff, piecesOf, type Piece, type Run } from "./word-diff";
import type { CitedWork } from "./server";

const RED_TIERS = ["d", "conflict", "retracted", "missing"];
const GAP = /(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)\s*/;

/** The works a draft cites by key, and the keys of unverified works to cite anyway. */
export interface DraftWorks {
  cited: ReadonlyMap<string, CitedWork>;
  insisted: ReadonlySet<string>;
}

/** Draw the changes of a block, paragraph by paragraph, with chips for the works it cites. */
export function drawChanges({ was, latex }: Block, works: DraftWorks): HTMLElement[] {
  const [old, young] = [was, latex].map((text) =>
    text
      .split(GAP)
      .map((part) => part.trim())
      .filter(Boolean),
  ) as [string[], string[]];
  // Only a single paragraph that becomes a single one is compared word by word; otherwise the pairing is unknown.
  const paragraphs: Run[][] =
    old.length === 1 && young.length === 1
      ? [wordDiff(old[0]!, young[0]!)]
      : [
          ...old.map((text): Run[] => [{ fate: "del", pieces: piecesOf(text) }]),
          ...young.map((text): Run[] => [{ fate: "ins", pieces: piecesOf(text) }]),
        ];
  // works cited there before were chosen by the writer
  const own = new Set(piecesOf(was).flatMap(({ keys = [] }) => keys));
  return paragraphs.map((runs) => el("p", { class: "change" }, ...runs.map((run) => drawRun(run, works, own))));
}

function drawRun({ fate, pieces }: Run, works: DraftWorks, own: ReadonlySet<string>): Node {
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
  works: DraftWorks,
  own: ReadonlySet<string>,
): HTMLElement {
  if (kind !== "cite") return el("span", { class: "tex" }, text);
  const chips = el("span", { class: "cites" });
  const notes = [...text.matchAll(/\[([^[\]{}]*)\]/g)].map((note) => note[1] ?? "");
  const command = /[A-Za-z]+/.exec(text)?.[0] ?? "cite";
  drawCite(
    chips,
    { command, keys, pre: notes.length > 1 ? notes[0]! : null, post: notes.at(-1) ?? null, source: text },
    { of: (key) => chipFor(key, works) },
  );
  for (const chip of isNew ? chips.querySelectorAll<HTMLElement>("[data-key]") : []) {
    const key = chip.dataset.key ?? "";
    if (!works.cited.get(key)?.bad || works.insisted.has(key) || own.has(key)) continue;
    chip.dataset.out = "";
    chip.append(el("span", { class: "vh" }, ", left out"));
  }
  return chips;
}

/** Look up a chip: the page's own, else one made from the draft's data. A bad work is always red. */
function chipFor(key: string, { cited }: DraftWorks): ChipState {
  const [known, citedWork] = [chipStore.of(key), cited.get(key)];
  if (!citedWork) return known;
  const tier = citedWork.tier.toLowerCase();
  const chip: Chip =
    known && known !== "missing"
      ? known
      : {
          id: "",
          label: key,
          tier: tier || "wait",
          letter: /^[a-d]$/.test(tier) ? tier.toUpperCase() : "",
          icon: "",
          words: citedWork.title,
          status: citedWork.status,
          retracted: citedWork.retracted,
          pending: false,
        };
  return citedWork.bad && !RED_TIERS.includes(chip.tier)
    ? { ...chip, tier: "conflict", letter: "", icon: "alert", words: "does not match the registries" }
    : chip;
}

/** Create a notice that warns of a problem. */
export function notice(words: string): HTMLElement {
  return el("div", { class: "notice", "data-tier": "c" }, icon("alert"), el("p", {}, words));
}
