import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { resolveConflicts } from "../latex/merge";
import { toUtf16Positions, mergeInto, countTakesIn, mergeInputFor, applyBlocks, type Block } from "./blocks";
import { wordDiff, piecesOf } from "./word-diff";

const block = (number: number, start: number, end: number, was: string, latex: string): Block => ({
  number,
  start,
  end,
  was,
  latex,
  safe: latex,
});

/** A text of distinct paragraphs and a proposal for it: some are rewritten, some inserted, some deleted. */
const proposal = fc
  .array(fc.constantFrom("stay", "stay", "anew", "in", "out"), { minLength: 1, maxLength: 9 })
  .chain((fates) =>
    fc.record({ fates: fc.constant(fates), astral: fc.boolean(), newline: fc.constantFrom("\n", "\r\n") }),
  )
  .map(({ fates, astral, newline }) => {
    let base = "";
    const blocks: Block[] = [];
    fates.forEach((fate, n) => {
      const paragraph = `${astral ? "𝛼 " : ""}Old ${n}.${newline}${newline}`;
      const [start, number] = [base.length, blocks.length + 1];
      if (fate !== "in") base += paragraph;
      if (fate === "in") blocks.push(block(number, start, start, "", `New ${n}.${newline}${newline}`));
      if (fate === "anew") blocks.push(block(number, start, base.length, paragraph, `Anew ${n}.${newline}${newline}`));
      if (fate === "out") blocks.push(block(number, start, base.length, paragraph, ""));
    });
    return { base, blocks, newline };
  });
const all = (blocks: readonly Block[]) => new Map(blocks.map(({ number, latex }) => [number, latex]));

test("taking no blocks gives the base, taking all gives the proposal, in any order", () => {
  fc.assert(
    fc.property(proposal, fc.array(fc.nat(100), { minLength: 9, maxLength: 9 }), ({ base, blocks, newline }, order) => {
      assert.equal(applyBlocks(base, blocks, new Map()), base);
      const proposed = applyBlocks(base, blocks, all(blocks));
      assert.equal(mergeInto(base, mergeInputFor(base, blocks, new Map(), all(blocks))).text, proposed);
      const taken = new Map<number, string>();
      const [takes, texts] = [[] as Map<number, string>[], [base]];
      let text = base;
      const rest = blocks
        .map(({ number, latex }, n) => ({ number, latex, at: order[n]! }))
        .sort((one, other) => one.at - other.at);
      for (const { number, latex } of rest) {
        const merged = mergeInto(text, mergeInputFor(base, blocks, taken, new Map([[number, latex]])));
        assert.deepEqual(merged.conflicts, []);
        text = merged.text;
        taken.set(number, latex);
        takes.push(new Map([[number, latex]]));
        texts.push(text);
      }
      // Undo and redo step through the texts, also with text typed elsewhere.
      if (new Set(texts).size === texts.length) {
        const typed = `Typed.${newline}${newline}`;
        texts.forEach((was, count) => assert.equal(countTakesIn(was, base, blocks, takes), count));
        if (!base.startsWith("New") && !blocks.some(({ start }) => start === 0))
          texts.forEach((was, count) => assert.equal(countTakesIn(typed + was, base, blocks, takes), count));
      }
      assert.equal(text.replace(/\s+/g, " ").trim(), proposed.replace(/\s+/g, " ").trim());
    }),
  );
});

test("whatever is taken into an edited text, nothing that was typed is lost", () => {
  const edits = fc.array(fc.record({ place: fc.nat(20), what: fc.constantFrom("paragraph", "word", "out") }), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(
      proposal,
      edits,
      fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
      ({ base, blocks, newline }, typed, chosen) => {
        const gap = newline + newline;
        const parts = base.split(gap);
        typed.forEach(({ place, what }, n) => {
          const at = place % Math.max(1, parts.length);
          if (what === "paragraph") parts.splice(at, 0, `Typed${n}.`);
          else if (what === "word") parts[at] = `${parts[at] ?? ""} typed${n}.`;
          else if (!/yped/.test(parts[at] ?? "")) parts.splice(at, 1);
        });
        const mine = parts.join(gap);
        const wanted = new Map(blocks.filter((_, n) => chosen[n]).map(({ number, latex }) => [number, latex]));
        const merged = mergeInto(mine, mergeInputFor(base, blocks, new Map(), wanted));
        const either = [
          merged.text,
          resolveConflicts(
            merged,
            merged.conflicts.map(({ mine: own, theirs }) => `${own}${gap}${theirs}`),
          ),
        ];
        for (const word of mine.match(/[Tt]yped\d/g) ?? [])
          for (const text of either) assert.ok(text.includes(word), `${word} is lost`);
        for (const [number, latex] of wanted) {
          const word = /(?:New|Anew) \d/.exec(latex)?.[0];
          if (word) assert.ok(either[1]!.includes(word), `block ${number} is lost`);
        }
        if (!wanted.size) assert.equal(merged.text, mine);
      },
    ),
  );
});

test("an undone block can be taken again; a block that was edited counts as taken", () => {
  const base = "One.\n\nTwo.\n";
  const blocks = [block(1, 4, 4, "", "\n\nBetween."), block(2, 6, 10, "Two.", "Two, anew.")];
  const takes = blocks.map(({ number, latex }) => new Map([[number, latex]]));
  const text = applyBlocks(base, blocks, all(blocks));
  assert.equal(text, "One.\n\nBetween.\n\nTwo, anew.\n");
  assert.deepEqual(
    [text, text.replace("Two, anew.", "Two."), base].map((mine) => countTakesIn(mine, base, blocks, takes)),
    [2, 1, 0],
  );
  const edited = text.replace("Between.", "Between them.").replace("anew", "once more");
  assert.equal(countTakesIn(edited, base, blocks, takes), 2);
  assert.equal(
    mergeInto(
      edited.replace("Two, once more.", "Two."),
      mergeInputFor(base, blocks, new Map([[1, "\n\nBetween."]]), new Map([[2, "Two, anew."]])),
    ).text,
    edited.replace("once more", "anew"),
  );
});

test("positions in code points are converted after characters of two units", () => {
  const base = "𝛼𝛽 one.\n\nTwo 😀 here.";
  const points = [...base];
  const at = points.indexOf("T");
  const [found] = toUtf16Positions(base, [block(1, at, points.length, "Two 😀 here.", "")]);
  assert.equal(base.slice(found!.start, found!.end), "Two 😀 here.");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 30 }), fc.nat(30), fc.nat(30), (text, one, other) => {
      const signs = [...text];
      const [start, end] = [one, other].map((place) => Math.min(place, signs.length)).sort((a, b) => a - b) as [
        number,
        number,
      ];
      const [span] = toUtf16Positions(text, [block(1, start, end, "", "")]);
      assert.equal(text.slice(span!.start, span!.end), signs.slice(start, end).join(""));
    }),
  );
});

test("a paragraph is compared by words and citations, and both texts can be restored from the result", () => {
  const tex = fc.string({
    unit: fc.constantFrom(
      "deaths ",
      "fell ",
      "\\emph{",
      "}",
      "\\cite{a}",
      "\\citep[p.~3]{b, c}",
      " ",
      "\n",
      ". ",
      "% note\n",
      "\\%",
      "$x$",
      "é",
      "😀",
    ),
    maxLength: 25,
  });
  fc.assert(
    fc.property(tex, tex, (was, now) => {
      assert.equal(
        piecesOf(now)
          .map(({ text }) => text)
          .join(""),
        now,
      );
      const runs = wordDiff(was, now);
      const read = (fate: "ins" | "del") =>
        runs
          .filter((run) => run.fate === "same" || run.fate === fate)
          .flatMap(({ pieces }) => pieces.map(({ text }) => text))
          .join("");
      const even = (text: string) => text.replace(/\s+/g, " ");
      assert.equal(even(read("ins")), even(now));
      assert.equal(even(read("del")), even(was));
    }),
  );
  const runs = wordDiff("Deaths fell somewhat \\cite{a}.", "Deaths fell by one third \\cite{a,b}.").map(
    ({ fate, pieces }) => [fate, pieces.map(({ text }) => text).join("")],
  );
  assert.deepEqual(runs, [
    ["same", "Deaths fell "],
    ["del", "somewhat \\cite{a}"],
    ["ins", "by one third \\cite{a,b}"],
    ["same", "."],
  ]);
  assert.deepEqual(piecesOf("\\citep[see][p.~3]{a, b}")[0], {
    kind: "cite",
    text: "\\citep[see][p.~3]{a, b}",
    keys: ["a", "b"],
  });
});
