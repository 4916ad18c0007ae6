import assert from "node:assert/strict";
import { test } from "node:test";
import { toDocument, toLatex, type BlockJSON, type DocJSON } from ".";
import { blockKey } from "./block-keys";
import { visibleKey } from "./keys";
import { around, chapters, dice, countChanged } from "./edits.test-data";

const EDITS = 160;

interface Nested {
  type: string;
  text?: string;
  content?: Nested[];
}

/** List all texts in a node at any depth. */
function textsIn(node: Nested): Nested[] {
  return node.type === "text" ? [node] : (node.content ?? []).flatMap(textsIn);
}

/** Return what a document shows, independent of how its raw parts are divided. */
function seen(doc: DocJSON): string {
  return doc.content
    .map((node) =>
      node.type === "rawBlock"
        ? node.attrs.latex
        : node.type === "paragraph"
          ? visibleKey(node.content)
          : blockKey(node),
    )
    .join(" ")
    .replace(/[\u0000-\u0003]|\s+/g, " ")
    .replace(/ +/g, " ")
    .trim();
}

test("deleted, moved, copied and inserted blocks are parsed back as they were left", () => {
  const roll = dice(5);
  const read = chapters().map(([name, source]) => ({ name, ...toDocument(source) }));
  const failures: string[] = [];
  for (let made = 0; made < EDITS; made++) {
    const { name, doc, tail, newline } = read[made % read.length] as (typeof read)[number];
    const content = [...doc.content];
    const at = Math.floor(roll() * content.length);
    const to = Math.floor(roll() * content.length);
    const kind = made % 4;
    const one = content[at] as BlockJSON;
    if (kind === 0) content.splice(at, 1 + Math.floor(roll() * 3));
    else if (kind === 1) content.splice(to, 0, ...content.splice(at, 1));
    else if (kind === 2) content.splice(to, 0, one);
    else
      content.splice(at, 0, {
        type: "paragraph",
        attrs: { source: null, before: null, place: null },
        content: [{ type: "text", text: "New 5% text." }],
      });
    const text = toLatex({ type: "doc", content }, tail, newline);
    const [wanted, found] = [seen({ type: "doc", content }), seen(toDocument(text).doc)];
    if (wanted !== found) {
      let from = 0;
      while (wanted[from] === found[from]) from++;
      failures.push(
        `${name} ${["delete", "move", "copy", "new"][kind]} ${at} ${to}: ` +
          `${JSON.stringify(wanted.slice(Math.max(0, from - 60), from + 60))} ` +
          `${JSON.stringify(found.slice(Math.max(0, from - 60), from + 60))}`,
      );
    }
    if (newline === "\r\n") assert.doesNotMatch(text, /[^\r]\n/);
  }
  assert.deepEqual(failures.slice(0, 10), []);
});

test("changing a word in a title, an item, a cell or a caption changes only that part of its block", () => {
  const roll = dice(9);
  const failures: string[] = [];
  const read = chapters().map(([name, source]) => ({ name, source, ...toDocument(source) }));
  for (let made = 0; made < EDITS; made++) {
    const { name, source, doc, tail, newline } = read[made % read.length] as (typeof read)[number];
    const places = doc.content.flatMap((node, place) =>
      node.type !== "paragraph" && textsIn(node as Nested).length ? [place] : [],
    );
    const at = places[Math.floor(roll() * places.length)] ?? 0;
    const node = structuredClone(doc.content[at]) as BlockJSON;
    const texts = textsIn(node as Nested);
    const text = texts[Math.floor(roll() * texts.length)] as Nested;
    const words = (text.text ?? "").split(" ");
    words[Math.floor(roll() * words.length)] = ["new", "50%", "a_b", "[1]", "gone", "x & y"][made % 6] as string;
    text.text = words.join(" ") || "all";
    const content = doc.content.with(at, node);
    const latex = toLatex({ type: "doc", content }, tail, newline);
    const [prefix, suffix] = around(doc, tail, at, at);
    const apart = latex.startsWith(prefix) && latex.endsWith(suffix) && countChanged(source, latex) < 60;
    if (!apart || seen({ type: "doc", content }) !== seen(toDocument(latex).doc))
      failures.push(`${name}: ${latex.slice(prefix.length, latex.length - suffix.length)}`);
  }
  assert.deepEqual(failures.slice(0, 5), []);
});

test("every block keeps its content when it is written without its source", () => {
  const failures: string[] = [];
  for (const [name, source] of chapters()) {
    const { doc, newline } = toDocument(source);
    for (const node of doc.content) {
      const placed =
        // the defaults of a new block
        node.type === "table" || node.type === "figure" ? { placement: node.attrs?.placement ?? "htbp" } : {};
      const alone = {
        ...node,
        attrs: { ...node.attrs, ...placed, source: null, before: null, place: null },
      } as BlockJSON;
      const latex = toLatex({ type: "doc", content: [alone] }, "", newline);
      const [wanted, found] = [seen({ type: "doc", content: [alone] }), seen(toDocument(latex).doc)];
      if (wanted !== found)
        failures.push(`${name}: ${JSON.stringify(latex)}\n${JSON.stringify(wanted)}\n${JSON.stringify(found)}`);
    }
  }
  assert.deepEqual(failures.slice(0, 5), []);
});
