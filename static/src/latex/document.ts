/**
 * The document as the visual editor holds it: Tiptap JSON. `Section.latex` stays the only truth (SPEC T2); nothing of
 * this is stored.
 *
 * Offsets are UTF-16, as everywhere in a browser. Attributes that a schema leaves out are taken as unchanged; so a
 * schema may leave out what it has no use for, but must not change a value, drop a mark (the code mark must not exclude
 * others) or reorder anything.
 */

/** What every top-level block carries so that it can be written back as it was read. */
export interface Kept {
  /** Its exact LaTeX as read; null for a block that the person has made. Never shown, never edited. */
  source: string | null;
  /** The exact text between it and the block before it: blank lines, indentation. null for a new block. */
  before: string | null;
  /** Which block of the text it was as read, from 0; null for a new one. Tells neighbours that are still neighbours. */
  place: number | null;
}

export interface MarkJSON {
  /** `\textbf`, `\emph` or `\textit`, `\texttt`, `\underline`, `\textsuperscript`, `\textsubscript`, `\textsc`. */
  type: "bold" | "italic" | "code" | "underline" | "superscript" | "subscript" | "smallcaps";
  /** italic only: command "emph" | "textit" | "textsl"; without it a new italic is `\emph`. */
  attrs?: { command?: string | null };
}

/**
 * Text with its special characters as they look: `\%` is "%", `~` is U+00A0, `\,` is U+202F, `--` is "–", `\'e` is "é".
 */
export interface TextJSON {
  type: "text";
  text: string;
  marks?: MarkJSON[];
}

export interface CiteAttrs {
  /** Without the backslash, with its star: "cite", "citep", "textcite", "citet*". */
  command: string;
  keys: string[];
  /** The first of two options, as LaTeX: `\citep[see][p.~4]{a}` has pre "see" and post "p.~4". null: not written. */
  pre: string | null;
  /** The last option, as LaTeX. null: not written. */
  post: string | null;
  /** As read; written again while the other attributes still say the same. null or left out for a new one. */
  source?: string | null;
}

export interface RefAttrs {
  /** Without the backslash: "ref", "eqref", "autoref", "cref", "Cref", "pageref", "nameref", "vref", "subref" ... */
  command: string;
  key: string;
}

export interface MathsAttrs {
  /** What stands between the delimiters. */
  latex: string;
  /** "$" for `$...$`, "(" for `\(...\)`. */
  delimiters: string;
}

export interface UrlAttrs {
  /** "url", "href" or "nolinkurl". */
  command: string;
  href: string;
  /** LaTeX of the words of an href; for the others the address itself. */
  text: string;
}

/** Inline nodes that are one thing to the caret. Each may carry marks. */
export type AtomJSON = { marks?: MarkJSON[] } & (
  | { type: "cite"; attrs: CiteAttrs }
  | { type: "ref"; attrs: RefAttrs }
  | { type: "label"; attrs: { key: string } }
  /** latex: what stands in the braces. */
  | { type: "footnote"; attrs: { latex: string } }
  | { type: "maths"; attrs: MathsAttrs }
  | { type: "url"; attrs: UrlAttrs }
  /** latex: a macro with its arguments, a group, a comment with its line end ... exactly as read. */
  | { type: "raw"; attrs: { latex: string } }
  /** `\\` */
  | { type: "hardBreak"; attrs?: Record<string, never> }
  /** A line end inside a paragraph with the blanks around it, as read; shown as a space. */
  | { type: "softBreak"; attrs: { source: string } }
);

export type InlineJSON = TextJSON | AtomJSON;

export interface ParagraphJSON {
  type: "paragraph";
  attrs?: Partial<Kept>;
  content?: InlineJSON[];
}

export interface HeadingJSON {
  type: "heading";
  attrs: Partial<Kept> & {
    /** part and chapter 1, section 2, subsection 3, subsubsection 4, paragraph 5, subparagraph 6. */
    level: number;
    /** Without the backslash. Follows `level` when the two disagree; may be left out for a new one. */
    command?: string | null;
    starred?: boolean;
    /** Key of the label behind it. */
    label?: string | null;
    /** LaTeX of the short title in brackets. */
    short?: string | null;
  };
  content?: InlineJSON[];
}

export interface ListJSON {
  type: "bulletList" | "orderedList";
  /** options: what stands in the brackets of `\begin{itemize}[...]`, null without. */
  attrs?: Partial<Kept> & { options?: string | null };
  content: ListItemJSON[];
}

export interface ListItemJSON {
  type: "listItem";
  /** Begins with a paragraph, which may be empty. */
  content: (ParagraphJSON | ListJSON)[];
}

export interface BlockquoteJSON {
  type: "blockquote";
  /** env: "quote" or "quotation". */
  attrs?: Partial<Kept> & { env?: string | null };
  content: ParagraphJSON[];
}

export interface CellJSON {
  type: "tableHeader" | "tableCell";
  attrs?: Record<string, unknown>;
  /** Inline nodes; one paragraph around them is accepted too. */
  content?: (InlineJSON | ParagraphJSON)[];
}

export interface TableRowJSON {
  type: "tableRow";
  content: CellJSON[];
}

export interface TableJSON {
  type: "table";
  attrs?: Partial<Kept> & {
    /** LaTeX of the caption; null without. */
    caption?: string | null;
    label?: string | null;
    /** `lcc` of `\begin{tabular}{lcc}`. */
    colspec?: string | null;
    /** `htbp` of `\begin{table}[htbp]`; null without. */
    placement?: string | null;
    /** Whether it stands in a table environment (as a new one does) or is a bare tabular. */
    floating?: boolean | null;
  };
  content: TableRowJSON[];
}

/** A figure with one picture. Its content is the caption. */
export interface FigureJSON {
  type: "figure";
  attrs: Partial<Kept> & {
    path: string;
    /** What stands in the brackets of `\includegraphics[...]`: "width=0.8\textwidth". null without. */
    options?: string | null;
    label?: string | null;
    placement?: string | null;
  };
  content?: InlineJSON[];
}

export interface MathBlockJSON {
  type: "mathBlock";
  /**
   * latex: what stands inside, without the blanks at its ends. env: "equation", "align*" ..., "[" for `\[ \]`, "$$".
   */
  attrs: Partial<Kept> & { latex: string; env: string };
}

export interface RawBlockJSON {
  type: "rawBlock";
  /** latex: the whole of it. name: what it is for people: an environment's name, "comment", or a command's name. */
  attrs: Partial<Kept> & { latex: string; name?: string | null };
}

export type BlockJSON =
  ParagraphJSON | HeadingJSON | ListJSON | BlockquoteJSON | TableJSON | FigureJSON | MathBlockJSON | RawBlockJSON;

export interface DocJSON {
  type: "doc";
  content: BlockJSON[];
}
