import { skipBlanks } from "./blocks";
import { alignments, columnsIn } from "./column-spec";
import type { CellJSON, TableJSON, TableRowJSON } from "./document";
import { commandAt, openingOf, type Command, type Opening } from "./floats";
import { contentOf, unitsOf } from "./inline";
import { structure, nameAt } from "./structure";
import { linesOf, type Line, type Row, type SourceCell } from "./table-lines";
import { notesAt, type Notes } from "./table-notes";

/** A parsed table. */
export interface Table extends Opening {
  caption: Command | null;
  label: Command | null;
  colspec: [number, number];
  notes: Notes | null;
  /** Where notes would begin: after the last of the tabular, the caption and the label. */
  notesFrom: number;
  tabular: [number, number];
  lines: Line[];
  /** The rows that are shown: the repeated head and the foot of a longtable are not. */
  rows: Row[];
  /** Where each cell of `node` is in the source; null for one that a short row lacks. */
  cells: (SourceCell | null)[][];
  node: TableJSON;
}

/** Environments that are tables, with what follows their name: o an option, g a group. The last one is the columns. */
const TABULARS: Record<string, string> = {
  tabular: "og",
  "tabular*": "gog",
  tabularx: "gog",
  longtable: "og",
};
const FLOATS = new Set(["table", "table*", "sidewaystable", "sidewaystable*"]);
/** Environments around a tabular that change its place or size only. */
const AROUND = new Set(["threeparttable", "center", "adjustbox", "landscape", "table", "table*", "minipage"]);
const AROUND_FORMS: Record<string, string> = { adjustbox: "g", minipage: "og" };
const FORMATTING = new Set(
  (
    "centering raggedright small footnotesize scriptsize tiny normalsize setlength addtolength renewcommand vspace " +
    "smallskip medskip bigskip noindent par sffamily singlespacing onehalfspacing setstretch captionsetup rowcolors " +
    "sisetup linespread fontsize selectfont"
  ).split(" "),
);
const RESIZE = /\\(?:resizebox\*?\{[^{}]*\}\{[^{}]*\}|scalebox\{[^{}]*\}|adjustbox\{[^{}]*\})\{/y;

let last: { source: string; table: Table | null } | null = null; // while somebody types in a table, it is read again

/** Parse a table; null when it contains what the editor does not know, so that it stays a raw block. */
export function readTable(source: string): Table | null {
  if (last?.source !== source) last = { source, table: parseTable(source) };
  return last.table;
}

function parseTable(source: string): Table | null {
  const { ends } = structure(source);
  const env = nameAt(source, 6) ?? "";
  const bare = Object.hasOwn(TABULARS, env);
  if (!bare && !FLOATS.has(env) && !AROUND.has(env)) return null;
  const outer = bare ? { env, placement: null, inside: 0, finish: source.length } : openingOf(source, ends);
  if (Object.hasOwn(AROUND_FORMS, env)) outer.inside = 0; // its arguments are read like those of an inner one
  const around = surroundings(source, outer, ends);
  return around && tableIn(source, outer, around, ends);
}

interface Surroundings {
  found: Map<string, Command>;
  tabular: [number, number];
  isFloat: boolean;
  notes: Notes | null;
  notesFrom: number;
}

/** Read what stands around the tabular; null for anything unknown. */
function surroundings(source: string, outer: Opening, ends: Int32Array): Surroundings | null {
  const found = new Map<string, Command>();
  let tabular: [number, number] | null = null;
  let notes: Notes | null = null;
  let isFloat = FLOATS.has(outer.env);
  let at = outer.inside;
  let notesFrom = at;
  while ((at = skipBlanks(source, at)) < outer.finish) {
    const closing = tabular && closingAt(source, at);
    if (closing) {
      at = closing;
      continue;
    }
    if (source[at] === "%") {
      at = ends[at] || source.length;
      continue;
    }
    if (tabular && !notes && (notes = notesBefore(source, at, outer.finish, ends))) {
      at = notes.end;
      continue;
    }
    if (source[at] !== "\\") return null;
    const name = source.startsWith("\\begin", at) ? (nameAt(source, at + 6) ?? "") : "";
    if (Object.hasOwn(TABULARS, name)) {
      if (tabular || !ends[at]) return null;
      tabular = [at, ends[at] as number];
      notesFrom = at = tabular[1];
      continue;
    }
    RESIZE.lastIndex = at;
    if (!tabular && RESIZE.test(source)) {
      at = RESIZE.lastIndex;
      continue;
    }
    if (AROUND.has(name)) {
      if (tabular || !ends[at]) return null;
      isFloat ||= FLOATS.has(name);
      at = argumentsEnd(source, at + name.length + 8, AROUND_FORMS[name] ?? "o", ends);
      continue;
    }
    const command = commandAt(source, at, ends);
    const named = (command.name === "caption" || command.name === "label") && command.group !== null;
    if (named && found.has(command.name)) return null;
    if (!named && !FORMATTING.has(command.name)) return null;
    if (named) found.set(command.name, command);
    at = named ? command.end : argumentsEnd(source, command.end, "ggg", ends);
    if (named && tabular && !notes) notesFrom = at;
  }
  return tabular && { found, tabular, isFloat, notes, notesFrom };
}

/** Read notes that reach to the end of the float, or to the end of an environment around the table. */
function notesBefore(source: string, at: number, finish: number, ends: Int32Array): Notes | null {
  const whole = notesAt(source, at, finish, ends);
  if (whole) return whole;
  const stop = /\\end\{|\\(?:caption|label)(?![A-Za-z@])/g;
  stop.lastIndex = ends[at] || at;
  const end = stop.exec(source)?.index ?? finish;
  return end < finish ? notesAt(source, at, end, ends) : null;
}

/** Return the end of a closing brace or `\end{...}` of what surrounds the tabular; 0 without one. */
function closingAt(source: string, at: number): number {
  if (source[at] === "}") return at + 1;
  const name = source.startsWith("\\end", at) ? nameAt(source, at + 4) : null;
  return name !== null && AROUND.has(name) ? at + name.length + 6 : 0;
}

/** Return the end of the options and groups at `at` that a command may take, in their order. */
function argumentsEnd(source: string, at: number, forms: string, ends: Int32Array): number {
  for (const form of forms) if (source[at] === (form === "o" ? "[" : "{") && ends[at]) at = ends[at] as number;
  return at;
}

function tableIn(source: string, outer: Opening, around: Surroundings, ends: Int32Array): Table | null {
  const { tabular, found } = around;
  const env = nameAt(source, tabular[0] + 6) ?? "";
  const isLong = env === "longtable";
  const forms = TABULARS[env] ?? "og";
  const spec = argumentsEnd(source, tabular[0] + env.length + 8, forms.slice(0, -1), ends);
  if (source[spec] !== "{" || !ends[spec]) return null;
  const colspec: [number, number] = [spec + 1, (ends[spec] as number) - 1];
  const lines = linesOf(source, ends[spec] as number, tabular[1] - env.length - 6, ends);
  const columns = columnsIn(source.slice(...colspec));
  if (!lines || !columns) return null;
  if (isLong && !longCaption(source, lines, found, ends)) return null;
  const floating = around.isFloat || isLong;
  if (!floating && (around.notes || found.size)) return null; // words that would not be shown
  const rows = shownRows(lines);
  const laid = rows.length ? layOut(source, lines, rows, columns, alignments(source.slice(...colspec))) : null;
  if (!laid) return null;
  const group = (name: string): string | null => {
    const place = found.get(name)?.group;
    return place ? source.slice(...place) : null;
  };
  const attrs = {
    caption: group("caption"),
    label: group("label"),
    colspec: source.slice(...colspec),
    placement: FLOATS.has(outer.env) && outer.placement ? source.slice(...outer.placement) : null,
    floating,
    notes: around.notes && source.slice(...around.notes.words),
    env: env === "tabular" ? null : env,
  };
  return {
    ...outer,
    caption: found.get("caption") ?? null,
    label: found.get("label") ?? null,
    colspec,
    notes: around.notes,
    notesFrom: around.notesFrom,
    tabular,
    lines,
    rows,
    cells: laid.cells,
    node: { type: "table", attrs, content: laid.content },
  };
}

/** Find the caption and the label of a longtable in its lines; false for more than one. */
function longCaption(source: string, lines: readonly Line[], found: Map<string, Command>, ends: Int32Array): boolean {
  for (const line of lines) {
    if (line.rule !== "caption") continue;
    for (let at = line.start; at < line.end;) {
      const command = commandAt(source, source[at] === "*" ? at + 1 : at, ends);
      if (command.name !== "caption" && command.name !== "label") break;
      if (!command.group || found.has(command.name)) return false;
      found.set(command.name, command);
      at = skipBlanks(source, command.end);
    }
  }
  return true;
}

function shownRows(lines: readonly Line[]): Row[] {
  const rows = lines.filter((line): line is Row => line.rule === null);
  const hasFirst = lines.some(({ part }) => part === "firsthead");
  const head = hasFirst ? "firsthead" : "head";
  return rows.filter(({ part }) => part === head || part === "body");
}

const ENDING_HEAD = new Set(["toprule", "midrule", "bottomrule", "hline", "hhline", "specialrule"]);

/** Rows for the editor, and where their cells are in the source. */
interface Laid {
  content: TableRowJSON[];
  cells: (SourceCell | null)[][];
}

/** Create the rows for the editor. Rows above the first rule between rows are headings. */
function layOut(
  source: string,
  lines: readonly Line[],
  rows: readonly Row[],
  columns: number,
  sides: readonly string[],
): Laid | null {
  const parted = rows.some(({ part }) => part !== "body");
  const [first, last] = [rows[0] as Row, rows[rows.length - 1] as Row];
  const rule = lines.find((line) => line.start > first.start && line.rule !== null && ENDING_HEAD.has(line.rule));
  const end = rule && rule.start < last.start ? rule.start : 0;
  const heads = rows.filter((row) => (parted ? row.part !== "body" : row.start < end)).length;
  return gridOf(source, rows, heads, columns, sides, true) ?? gridOf(source, rows, heads, columns, sides, false);
}

/** Lay the cells out; null when they do not fit. `joined`: cells over several rows are shown as such. */
function gridOf(
  source: string,
  rows: readonly Row[],
  heads: number,
  columns: number,
  sides: readonly string[],
  joined: boolean,
): Laid | null {
  const open = new Array<number>(columns).fill(0); // how many more rows a cell above reaches down, by column
  const laid: Laid = { content: [], cells: [] };
  for (const [index, row] of rows.entries()) {
    const type = index < heads ? "tableHeader" : "tableCell";
    const cells: CellJSON[] = [];
    const places: (SourceCell | null)[] = [];
    let column = 0;
    for (const cell of row.cells) {
      if (column + cell.columns > columns) return null;
      const covered = open.slice(column, column + cell.columns);
      if (covered.some((more) => more > 0)) {
        if (covered.some((more) => more <= 0) || cell.words[0] < cell.words[1]) return null;
        for (let over = 0; over < cell.columns; over++) (open[column + over] as number)--;
      } else {
        const units = unitsOf(source.slice(...cell.words));
        if (!units) return null;
        const deep = joined ? cell.rows : 1;
        if (deep > (index < heads ? heads : rows.length) - index) return null;
        for (let over = 0; over < cell.columns; over++) open[column + over] = deep - 1;
        const align = alignments(cell.spec ?? "")[0] ?? sides[column];
        cells.push({ type, attrs: cellAttrs(cell.columns, deep, cell.spec, align), content: contentOf(units) });
        places.push(cell);
      }
      column += cell.columns;
    }
    for (; column < columns; column++) {
      if ((open[column] as number) > 0) (open[column] as number)--;
      else {
        cells.push({ type, attrs: cellAttrs(1, 1, null, sides[column]), content: [] });
        places.push(null);
      }
    }
    if (!cells.length) return null;
    laid.content.push({ type: "tableRow", content: cells });
    laid.cells.push(places);
  }
  return laid;
}

function cellAttrs(colspan: number, rowspan: number, spec: string | null, align = "l"): Record<string, unknown> {
  return {
    ...(colspan > 1 ? { colspan } : {}),
    ...(rowspan > 1 ? { rowspan } : {}),
    ...(spec === null ? {} : { spec }),
    ...(align === "l" ? {} : { align }),
  };
}
