/**
 * Clean pasted HTML (Word, a browser, Google Docs): keep paragraphs, headings, lists, tables, quotations, bold, italic,
 * sub- and superscript; remove classes, styles, comments and links. HTML copied from this editor stays as it is.
 */
export function cleanHTML(html: string): string {
  if (/\bdata-pm-slice=/.test(html)) return html;
  // Styles and handlers are removed before parsing, because the content security policy would report each of them.
  const inert = html
    .replace(/<!--\[if[\s\S]*?<!\[endif\]-->/gi, "")
    .replace(/<!\[(?:if|endif)[^>]*>/gi, "")
    .replace(/<(style|script|xml|head|title)\b[\s\S]*?<\/\1\s*>/gi, "");
  const unstyled = inert.replace(/<[a-z][^>]*>/gi, (tag) =>
    tag.replace(/\sstyle\s*=/gi, " data-style=").replace(/[\s/]on[a-z]+\s*=/gi, " data-gone="),
  );
  const from = new DOMParser().parseFromString(unstyled, "text/html");
  const to = document.implementation.createHTMLDocument("");
  const body = to.createElement("div");
  copyBlocks(from.body, body, to);
  return body.innerHTML;
}

const HEADINGS: Record<string, string> = { h1: "h2", h2: "h3", h3: "h4", h4: "h5", h5: "h5", h6: "h5" };
const BLOCKS = new Set(
  (
    "p div h1 h2 h3 h4 h5 h6 ul ol li table blockquote pre section article main header footer figure figcaption " +
    "dl dt dd hr center address nav aside form fieldset"
  ).split(" "),
);
const DROPPED = new Set(
  (
    "style script template title meta link svg object iframe button input select textarea img video audio canvas " +
    "noscript o:p"
  ).split(" "),
);
/** Tell whether an element is dropped with its content: not text, or internal to Word (w:, v:, m:). */
const isDropped = (name: string): boolean => DROPPED.has(name) || /^[wvm]:/.test(name);

interface WordList {
  list: Element;
  level: number;
}

function copyBlocks(from: Element, to: Element, doc: Document): void {
  let run: Node[] = [];
  let lists: WordList[] = []; // open lists of Word, whose items are paragraphs
  const flush = (): void => {
    const p = doc.createElement("p");
    for (const node of run) copyInline(node, p, doc);
    run = [];
    if (p.textContent?.trim()) to.append(p);
  };
  for (const node of [...from.childNodes]) {
    const name = node instanceof Element ? node.localName : "";
    if (node.nodeType === Node.COMMENT_NODE || isDropped(name) || (node instanceof Element && isHidden(node))) continue;
    if (!(node instanceof Element) || !containsBlocks(node, name)) {
      if (node.textContent?.trim() || run.length) run.push(node);
      continue;
    }
    flush();
    const item = wordItem(node);
    if (item) {
      lists = addWordItem(item, lists, to, doc);
      continue;
    }
    lists = [];
    copyBlock(node, name, to, doc);
  }
  flush();
}

/** Tell whether an element is a block or contains blocks (Google Docs wraps everything in a `b`). */
function containsBlocks(node: Element, name: string): boolean {
  return BLOCKS.has(name) || node.querySelector("p, div, h1, h2, h3, h4, h5, h6, ul, ol, table, blockquote") !== null;
}

function copyBlock(node: Element, name: string, to: Element, doc: Document): void {
  if (HEADINGS[name] || headingOfWord(node)) inlineBlock(node, HEADINGS[name] ?? headingOfWord(node)!, to, doc);
  else if (name === "p" || name === "pre" || name === "dt" || name === "dd" || name === "figcaption")
    copyParagraph(node, to, doc);
  else if (name === "ul" || name === "ol") copyList(node, to, doc);
  else if (name === "table") copyTable(node, to, doc);
  else if (name === "blockquote") {
    const quote = doc.createElement("blockquote");
    copyBlocks(node, quote, doc);
    for (const child of [...quote.children])
      if (child.localName !== "p") child.replaceWith(...paragraphsIn(child, doc));
    if (quote.childNodes.length) to.append(quote);
  } else copyBlocks(node, to, doc);
}

function headingOfWord(node: Element): string | null {
  const level = /^Mso(?:Heading|Title)([1-6])?$|^Heading([1-6])$/i.exec(node.className);
  return level ? (HEADINGS[`h${level[1] ?? level[2] ?? "1"}`] ?? null) : null;
}

function inlineBlock(node: Element, tag: string, to: Element, doc: Document): void {
  const element = doc.createElement(tag);
  for (const child of [...node.childNodes]) copyInline(child, element, doc, tag !== "p");
  if (element.textContent?.trim()) to.append(element);
}

function copyParagraph(node: Element, to: Element, doc: Document): void {
  if ([...node.children].some((child) => BLOCKS.has(child.localName))) copyBlocks(node, to, doc);
  else inlineBlock(node, "p", to, doc);
}

function paragraphsIn(node: Element, doc: Document): Element[] {
  const p = doc.createElement("p");
  copyInline(node, p, doc);
  return p.textContent?.trim() ? [p] : [];
}

function copyList(node: Element, to: Element, doc: Document): void {
  const element = doc.createElement(node.localName);
  for (const child of [...node.children]) {
    if (child.localName === "li") {
      const li = doc.createElement("li");
      copyBlocks(child, li, doc);
      if (li.firstElementChild?.localName !== "p") li.prepend(doc.createElement("p"));
      for (const inner of [...li.children])
        if (!/^(p|ul|ol)$/.test(inner.localName)) inner.replaceWith(...paragraphsIn(inner, doc));
      element.append(li);
    } else if (/^(ul|ol)$/.test(child.localName)) {
      // A list directly inside a list, as Word and Google Docs write it, belongs to the item before it.
      const item = element.lastElementChild ?? element.appendChild(doc.createElement("li"));
      if (!item.firstElementChild) item.append(doc.createElement("p"));
      copyList(child, item, doc);
    }
  }
  if (element.childNodes.length) to.append(element);
}

function copyTable(node: Element, to: Element, doc: Document): void {
  const table = doc.createElement("table");
  const open: number[] = []; // how many more rows a cell above reaches down, by column
  const widths: number[] = [];
  const span = (cell: Element, name: string, most: number): number =>
    Math.min(most, Math.max(1, Number(cell.getAttribute(name)) || 1));
  for (const row of node.querySelectorAll("tr")) {
    if (row.closest("table") !== node) continue;
    const tr = doc.createElement("tr");
    let column = 0;
    // A cell over several rows keeps its words in the first one: not every thesis can print it as one.
    const fillCovered = (): void => {
      for (; (open[column] ?? 0) > 0; column++) {
        (open[column] as number)--;
        tr.append(doc.createElement("td"));
      }
    };
    for (const cell of [...row.children].filter(({ localName }) => localName === "td" || localName === "th")) {
      fillCovered();
      const td = doc.createElement(table.childNodes.length ? cell.localName : "th");
      for (const child of [...cell.childNodes]) copyInline(child, td, doc);
      tr.append(td);
      const [columns, rows] = [span(cell, "colspan", 50), span(cell, "rowspan", 1_000)];
      if (columns > 1) td.setAttribute("colspan", String(columns));
      for (let over = 0; over < columns; over++) open[column++] = rows - 1;
    }
    fillCovered();
    if (!tr.childNodes.length) continue;
    widths.push(column);
    table.append(tr);
  }
  const widest = widths.reduce((most, width) => Math.max(most, width), 0);
  for (const [at, tr] of [...table.children].entries())
    for (let more = widest - widths[at]!; more > 0; more--) tr.append(doc.createElement("td"));
  if (widest) to.append(table);
}

interface WordItem {
  node: Element;
  level: number;
  ordered: boolean;
}

/** Recognise a list item of Word: a paragraph with `mso-list` and its bullet in a span. */
function wordItem(node: Element): WordItem | null {
  const style = node.getAttribute("data-style") ?? "";
  const listed = /mso-list:\s*\w+\s+level(\d+)/i.exec(style);
  if (node.localName !== "p" || !listed) return null;
  const sign = [...node.querySelectorAll("span")].find((span) =>
    /mso-list:\s*Ignore/i.test(span.getAttribute("data-style") ?? ""),
  );
  const text = sign?.textContent?.trim() ?? "";
  sign?.remove();
  return { node, level: Number(listed[1]), ordered: /^\(?(\d+|[a-z]|[ivxlc]+)[.)]/i.test(text) };
}

function addWordItem(item: WordItem, lists: WordList[], to: Element, doc: Document): WordList[] {
  const open = lists.filter(({ level }) => level <= item.level);
  let last = open.at(-1);
  if (!last || last.level < item.level) {
    const element = doc.createElement(item.ordered ? "ol" : "ul");
    (last?.list.lastElementChild ?? to).append(element);
    last = { list: element, level: item.level };
    open.push(last);
  }
  const li = doc.createElement("li");
  const p = doc.createElement("p");
  for (const child of [...item.node.childNodes]) copyInline(child, p, doc);
  li.append(p);
  last.list.append(li);
  return open;
}

/** Tell whether an element is a comment of Word or hidden. */
function isHidden(node: Element): boolean {
  return (
    /mso-element:\s*comment|mso-special-character:\s*comment|display:\s*none|mso-hide:\s*all/i.test(
      node.getAttribute("data-style") ?? "",
    ) || /\bMsoCommentReference\b|\bmsocomanchor\b/i.test(node.className)
  );
}

const MARKS: Record<string, string> = {
  b: "strong",
  strong: "strong",
  i: "em",
  em: "em",
  cite: "em",
  sub: "sub",
  sup: "sup",
  code: "code",
  kbd: "code",
  tt: "code",
  u: "",
};

function copyInline(node: Node, to: Element, doc: Document, heading = false): void {
  if (node.nodeType === Node.TEXT_NODE) {
    to.append((node.textContent ?? "").replace(/[ \t\r\n]+/g, " "));
    return;
  }
  if (!(node instanceof Element) || isDropped(node.localName)) return;
  if (isHidden(node)) return;
  const style = node.getAttribute("data-style") ?? "";
  if (node.localName === "br") {
    if (to.textContent?.trim()) to.append(doc.createElement("br"));
    return;
  }
  let into = to;
  for (const tag of marksOf(node, style, heading)) into = into.appendChild(doc.createElement(tag));
  for (const child of [...node.childNodes]) copyInline(child, into, doc, heading);
}

function marksOf(node: Element, style: string, heading: boolean): string[] {
  const named = MARKS[node.localName];
  const tags = new Set<string>();
  const weight = /(?:^|[;\s])font-weight:\s*(\w+)/i.exec(style)?.[1]?.toLowerCase();
  const upright = /(?:^|[;\s])font-style:\s*normal/i.test(style);
  if (named && !(named === "strong" && (weight === "normal" || weight === "400")) && !(named === "em" && upright))
    tags.add(named);
  if (weight === "bold" || Number(weight) >= 600) tags.add("strong");
  if (/(?:^|[;\s])font-style:\s*(italic|oblique)/i.test(style)) tags.add("em");
  if (/vertical-align:\s*super/i.test(style)) tags.add("sup");
  if (/vertical-align:\s*sub/i.test(style)) tags.add("sub");
  if (heading) tags.delete("strong"); // a heading is bold by itself
  return [...tags];
}

/** Tell whether plain text is LaTeX: it has an environment, a heading or a typical command. */
export function looksLikeLatex(text: string): boolean {
  return (
    /\\(begin\{[A-Za-z]+\*?\}|(?:chapter|(?:sub){0,2}section|paragraph)\*?[[{]|\[|\()/.test(text) ||
    /\\([A-Za-z]*cite[A-Za-z]*\*?|emph|textbf|textit|footnote|label|ref|includegraphics|gls)[[{]/.test(text)
  );
}
