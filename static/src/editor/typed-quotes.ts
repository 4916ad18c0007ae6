import { Extension, InputRule } from "@tiptap/core";
import { Plugin } from "@tiptap/pm/state";
import { Fragment, Slice, type Node } from "@tiptap/pm/model";

/** Opening and closing marks: double, single. */
type Marks = readonly [string, string, string, string];

const MARKS: Record<string, Marks> = {
  de: ["„", "“", "‚", "‘"],
  da: ["„", "“", "‚", "‘"],
  cs: ["„", "“", "‚", "‘"],
  pl: ["„", "”", "‚", "’"],
  sv: ["”", "”", "’", "’"],
  fi: ["”", "”", "’", "’"],
};
const ENGLISH: Marks = ["“", "”", "‘", "’"];
const OPENS = /(?:^|[\s\u00A0\u202F([{–—/“„‘‚«])$/;

/** Return the quotation mark or apostrophe that a straight `sign` means after the text `before`. */
export function quoteFor(sign: string, before: string, lang: string): string {
  const [open, close, openSingle, closeSingle] = MARKS[lang.slice(0, 2).toLowerCase()] ?? ENGLISH;
  const opens = OPENS.test(before);
  if (sign === '"') return opens ? open : close;
  if (opens) return openSingle;
  // in languages whose closing mark is no apostrophe, a quotation must be open
  const isOpen = openSingle !== closeSingle && before.lastIndexOf(openSingle) > before.lastIndexOf(closeSingle);
  return isOpen ? closeSingle : "’";
}

/** Replace the straight quotation marks in pasted text, after the text `before`. */
export function curl(text: string, before: string, lang: string): string {
  let curled = "";
  for (const part of text.split(/(["'])/)) {
    const isMark = part === '"' || part === "'";
    curled += isMark ? quoteFor(part, (curled.length < 200 ? before + curled : curled).slice(-200), lang) : part;
  }
  return curled;
}

/**
 * The extension that turns typed and pasted straight quotation marks into those that print as they look. Backspace
 * restores the straight one. Code keeps them, and so does text that is there already.
 */
export const TypedQuotes = Extension.create({
  name: "typedQuotes",
  addInputRules() {
    const { editor } = this;
    return [
      new InputRule({
        find: /["']$/,
        handler: ({ state, range, match }) => {
          const $from = state.doc.resolve(range.from);
          const before = $from.parent.textBetween(0, $from.parentOffset, undefined, leafText).slice(-200);
          state.tr.insertText(quoteFor(match[0], before, editor.view.dom.lang), range.from, range.to);
        },
      }),
    ];
  },
  addProseMirrorPlugins() {
    const { editor } = this;
    let isOwn = false; // copied from an editor, where every mark is as it was meant
    return [
      new Plugin({
        props: {
          transformPastedHTML: (html) => {
            isOwn = /\bdata-pm-slice=/.test(html);
            return html;
          },
          transformPastedText: (text) => {
            isOwn = false;
            return text;
          },
          transformPasted: (slice) => (isOwn ? slice : curlSlice(slice, editor.view.dom.lang)),
        },
      }),
    ];
  },
});

/** A footnote or citation is text without a gap; a line end in the source is a space. */
function leafText(node: Node): string {
  return node.type.name === "softBreak" || node.type.name === "hardBreak" ? " " : "\uFFFC";
}

function curlSlice(slice: Slice, lang: string): Slice {
  return new Slice(curlFragment(slice.content, lang), slice.openStart, slice.openEnd);
}

function curlFragment(fragment: Fragment, lang: string): Fragment {
  let before = "";
  const nodes: Node[] = [];
  fragment.forEach((node) => {
    const isCode = node.marks.some(({ type }) => type.spec.code);
    if (node.isText && !isCode && /["']/.test(node.text ?? ""))
      nodes.push(node.type.schema.text(curl(node.text ?? "", before, lang), node.marks));
    else nodes.push(node.isLeaf ? node : node.copy(curlFragment(node.content, lang)));
    before = (before + (node.isText ? (node.text ?? "") : leafText(node))).slice(-200);
  });
  return Fragment.from(nodes);
}
