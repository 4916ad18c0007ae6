/** A column of a specification such as `@{}l>{\bfseries}p{3cm}r`: its range with what belongs to it, and its side. */
export interface Column {
  from: number;
  to: number;
  align: "l" | "c" | "r";
}

const DECORATION = /[@!]/;
const SIDES: Record<string, Column["align"]> = { c: "c", C: "c", r: "r", R: "r", S: "r", D: "r" };
const MOST = 60;

/** List the columns of a specification; null when it has parts that the editor does not know. */
export function columnsOf(colspec: string): Column[] | null {
  const columns: Column[] = [];
  let at = 0;
  let before = -1; // where the `>{...}` of the next column begins
  while (at < colspec.length) {
    const sign = colspec[at] as string;
    if (/[\s|]/.test(sign)) at++;
    else if (DECORATION.test(sign) || sign === ">" || sign === "<") {
      const end = groupEnd(colspec, at + 1);
      const last = columns[columns.length - 1];
      if (!end) return null;
      if (sign === ">" && before < 0) before = at;
      if (sign === "<" && last) last.to = end;
      at = end;
    } else if (/[A-Za-z]/.test(sign)) {
      const from = before < 0 ? at : before;
      const ragged = /\\(centering|raggedleft)/.exec(colspec.slice(from, at))?.[1];
      at = argumentsEnd(colspec, at + 1);
      before = -1;
      const align = ragged ? (ragged === "centering" ? "c" : "r") : (SIDES[sign] ?? "l");
      columns.push({ from, to: at, align });
    } else {
      return null;
    }
  }
  return before < 0 && columns.length && columns.length <= MOST ? columns : null;
}

/** Count the columns of a specification; 0 when it has parts that the editor does not know. */
export function columnsIn(colspec: string): number {
  return columnsOf(expandColumns(colspec))?.length ?? 0;
}

/** Return a specification with its repetitions written out: `l*{2}{c}` becomes `lcc`. */
export function expandColumns(colspec: string): string {
  for (let found = colspec.indexOf("*{"); found >= 0; found = colspec.indexOf("*{")) {
    const [times, spec] = [groupEnd(colspec, found + 1), groupEnd(colspec, groupEnd(colspec, found + 1))];
    const count = Number(colspec.slice(found + 2, times - 1));
    if (!times || !spec || !Number.isInteger(count) || count < 0 || count > MOST) return colspec;
    const repeated = colspec.slice(times + 1, spec - 1).repeat(count);
    if (repeated.length > 4_000) return colspec;
    colspec = colspec.slice(0, found) + repeated + colspec.slice(spec);
  }
  return colspec;
}

/** Return the sides to which the columns are aligned. */
export function alignments(colspec: string): Column["align"][] {
  return (columnsOf(expandColumns(colspec)) ?? []).map(({ align }) => align);
}

/** Adapt a specification to `columns` columns: add left-aligned ones after the last, or remove the last ones. */
export function fitColumns(colspec: string, columns: number): string {
  if (columnsIn(colspec) === columns) return colspec;
  let fitted = expandColumns(colspec);
  for (let has = columnsIn(fitted); has > columns; has--) fitted = withoutColumn(fitted, has - 1);
  for (let has = columnsIn(fitted); has < columns; has++) fitted = withColumn(fitted, has);
  return fitted;
}

/** Add a left-aligned column in front of the column `place`. */
export function withColumn(colspec: string, place: number): string {
  const expanded = expandColumns(colspec);
  const columns = columnsOf(expanded);
  if (!columns) return expanded + "l";
  const at = place < columns.length ? columns[place]!.from : columns[columns.length - 1]!.to;
  return `${expanded.slice(0, at)}l${expanded.slice(at)}`;
}

/** Remove the column `place`. */
export function withoutColumn(colspec: string, place: number): string {
  const expanded = expandColumns(colspec);
  const column = columnsOf(expanded)?.[place];
  return column ? expanded.slice(0, column.from) + expanded.slice(column.to) : expanded;
}

/** Return the end of the group in braces at `at`; 0 when there is none. */
function groupEnd(text: string, at: number): number {
  while (text[at] === " ") at++;
  if (text[at] !== "{") return 0;
  let depth = 0;
  for (; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return at + 1;
  }
  return 0;
}

/** Return the end of the options and groups of a column's letter: `p{3cm}`, `S[table-format=2.1]`, `D{.}{.}{2}`. */
function argumentsEnd(text: string, at: number): number {
  for (;;) {
    const closing = text[at] === "[" ? text.indexOf("]", at) + 1 : 0;
    const end = closing || (text[at] === "{" ? groupEnd(text, at) : 0);
    if (!end) return at;
    at = end;
  }
}
