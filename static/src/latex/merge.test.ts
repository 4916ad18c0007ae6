import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { chunksOf } from "./chunks";
import { hunks } from "./hunks";
import { diffIndices } from "node-diff3";
import { unchangedPairs } from "./myers";
import { keepBoth, mergeBlocks, resolveConflicts } from "./merge";
import { HANGS } from "../time-limits.test-data";

const word = fc.constantFrom(
  "wound",
  "Dexamethasone",
  "\\cite{horby2021}",
  "28",
  "days",
  "$p<0.05$",
  "é",
  "%",
  "{",
  "😀",
);
const paragraph = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(" "));
const gap = fc.constantFrom("\n\n", "\n\n\n", "\n \n", "\r\n\r\n");
const source = fc
  .array(fc.tuple(paragraph, gap), { maxLength: 8 })
  .map((parts) => parts.map(([words, space]) => words + space).join(""));
const anything = fc.oneof(
  source,
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "\r"), maxLength: 30 }),
);
const lists = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 14 });

test("joining the chunks restores any text", () => {
  fc.assert(
    fc.property(
      anything,
      (text) =>
        chunksOf(text)
          .map(({ before, source: words }) => before + words)
          .join("") === text,
    ),
    { numRuns: 500 },
  );
});

test("the changes between two lists transform one into the other, in order and without overlap", () => {
  fc.assert(
    fc.property(lists, lists, (old, young) => {
      const made: string[] = [];
      let at = 0;
      for (const { start, end, from, to } of hunks(old, young)) {
        assert.ok(start > at || at === 0);
        made.push(...old.slice(at, start), ...young.slice(from, to));
        at = end;
      }
      assert.deepEqual([...made, ...old.slice(at)], young);
    }),
    { numRuns: 1000 },
  );
});

test("the shortest edit is found when few entries changed, and it is valid", () => {
  fc.assert(
    fc.property(lists, lists, (old, young) => {
      const same = unchangedPairs(old, young, 28)!;
      same.forEach(([here, there], index) => {
        assert.equal(old[here], young[there]);
        assert.ok(!index || (here > same[index - 1]![0] && there > same[index - 1]![1]));
      });
      const longest = diffIndices(old, young).reduce((sum, { buffer1 }) => sum - buffer1[1], old.length);
      assert.equal(same.length, longest);
    }),
  );
  assert.equal(unchangedPairs(["a", "b"], ["c", "d"], 3), null);
});

test("when one side changed nothing, the result is exactly the other's text", () => {
  fc.assert(
    fc.property(anything, anything, (base, changed) => {
      assert.deepEqual(mergeBlocks(base, base, changed), { text: changed, conflicts: [] });
      assert.deepEqual(mergeBlocks(base, changed, base), { text: changed, conflicts: [] });
      assert.deepEqual(mergeBlocks(base, changed, changed), { text: changed, conflicts: [] });
    }),
  );
});

test("conflicts have the right position, and choosing mine everywhere changes nothing", () => {
  fc.assert(
    fc.property(source, source, source, (base, mine, theirs) => {
      const merged = mergeBlocks(base, mine, theirs);
      for (const conflict of merged.conflicts) {
        assert.equal(merged.text.slice(conflict.at, conflict.at + conflict.mine.length), conflict.mine);
        assert.notEqual(conflict.mine, conflict.theirs);
      }
      assert.equal(
        resolveConflicts(
          merged,
          merged.conflicts.map(({ mine: words }) => words),
        ),
        merged.text,
      );
    }),
    { numRuns: 500 },
  );
});

/** Distinct numbered paragraphs; each side changes, deletes and adds some. */
const edit = (side: string) =>
  fc
    .array(fc.record({ at: fc.nat(9), act: fc.constantFrom("change", "drop", "add" as const), words: fc.nat(3) }), {
      maxLength: 6,
    })
    .map((acts) => {
      const result = Array.from({ length: 10 }, (_, index) => [`Paragraph ${index} as it was.`]);
      acts.forEach(({ at, act, words }, index) => {
        const own = `New ${side}${index} ${"word ".repeat(words)}end.`;
        if (act === "change") result[at] = [`${result[at]?.at(-1) ?? ""} ${own}`.trim()];
        if (act === "drop") result[at] = [];
        if (act === "add") result[at] = [...(result[at] ?? []), own];
      });
      return {
        text: `${result.flat().join("\n\n")}\n`,
        own:
          result
            .flat()
            .join(" ")
            .match(new RegExp(`New ${side}\\d+ `, "g")) ?? [],
        touched: new Set(acts.map(({ at }) => at)),
        result,
      };
    });
const before = `${Array.from({ length: 10 }, (_, index) => `Paragraph ${index} as it was.`).join("\n\n")}\n`;

test("everything either side wrote is in the text or in a conflict", () => {
  fc.assert(
    fc.property(edit("m"), edit("t"), (mine, theirs) => {
      const { text, conflicts } = mergeBlocks(before, mine.text, theirs.text);
      const all = [text, ...conflicts.map((conflict) => conflict.theirs)].join("\n");
      for (const words of [...mine.own, ...theirs.own]) assert.ok(all.includes(words), `${words} is lost`);
      const kept = resolveConflicts({ text, conflicts }, conflicts.map(keepBoth));
      for (const words of [...mine.own, ...theirs.own]) assert.ok(kept.includes(words), `${words} is lost by "both"`);
    }),
    { numRuns: 1000 },
  );
});

test("changes of different paragraphs are both applied", () => {
  const apart = fc
    .tuple(edit("m"), edit("t"))
    .filter(([mine, theirs]) =>
      [...mine.touched].every((at) => ![at - 1, at, at + 1].some((near) => theirs.touched.has(near))),
    );
  fc.assert(
    fc.property(apart, ([mine, theirs]) => {
      const wanted = mine.result.map((parts, at) => (theirs.touched.has(at) ? theirs.result[at]! : parts)).flat();
      const merged = mergeBlocks(before, mine.text, theirs.text);
      assert.deepEqual(merged.conflicts, []);
      assert.deepEqual(
        chunksOf(merged.text)
          .map(({ key }) => key)
          .filter(Boolean),
        wanted.filter(Boolean),
      );
    }),
  );
});

test("neighbouring changes, and an insertion next to a change, are both applied", () => {
  assert.deepEqual(mergeBlocks("A\n\nB\n\nC\n", "A1\n\nB\n\nC\n", "A\n\nB2\n\nC\n"), {
    text: "A1\n\nB2\n\nC\n",
    conflicts: [],
  });
  assert.deepEqual(mergeBlocks("A\n\nB\n", "A\n\nX\n\nB\n", "A2\n\nB\n"), { text: "A2\n\nX\n\nB\n", conflicts: [] });
});

test("paragraphs of two sides are never joined", () => {
  assert.equal(mergeBlocks("A\n\nB\n", "B\n", "X\n\nA\n\nB\n").text, "X\n\nB\n");
  const merged = mergeBlocks("A\n\nB\n", "B\n", "A changed\n\nB\n");
  assert.deepEqual(merged.conflicts, [{ base: "A", mine: "", theirs: "A changed", at: 0 }]);
  assert.equal(resolveConflicts(merged, ["A changed"]), "A changed\n\nB\n");
});

test("changes of the same paragraph conflict, unless one contains the other", () => {
  const conflict = mergeBlocks("A cat sat.\n", "A dog sat.\n", "A cat stood.\n").conflicts[0]!;
  assert.deepEqual(conflict, { base: "A cat sat.", mine: "A dog sat.", theirs: "A cat stood.", at: 0 });
  assert.equal(keepBoth(conflict), "A dog sat.\n\nA cat stood.");
  const headed = { base: "", at: 0, mine: "\\section{A}\n\nMine.\n\nEnd.", theirs: "\\section{A}\n\nTheirs.\n\nEnd." };
  assert.equal(keepBoth(headed), "\\section{A}\n\nMine.\n\nTheirs.\n\nEnd.");
  assert.deepEqual(mergeBlocks("A cat sat.\n", "A dog sat there.\n", "A dog sat.\n"), {
    text: "A dog sat there.\n",
    conflicts: [],
  });
  assert.deepEqual(mergeBlocks("A cat", "A cat sat", "A cat sat there"), { text: "A cat sat there", conflicts: [] });
});

test("a deletion against a change is a conflict; a deletion by both is applied", () => {
  assert.equal(mergeBlocks("A\n\nB\n\nC\n", "A\n\nC\n", "A\n\nB2\n\nC\n").conflicts.length, 1);
  assert.deepEqual(mergeBlocks("A\n\nB\n\nC\n\nD\n", "A\n\nD\n", "A\n\nC\n\nD\n"), { text: "A\n\nD\n", conflicts: [] });
});

test("different line endings are no conflict and stay as they are", () => {
  assert.equal(
    mergeBlocks("A\r\nb\r\n\r\nB\r\n", "A\r\nb\r\n\r\nB2\r\n", "A1\r\nb\r\n\r\nB\r\n").text,
    "A1\r\nb\r\n\r\nB2\r\n",
  );
  assert.deepEqual(mergeBlocks("A\r\n\r\nB\r\n", "A\n\nB\n", "A\r\n\r\nB\r\n\r\nC\r\n").conflicts, []);
});

test("an unfinished environment does not swallow the rest of the text", () => {
  const rest = "One.\n\nTwo.\n\nThree.\n";
  assert.deepEqual(mergeBlocks(rest, `\\begin{figure}\n\n${rest}`, rest.replace("Three", "3")).conflicts, []);
});

test("a section of five megabytes is merged in reasonable time", () => {
  const many = Array.from(
    { length: 40_000 },
    (_, index) => `Paragraph ${index % 900} ${"of a long section ".repeat(7)}`,
  );
  const changed = (at: number[], words: string) =>
    many.map((text, index) => (at.includes(index) ? `${text}${words}` : text)).join("\n\n");
  const base = many.join("\n\n");
  assert.ok(base.length > 5_000_000);
  const began = performance.now();
  const { conflicts } = mergeBlocks(base, changed([1, 20_000, 39_999], "mine"), changed([5, 20_010, 39_000], "theirs"));
  assert.deepEqual(conflicts, []);
  const other = Array.from({ length: 40_000 }, (_, index) => `Other ${index}`).join("\n\n");
  mergeBlocks(base, other, changed([3], "theirs"));
  assert.ok(performance.now() - began < HANGS);
});
