import { mergeAttributes, Node, textblockTypeInputRule } from "@tiptap/core";
import { Blockquote } from "@tiptap/extension-blockquote";
import { Document } from "@tiptap/extension-document";
import { HardBreak } from "@tiptap/extension-hard-break";
import { BulletList, ListItem, ListKeymap, OrderedList } from "@tiptap/extension-list";
import { Paragraph } from "@tiptap/extension-paragraph";
import { Text } from "@tiptap/extension-text";
import { unrendered, parsePasted } from "./inline-chips";

/** Attributes of every block for writing it back exactly as read. When a block is split, the second half is new. */
export const sourceAttributes = {
  source: { default: null, rendered: false, keepOnSplit: false },
  before: { default: null, rendered: false, keepOnSplit: false },
  place: { default: null, rendered: false, keepOnSplit: false },
};

const LEVELS = ["h2", "h3", "h4", "h5", "h6", "h6"];
const COMMANDS = ["chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"];
const HEADING = { level: 2, command: null, starred: false, label: null, short: null };

const Heading = Node.create({
  name: "heading",
  group: "block",
  content: "inline*",
  defining: true,
  addAttributes: () => ({ ...sourceAttributes, ...unrendered(HEADING) }),
  parseHTML: () => [
    { tag: "[data-heading]", getAttrs: (dom: HTMLElement) => parsePasted(HEADING, dom.getAttribute("data-heading")) },
    // Pasted headings start below the level of the section's title.
    ...[1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, attrs: { level: Math.min(4, Math.max(2, level)) } })),
  ],
  renderHTML: ({ node, HTMLAttributes }) => {
    const { level, command, starred, label, short } = node.attrs as typeof HEADING;
    const about = {
      "data-heading": JSON.stringify({ level, command, starred, label: null, short }),
      "data-level": String(level),
      dir: "auto",
    };
    return [
      LEVELS[level - 1] ?? "h3",
      mergeAttributes(HTMLAttributes, about, starred ? { "data-starred": "" } : {}, label ? { title: label } : {}),
      0,
    ];
  },
  addCommands() {
    return {
      setHeading:
        ({ level }) =>
        ({ commands }) =>
          commands.setNode(this.name, { ...HEADING, level, command: COMMANDS[level - 1] ?? null }),
    };
  },
  addKeyboardShortcuts() {
    const at = (level: number) => () => this.editor.commands.setHeading({ level });
    return { "Mod-Alt-1": at(2), "Mod-Alt-2": at(3), "Mod-Alt-3": at(4) };
  },
  addInputRules() {
    return [1, 2, 3].map((signs) =>
      textblockTypeInputRule({
        find: new RegExp(`^(#{${signs}})\\s$`),
        type: this.type,
        getAttributes: { level: signs + 1, command: COMMANDS[signs] },
      }),
    );
  },
});

declare module "@tiptap/core" {
  interface Commands<ReturnType> {
    sectionHeading: { setHeading(attributes: { level: number }): ReturnType };
  }
}

const listOptions = { options: { default: null, rendered: false, keepOnSplit: false } };

/** The block extensions of the visual editor. */
export const blocks = [
  Document,
  Text,
  // The first letters of each paragraph decide its direction (Arabic and Hebrew next to English).
  Paragraph.extend({
    addAttributes: () => sourceAttributes,
    renderHTML: ({ HTMLAttributes }) => ["p", mergeAttributes(HTMLAttributes, { dir: "auto" }), 0],
  }),
  Heading,
  BulletList.extend({ addAttributes: () => ({ ...sourceAttributes, ...listOptions }), content: "listItem+" }).configure(
    {
      HTMLAttributes: { dir: "auto" },
    },
  ),
  OrderedList.extend({
    addAttributes: () => ({ ...sourceAttributes, ...listOptions }),
    content: "listItem+",
    renderHTML: ({ HTMLAttributes }) => ["ol", mergeAttributes(HTMLAttributes, { dir: "auto" }), 0],
  }),
  ListItem.extend({ content: "paragraph (paragraph | bulletList | orderedList)*" }),
  ListKeymap,
  Blockquote.extend({
    addAttributes: () => ({ ...sourceAttributes, ...unrendered({ env: null }) }),
    content: "paragraph+",
  }),
  HardBreak.extend({ addKeyboardShortcuts: () => ({}) }), // ./keys handles Shift+Enter; Ctrl+Enter builds
];
