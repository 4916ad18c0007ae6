import { fitColumns } from "./column-spec";
import type { TableJSON } from "./document";
import { blanksBefore, changeOption } from "./figures";
import { applyChanges, indentAt, replaceAt, type TextChange } from "./splice";
import { readTable, type Table } from "./tables";
import { columnsOfRows } from "./cell-places";
import { freshRows, rowChanges } from "./write-rows";

/** What stands before the notes under a new table. No braces: pandoc would read them as an argument. */
const NOTES = "\\par\\smallskip\\footnotesize ";

/** Write a table as LaTeX; unchanged rows and cells, and all rules, stay as they were. */
export function writeTable(node: TableJSON, source: string | null, newline: string): string {
  const table = source === null ? null : readTable(source);
  return source === null || !table ? newTable(node, newline) : rewriteTable(node, source, table, newline);
}

function newTable(node: TableJSON, newline: string): string {
  const { caption, label, colspec, placement, floating, notes, env } = node.attrs ?? {};
  const columns = columnsOfRows(node.content);
  const isLong = env === "longtable";
  const indent = floating === false || isLong ? "" : "  ";
  const rows = freshRows(node.content, columns, newline).map((row) => `${indent}  ${row}`);
  const heads = Math.max(
    0,
    node.content.findIndex((row) => row.content.some(({ type }) => type !== "tableHeader")),
  );
  const spec = fitColumns(colspec || "", columns);
  if (isLong) return newLongTable(node, spec, rows, heads, newline);
  if (heads > 0) rows.splice(heads, 0, `${indent}  \\midrule`);
  const width = env ? "{\\linewidth}" : "";
  const tabular = [
    `${indent}\\begin{${env || "tabular"}}${width}{${spec}}`,
    `${indent}  \\toprule`,
    ...rows,
    `${indent}  \\bottomrule`,
    `${indent}\\end{${env || "tabular"}}`,
  ];
  if (floating === false) return tabular.join(newline);
  return [
    `\\begin{table}[${placement || "htbp"}]`,
    "  \\centering",
    ...(caption ? [`  \\caption{${caption}}`] : []),
    ...(label ? [`  \\label{${label}}`] : []),
    ...tabular,
    ...(notes ? [`  ${NOTES}${notes}`] : []),
    "\\end{table}",
  ].join(newline);
}

function newLongTable(node: TableJSON, spec: string, rows: string[], heads: number, newline: string): string {
  const { caption, label, notes } = node.attrs ?? {};
  const named = (caption ? `\\caption{${caption}}` : "") + (label ? `\\label{${label}}` : "");
  const head = heads ? ["  \\toprule", ...rows.slice(0, heads), "  \\midrule"] : ["  \\toprule"];
  return [
    `\\begin{longtable}{${spec}}`,
    ...(named ? [`  ${named} \\\\`] : []),
    ...head,
    ...(heads ? ["  \\endfirsthead", ...head, "  \\endhead", "  \\bottomrule", "  \\endfoot"] : []),
    ...rows.slice(heads),
    ...(heads ? [] : ["  \\bottomrule"]),
    "\\end{longtable}",
    ...(notes ? [`{\\footnotesize ${notes}\\par}`] : []),
  ].join(newline);
}

function rewriteTable(node: TableJSON, source: string, table: Table, newline: string): string {
  const { caption, label, colspec, placement, notes, floating } = { ...table.node.attrs, ...node.attrs };
  const columns = columnsOfRows(node.content);
  const isBare = table.node.attrs?.floating === false;
  const isLong = table.node.attrs?.env === "longtable";
  const changes: TextChange[] = [...replaceAt(source, table.colspec, fitColumns(colspec || "", columns))];
  if (!isBare) {
    if (/^(?:sideways)?table/.test(table.env))
      changes.push(...changeOption(source, table.placement, table.inside, placement));
    if (isLong) changes.push(...longCaption(source, table, caption || null, label || null, newline));
    else {
      const { caption: captioned, label: labelled } = table;
      const tabular = table.tabular[0];
      // LaTeX counts a table at its caption: a label before it would name the section.
      const place = labelled && !captioned ? Math.min(labelled.start, tabular) : tabular;
      changes.push(...changeCommand(source, captioned, "caption", caption, place, newline));
      if (captioned && caption && label && !labelled)
        changes.push({
          from: captioned.end,
          to: captioned.end,
          text: `${newline}${indentAt(source, captioned.start)}\\label{${label}}`,
        });
      else changes.push(...changeCommand(source, labelled, "label", label, tabular, newline));
    }
    changes.push(...notesChange(source, table, notes || null, newline, isLong));
  }
  changes.push(...rowChanges(node, source, table, columns, newline));
  const written = applyChanges(source, changes);
  if (!isBare || floating === false || !written.startsWith("\\begin{tab")) return written;
  return [
    `\\begin{table}[${placement || "htbp"}]`,
    "  \\centering",
    ...(caption ? [`  \\caption{${caption}}`] : []),
    ...(label ? [`  \\label{${label}}`] : []),
    `  ${written}`,
    ...(notes ? [`  ${NOTES}${notes}`] : []),
    "\\end{table}",
  ].join(newline);
}

function notesChange(
  source: string,
  { notes, notesFrom }: Table,
  text: string | null,
  newline: string,
  isLong: boolean,
): TextChange[] {
  if (notes && text) return replaceAt(source, notes.words, text);
  if (notes) return [{ from: notes.start - blanksBefore(source, notes.start), to: notes.end, text: "" }];
  if (!text) return [];
  const written = isLong ? `${newline}{\\footnotesize ${text}\\par}` : `${newline}  ${NOTES}${text}`;
  return [{ from: notesFrom, to: notesFrom, text: written }];
}

function changeCommand(
  source: string,
  there: Table["caption"],
  name: string,
  text: string | null | undefined,
  at: number,
  newline: string,
): TextChange[] {
  if (there?.group && text) return replaceAt(source, there.group, text);
  if (there) return [{ from: there.start - blanksBefore(source, there.start), to: there.end, text: "" }];
  return text ? [{ from: at, to: at, text: `\\${name}{${text}}${newline}  ` }] : [];
}

/** Change the caption of a longtable, which is a row of its own. */
function longCaption(
  source: string,
  table: Table,
  caption: string | null,
  label: string | null,
  newline: string,
): TextChange[] {
  const line = table.lines.find(({ rule }) => rule === "caption");
  if (!line) {
    const at = table.lines[0]?.start ?? table.colspec[1] + 1;
    const named = (caption ? `\\caption{${caption}}` : "") + (label ? `\\label{${label}}` : "");
    return named ? [{ from: at, to: at, text: `${named} \\\\${newline}` }] : [];
  }
  if (!caption && !label) return [{ from: line.start - blanksBefore(source, line.start), to: line.end, text: "" }];
  const at = table.caption?.end ?? line.start;
  const changeGroup = (there: Table["caption"], name: string, text: string | null): TextChange[] => {
    if (there?.group && text) return replaceAt(source, there.group, text);
    if (there) return [{ from: there.start, to: there.end, text: "" }];
    const from = name === "caption" ? line.start : at;
    return text ? [{ from, to: from, text: `\\${name}{${text}}` }] : [];
  };
  return [...changeGroup(table.caption, "caption", caption), ...changeGroup(table.label, "label", label)];
}
