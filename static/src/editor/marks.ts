import { Bold } from "@tiptap/extension-bold";
import { Italic } from "@tiptap/extension-italic";
import { Mark, markInputRule } from "@tiptap/core";

// The marks of latex/document.ts. They do not exclude each other, because LaTeX can nest them in any order.
const ItalicKept = Italic.extend({
  addAttributes: () => ({ command: { default: null, rendered: false } }),
  parseHTML: () => [{ tag: "em" }, { tag: "i" }],
});

const BoldKept = Bold.extend({ parseHTML: () => [{ tag: "strong" }, { tag: "b" }] });

const Code = Mark.create({
  name: "code",
  code: true,
  parseHTML: () => [{ tag: "code" }, { tag: "tt" }],
  renderHTML: () => ["code", 0],
  addInputRules() {
    return [markInputRule({ find: /(?:^|\s)`([^`]+)`$/, type: this.type })];
  },
});

function plain(name: string, tag: string, className?: string): Mark {
  return Mark.create({
    name,
    parseHTML: () => [{ tag: className ? `${tag}.${className}` : tag }],
    renderHTML: () => [tag, className ? { class: className } : {}, 0],
  });
}

/** The mark extensions of the visual editor. */
export const marks = [
  BoldKept,
  ItalicKept,
  Code,
  plain("underline", "u"),
  plain("superscript", "sup").extend({ excludes: "superscript subscript" }),
  plain("subscript", "sub").extend({ excludes: "superscript subscript" }),
  plain("smallcaps", "span", "smallcaps"),
];
