import { mergeAttributes, Node } from "@tiptap/core";
import { NodeSelection } from "@tiptap/pm/state";
import { drawCite, type CiteAttributes } from "./chip";
import { knownCite } from "./chips";
import { openCard } from "./card";
import { inlineCite } from "./inline-search";

/**
 * The command of a cite as it can be pasted from another place: attributes that spell no other LaTeX than a citation.
 */
export function pastedCite(given: string | null): CiteAttributes | false {
  let read: Partial<CiteAttributes>;
  try {
    read = JSON.parse(given ?? "") as Partial<CiteAttributes>;
  } catch {
    return false;
  }
  const keys = Array.isArray(read.keys)
    ? read.keys.filter((key) => typeof key === "string" && /^[^\s,{}\\%#~&$^"]{1,200}$/.test(key))
    : [];
  if (!keys.length) return false;
  const command =
    typeof read.command === "string" && /^[A-Za-z]*[cC]ite[A-Za-z]*\*?$/.test(read.command) ? read.command : "cite";
  return { command, keys, pre: option(read.pre), post: option(read.post), source: null };
}

function option(given: unknown): string | null {
  return typeof given === "string" && /^[^\\{}[\]%#\r\n]{0,200}$/.test(given) ? given : null;
}

/**
 * The citation of the page: `\cite{a,b}` as a group of chips, with a card on click or Enter; Backspace selects before
 * it deletes.
 */
export const Cite = Node.create({
  name: "cite",
  priority: 1_000, // its list takes Enter and the arrows before the paragraph does
  group: "inline",
  inline: true,
  atom: true,
  selectable: true,

  addAttributes() {
    const kept = { rendered: false };
    return {
      command: { default: "cite", ...kept },
      keys: { default: [], ...kept },
      pre: { default: null, ...kept },
      post: { default: null, ...kept },
      source: { default: null, ...kept },
    };
  },

  parseHTML() {
    return [{ tag: "span[data-cite]", getAttrs: (element) => pastedCite(element.getAttribute("data-cite")) }];
  },

  renderHTML({ node, HTMLAttributes }) {
    const { command, keys, pre, post } = node.attrs as CiteAttributes;
    const said = `[${keys.join(", ")}]`;
    return [
      "span",
      mergeAttributes(HTMLAttributes, { "data-cite": JSON.stringify({ command, keys, pre, post }) }),
      said,
    ];
  },

  renderText({ node }) {
    return `[${(node.attrs as CiteAttributes).keys.join(", ")}]`;
  },

  addNodeView() {
    return ({ node, editor, getPos }) => {
      const dom = document.createElement("span");
      dom.className = "cites";
      let shown = node;
      const draw = (): void => drawCite(dom, shown.attrs as CiteAttributes, knownCite);
      const cites = ({ keys }: CiteAttributes, some: ReadonlySet<string>): boolean => keys.some((key) => some.has(key));
      const forget = knownCite.heard((keys) => cites(shown.attrs as CiteAttributes, keys) && draw());
      draw();
      dom.addEventListener("click", (event) => {
        const at = getPos();
        if (at === undefined) return;
        const chip = (event.target as Element).closest<HTMLElement>("[data-key]");
        editor.view.dispatch(editor.state.tr.setSelection(NodeSelection.create(editor.state.doc, at)));
        openCard(editor, at, chip?.dataset.key ?? null);
      });
      return {
        dom,
        update(next) {
          if (next.type !== shown.type) return false;
          const isNew = !next.eq(shown);
          shown = next;
          if (isNew) draw();
          return true;
        },
        // What the chip draws of itself is no edit of the text.
        ignoreMutation: () => true,
        destroy: forget,
      };
    };
  },

  addProseMirrorPlugins() {
    return [inlineCite(this.editor)];
  },

  addKeyboardShortcuts() {
    const select = (towards: -1 | 1): boolean => {
      const { selection, doc } = this.editor.state;
      const beside = towards < 0 ? selection.$from.nodeBefore : selection.$from.nodeAfter;
      if (!selection.empty || beside?.type !== this.type) return false;
      const at = selection.from + (towards < 0 ? -beside.nodeSize : 0);
      return this.editor.commands.command(({ tr, dispatch }) => {
        dispatch?.(tr.setSelection(NodeSelection.create(doc, at)));
        return true;
      });
    };
    return {
      Backspace: () => select(-1),
      Delete: () => select(1),
      Enter: () => {
        const { selection } = this.editor.state;
        if (!(selection instanceof NodeSelection) || selection.node.type !== this.type) return false;
        openCard(this.editor, selection.from, null);
        return true;
      },
    };
  },
});
