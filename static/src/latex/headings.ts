import { headingAt, LEVELS } from "./blocks";
import type { HeadingJSON } from "./document";
import { contentOf, unitsOf } from "./inline";
import { replaceAt, applyChanges, type TextChange } from "./splice";
import { structure } from "./structure";
import { writeInline } from "./write-inline";

const BY_LEVEL = ["chapter", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"];

/** Parse a heading; null when its title is more than a line of text. */
export function readHeading(source: string): HeadingJSON | null {
  const parts = headingAt(source, 0, structure(source).ends);
  const units = parts && unitsOf(source.slice(...parts.title));
  if (!parts || !units || parts.end !== source.length) return null;
  return {
    type: "heading",
    attrs: {
      level: LEVELS[parts.name] ?? 1,
      command: parts.name,
      starred: parts.starred,
      label: parts.label && source.slice(...parts.label),
      short: parts.short && source.slice(...parts.short),
    },
    content: contentOf(units),
  };
}

/** Return the command of a heading; its level wins over its command. */
export function headingCommand({ level, command }: HeadingJSON["attrs"]): string {
  return command && LEVELS[command] === level ? command : (BY_LEVEL[level] ?? "section");
}

/** Write a heading as LaTeX; parts that are unchanged stay as in `source`. */
export function writeHeading(node: HeadingJSON, source: string | null, newline: string): string {
  const { starred, label, short } = node.attrs;
  const command = headingCommand(node.attrs);
  const parts = source === null ? null : headingAt(source, 0, structure(source).ends);
  if (source === null || !parts || parts.end !== source.length) {
    const title = writeInline(node.content, null, newline);
    const shortTitle = short != null ? `[${short}]` : "";
    const labelled = label ? `\\label{${label}}` : "";
    return `\\${command}${starred ? "*" : ""}${shortTitle}{${title}}${labelled}`;
  }
  const title = source.slice(...parts.title);
  const changes: TextChange[] = [
    ...replaceAt(source, [0, parts.name.length + 1 + (parts.starred ? 1 : 0)], `\\${command}${starred ? "*" : ""}`),
    ...replaceAt(source, parts.title, writeInline(node.content, title, newline)),
  ];
  if (parts.short && short == null) changes.push({ from: parts.short[0] - 1, to: parts.short[1] + 1, text: "" });
  else if (parts.short) changes.push(...replaceAt(source, parts.short, short ?? ""));
  else if (short != null) changes.push({ from: parts.title[0] - 1, to: parts.title[0] - 1, text: `[${short}]` });
  if (parts.label && !label) changes.push({ from: parts.title[1] + 1, to: parts.end, text: "" });
  else if (parts.label) changes.push(...replaceAt(source, parts.label, label ?? ""));
  else if (label) changes.push({ from: parts.end, to: parts.end, text: `\\label{${label}}` });
  return applyChanges(source, changes);
}
