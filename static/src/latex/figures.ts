import { skipBlanks } from "./blocks";
import type { FigureJSON } from "./document";
import { commandAt, openingOf, type Command, type Opening } from "./floats";
import { contentOf, unitsOf } from "./inline";
import { indentAt, replaceAt, applyChanges, type TextChange } from "./splice";
import { structure } from "./structure";
import { writeInline } from "./write-inline";

interface Parts extends Opening {
  picture: Command;
  caption: Command | null;
  label: Command | null;
}

const ONCE = new Set(["includegraphics", "caption", "label", "centering"]);

/** Parse a figure with one picture and at most one caption and label; null for any other content. */
function partsOf(source: string): Parts | null {
  const { ends } = structure(source);
  const opening = openingOf(source, ends);
  if (opening.env !== "figure" && opening.env !== "figure*") return null;
  const found = new Map<string, Command>();
  let at = opening.inside;
  while ((at = skipBlanks(source, at)) < opening.finish) {
    if (source[at] !== "\\") return null;
    const command = commandAt(source, at, ends);
    const plain = command.name === "centering";
    if (!ONCE.has(command.name) || found.has(command.name) || plain !== !command.group || (plain && command.option))
      return null;
    found.set(command.name, command);
    at = command.end;
  }
  const picture = found.get("includegraphics");
  const caption = found.get("caption") ?? null;
  return picture && !caption?.option ? { ...opening, picture, caption, label: found.get("label") ?? null } : null;
}

/** Parse a figure; null when the editor cannot show it. */
export function readFigure(source: string): FigureJSON | null {
  const parts = partsOf(source);
  if (!parts?.picture.group) return null;
  const units = parts.caption?.group ? unitsOf(source.slice(...parts.caption.group)) : [];
  const text = (place: [number, number] | null | undefined): string | null => (place ? source.slice(...place) : null);
  return (
    units && {
      type: "figure",
      attrs: {
        path: source.slice(...parts.picture.group),
        options: text(parts.picture.option),
        label: text(parts.label?.group),
        placement: text(parts.placement),
      },
      content: contentOf(units),
    }
  );
}

/** Write a figure as LaTeX; parts that are unchanged stay as in `source`. */
export function writeFigure(node: FigureJSON, source: string | null, newline: string): string {
  const { path, options, label, placement } = node.attrs;
  const parts = source === null ? null : partsOf(source);
  const caption = parts?.caption?.group ? (source?.slice(...parts.caption.group) ?? null) : null;
  const words = writeInline(node.content, caption, newline);
  if (source === null || !parts?.picture.group) {
    const lines = [
      `\\begin{figure}[${placement || "htbp"}]`,
      "  \\centering",
      `  \\includegraphics${options ? `[${options}]` : ""}{${path}}`,
      ...(words ? [`  \\caption{${words}}`] : []),
      ...(label ? [`  \\label{${label}}`] : []),
      "\\end{figure}",
    ];
    return lines.join(newline);
  }
  const { picture } = parts;
  const changes: TextChange[] = [
    ...replaceAt(source, parts.picture.group, path),
    ...changeOption(source, picture.option, parts.picture.group[0] - 1, options),
  ];
  changes.push(...changeOption(source, parts.placement, parts.inside, placement));
  const indent = newline + indentAt(source, picture.start);
  const behind = Math.max(picture.end, parts.caption?.end ?? 0);
  if (parts.caption?.group) changes.push(...replaceAt(source, parts.caption.group, words));
  else if (words) changes.push({ from: picture.end, to: picture.end, text: `${indent}\\caption{${words}}` });
  if (parts.label?.group) {
    if (label) changes.push(...replaceAt(source, parts.label.group, label));
    else
      changes.push({
        from: parts.label.start - blanksBefore(source, parts.label.start),
        to: parts.label.end,
        text: "",
      });
  } else if (label) {
    changes.push({ from: behind, to: behind, text: `${indent}\\label{${label}}` });
  }
  return applyChanges(source, changes);
}

/** Count the white space characters before `at`. */
export function blanksBefore(source: string, at: number): number {
  return /[ \t\r\n]*$/.exec(source.slice(Math.max(0, at - 200), at))?.[0].length ?? 0;
}

/** Create the changes that set an option to `text` or remove it; a new one is inserted at `at`. */
export function changeOption(
  source: string,
  place: [number, number] | null,
  at: number,
  text: string | null | undefined,
): TextChange[] {
  if (place && text) return replaceAt(source, place, text);
  if (place) return [{ from: place[0] - 1, to: place[1] + 1, text: "" }];
  return text ? [{ from: at, to: at, text: `[${text}]` }] : [];
}
