import type { Editor } from "@tiptap/core";
import type { Node } from "@tiptap/pm/model";
import { plainWords } from "./plain-words";
import { printedLabels, printedPart } from "./printed-labels";
import { giveLabel, isOwnTitle, unlabelledParts, type UnlabelledPart } from "./unlabelled-parts";

/** Something that a sentence can refer to. */
export interface Target {
  key: string;
  /** What a reference to it prints: "Table 5.1". A part of this text without a label has no number here yet. */
  printed: string;
  title: string;
  /**
   * Give it its label; only for parts that have none yet. For a part of another section this is a change there: the
   * promise has the label that it got, and fails with a message for people.
   */
  label?(): void | Promise<string>;
}

const LETTERS: Record<string, string> = { heading: "sec", figure: "fig", table: "tab" };
const WORDS: Record<string, string> = { heading: "Heading", figure: "Figure", table: "Table" };
const LONGEST = 40; // characters of a label that is made from a caption

let current: Editor | null = null;

/** Set the editor of the section, whose parts may be given labels. */
export function referToPartsOf(editor: Editor | null): void {
  current = editor;
}

/** Return all that can be referred to: what has a label anywhere in the thesis, then parts of this text without one. */
export function allTargets(): Target[] {
  const labelled = Object.entries(printedLabels.all).map(([key, label]) => ({
    key,
    printed: printedLabels.printed("Cref", key) ?? key,
    title: label.title ?? "",
  }));
  return [...labelled, ...withoutLabel()];
}

/** Return the titles of sections and the parts of others without a label; none when the server cannot be reached. */
export async function targetsElsewhere(): Promise<Target[]> {
  const used = new Set(Object.keys(printedLabels.all));
  withoutLabel(used);
  return (await unlabelledParts()).map((part) => {
    const key = newLabel(part.kind, part.title, used);
    used.add(key);
    const label = (): Promise<string> => (isOwnTitle(part) ? labelTitle(part, key) : giveLabel(part, key));
    return { key, printed: printedPart(part), title: part.title, label };
  });
}

/** Give the title of the open section a label: the one that its text begins with. */
function labelTitle(part: UnlabelledPart, key: string): Promise<string> {
  const editor = current;
  if (!editor || editor.isDestroyed) return Promise.reject(new Error("The text is closed. Open “Refer to” again."));
  const first = editor.state.doc.firstChild;
  const begins = first?.firstChild;
  if (begins?.type.name === "label") return Promise.resolve(String(begins.attrs.key)); // not saved yet
  const label = editor.schema.nodes.label!.create({ key });
  const isParagraph = first?.type.name === "paragraph";
  editor.view.dispatch(
    editor.state.tr.insert(
      isParagraph ? 1 : 0,
      isParagraph ? label : editor.schema.nodes.paragraph!.create(null, label),
    ),
  );
  printedLabels.add(key, part);
  return Promise.resolve(key);
}

function withoutLabel(used = new Set(Object.keys(printedLabels.all))): Target[] {
  const editor = current;
  if (!editor || editor.isDestroyed) return [];
  const found: Target[] = [];
  editor.state.doc.descendants((node, at) => {
    if (node.type.name === "label") used.add(String(node.attrs.key));
    const title = node.attrs.label ? "" : titleOf(node);
    if (node.attrs.label) used.add(String(node.attrs.label));
    if (!title) return !node.isTextblock;
    const key = newLabel(node.type.name, title, used);
    used.add(key);
    found.push({ key, printed: WORDS[node.type.name]!, title, label: () => setLabel(editor, at, node.type.name, key) });
    return !node.isTextblock;
  });
  return found;
}

/** Return the words of a numbered heading or of a caption; "" for anything else. */
function titleOf(node: Node): string {
  if (node.type.name === "table") return node.attrs.caption ? plainWords(String(node.attrs.caption)) : "";
  if (node.type.name === "heading" && node.attrs.starred) return "";
  if (node.type.name !== "heading" && node.type.name !== "figure") return "";
  if (holds(node, "label")) return ""; // it has a label among its words
  return node.textContent.trim();
}

function holds(node: Node, name: string): boolean {
  let found = false;
  node.descendants((inner) => {
    found ||= inner.type.name === name;
  });
  return found;
}

/** Return a label made from words, such as tab:baseline-characteristics, that is not in `used`. */
export function newLabel(kind: string, words: string, used: ReadonlySet<string>): string {
  const plain = words
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();
  const short =
    plain.length > LONGEST
      ? plain
          .slice(0, LONGEST + 1)
          .replace(/\s+\S*$/, "")
          .slice(0, LONGEST)
      : plain;
  const base = `${LETTERS[kind] ?? "ref"}:${short.replace(/ /g, "-") || "1"}`;
  for (let number = 1; ; number++) {
    const key = number === 1 ? base : `${base}-${number}`;
    if (!used.has(key)) return key;
  }
}

function setLabel(editor: Editor, at: number, kind: string, key: string): void {
  const node = editor.state.doc.nodeAt(at);
  if (node?.type.name === kind && !node.attrs.label)
    editor.view.dispatch(editor.state.tr.setNodeAttribute(at, "label", key));
}
