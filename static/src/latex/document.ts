// The document of the visual editor as Tiptap JSON. It is never stored; `Section.latex` is the only source (SPEC T2).
//
// Offsets are in UTF-16 units. Attributes that a schema leaves out count as unchanged. A schema may leave out
// attributes but must not change a value, drop a mark (the code mark must not exclude others) or reorder anything.

/** Attributes of every top-level block that allow writing it back exactly as read. */
export interface SourceAttrs {
  /** Its exact LaTeX as read; null for a new block. Never shown or edited. */
  source: string | null;
  /** The exact text between it and the block before it: empty lines, indentation. null for a new block. */
  before: string | null;
  /** Its index in the text as read, from 0; null for a new block. Shows which neighbours are unchanged. */
  place: number | null;
}

/** A mark on text. */
export interface MarkJSON {
  /** `\textbf`, `\emph` or `\textit`, `\texttt`, `\underline`, `\textsuperscript`, `\textsubscript`, `\textsc`. */
  type: "bold" | "italic" | "code" | "underline" | "superscript" | "subscript" | "smallcaps";
  /** italic only: command "emph" | "textit" | "textsl"; without it a new italic is `\emph`. */
  attrs?: { command?: string | null };
}

/** Text with special characters as shown: `\%` is "%", `~` is U+00A0, `\,` is U+202F, `--` is "–", `\'e` is "é". */
export interface TextJSON {
  type: "text";
  text: string;
  marks?: MarkJSON[];
}

/** A citation. */
export interface CiteAttrs {
  /** Without the backslash, with its star: "cite", "citep", "textcite", "citet*". */
  command: string;
  keys: string[];
  /** The first of two options, as LaTeX: `\citep[see][p.~4]{a}` has pre "see" and post "p.~4". null: not written. */
  pre: string | null;
  /** The last option, as LaTeX. null: not written. */
  post: string | null;
  /** Its LaTeX as read, written back while the other attributes are unchanged. null or missing for a new one. */
  source?: string | null;
}

/** A cross-reference. */
export interface RefAttrs {
  /** Without the backslash: "ref", "eqref", "autoref", "cref", "Cref", "pageref", "nameref", "vref", "subref" ... */
  command: string;
  key: string;
}

/** An inline formula. */
export interface MathsAttrs {
  /** The text between the delimiters. */
  latex: string;
  /** "$" for `$...$`, "(" for `\(...\)`. */
  delimiters: string;
}

/** A web address. */
export interface UrlAttrs {
  /** "url", "href" or "nolinkurl". */
  command: string;
  href: string;
  /** The LaTeX of an href's link text; otherwise the address itself. */
  text: string;
}

/** Inline nodes that the caret treats as a single character. Each may have marks. */
export type AtomJSON = { marks?: MarkJSON[] } & (
  | { type: "cite"; attrs: CiteAttrs }
  | { type: "ref"; attrs: RefAttrs }
  | { type: "label"; attrs: { key: string } }
  /** latex: the text in the braces. */
  | { type: "footnote"; attrs: { latex: string } }
  | { type: "maths"; attrs: MathsAttrs }
  | { type: "url"; attrs: UrlAttrs }
  /** latex: a macro with its arguments, a group, a comment with its line end and so on, exactly as read. */
  | { type: "raw"; attrs: { latex: string } }
  /** `\\` */
  | { type: "hardBreak"; attrs?: Record<string, never> }
  /** A line end inside a paragraph with the white space around it, as read; shown as a space. */
  | { type: "softBreak"; attrs: { source: string } }
);

/** Inline content. */
export type InlineJSON = TextJSON | AtomJSON;

/** A paragraph. */
export interface ParagraphJSON {
  type: "paragraph";
  attrs?: Partial<SourceAttrs>;
  content?: InlineJSON[];
}

/** A heading. */
export interface HeadingJSON {
  type: "heading";
  attrs: Partial<SourceAttrs> & {
    /** part and chapter 1, section 2, subsection 3, subsubsection 4, paragraph 5, subparagraph 6. */
    level: number;
    /** Without the backslash. `level` wins when the two disagree; may be missing for a new heading. */
    command?: string | null;
    starred?: boolean;
    /** The key of the label after it. */
    label?: string | null;
    /** The LaTeX of the short title in brackets. */
    short?: string | null;
  };
  content?: InlineJSON[];
}

/** A list. */
export interface ListJSON {
  type: "bulletList" | "orderedList";
  /** options: the text in the brackets of `\begin{itemize}[...]`; null without. */
  attrs?: Partial<SourceAttrs> & { options?: string | null };
  content: ListItemJSON[];
}

/** A list item. */
export interface ListItemJSON {
  type: "listItem";
  /** Begins with a paragraph, which may be empty. */
  content: (ParagraphJSON | ListJSON)[];
}

/** A quotation. */
export interface BlockquoteJSON {
  type: "blockquote";
  /** env: "quote" or "quotation". */
  attrs?: Partial<SourceAttrs> & { env?: string | null };
  content: ParagraphJSON[];
}

/** A table cell. */
export interface CellJSON {
  type: "tableHeader" | "tableCell";
  /**
   * colspan and rowspan; spec: the columns of its `\\multicolumn`, such as "c", null without; align: "c" or "r" where
   * the cell is printed so, which only the display needs.
   */
  attrs?: Record<string, unknown>;
  /** Inline nodes, or a paragraph around them. */
  content?: (InlineJSON | ParagraphJSON)[];
}

/** A table row. */
export interface TableRowJSON {
  type: "tableRow";
  content: CellJSON[];
}

/** A table. */
export interface TableJSON {
  type: "table";
  attrs?: Partial<SourceAttrs> & {
    /** The LaTeX of the caption; null without. */
    caption?: string | null;
    label?: string | null;
    /** `lcc` of `\begin{tabular}{lcc}`. */
    colspec?: string | null;
    /** `htbp` of `\begin{table}[htbp]`; null without. */
    placement?: string | null;
    /** True for a table with a caption (as new tables are and a longtable is), false for a bare tabular. */
    floating?: boolean | null;
    /** The LaTeX of the notes under the table; null without. */
    notes?: string | null;
    /** "longtable", "tabularx" or "tabular*"; null for a tabular. */
    env?: string | null;
  };
  content: TableRowJSON[];
}

/** A figure with one picture. Its content is the caption. */
export interface FigureJSON {
  type: "figure";
  attrs: Partial<SourceAttrs> & {
    path: string;
    /** The text in the brackets of `\includegraphics[...]`, such as "width=0.8\textwidth"; null without. */
    options?: string | null;
    label?: string | null;
    placement?: string | null;
  };
  content?: InlineJSON[];
}

/** A displayed formula. */
export interface MathBlockJSON {
  type: "mathBlock";
  /** latex: the trimmed content. env: "equation", "align*" and so on, "[" for `\[ \]`, or "$$". */
  attrs: Partial<SourceAttrs> & { latex: string; env: string };
}

/** A block without a visual form. */
export interface RawBlockJSON {
  type: "rawBlock";
  /** latex: its exact source. name: a label for people: the environment's name, "comment" or the command's name. */
  attrs: Partial<SourceAttrs> & { latex: string; name?: string | null };
}

/** A block. */
export type BlockJSON =
  ParagraphJSON | HeadingJSON | ListJSON | BlockquoteJSON | TableJSON | FigureJSON | MathBlockJSON | RawBlockJSON;

/** A document. */
export interface DocJSON {
  type: "doc";
  content: BlockJSON[];
}
