import { mergeAttributes, Node } from "@tiptap/core";
import { NodeSelection } from "@tiptap/pm/state";
import { drawCite, type CiteAttributes } from "./chip";
import { chipStore } from "./chips";
import { openCard } from "./card";
import { inlineCite } from "./inline-search";

/** Validate the attributes of a pasted citation, so that they cannot contain any other LaTeX. */
export function parsePastedCite(given: string | null): CiteAttributes | false {
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
  return { command, keys, pre: parseOption(read.pre), post: parseOption(read.post), source: null };
}

function parseOption(given: unknown): string | null {
  return typeof given === "string" && /^[^\\{}[\]%#\r\n]{0,200}$/.test(given) ? given : null;
}

/**
 * The citation node of the visual editor: `\cite{a,b}` as a group of chips, with a card on click or Enter. Backspace
 * first selects it, then deletes it.
 */
export const Cite = Node.create({
  name: "cite",
  priority: 1_000, // its list takes Enter and the arrows before the paragraph does
  group: "inline",
  inline: true,
  atom: true,
  selectable: true,

  addAttributes() {
    const options = { rendered: false };
    return {
      command: { default: "cite", ...options },
      keys: { default: [], ...options },
      pre: { default: null, ...options },
      post: { default: null, ...options },
      source: { default: null, ...options },
    };
  },

  parseHTML() {
    return [{ tag: "span[data-cite]", getAttrs: (element) => parsePastedCite(element.getAttribute("data-cite")) }];
  },

  renderHTML({ node, HTMLAttributes }) {
    const { command, keys, pre, post } = node.attrs as CiteAttributes;
    const text = `[${keys.join(", ")}]`;
    return [
      "span",
      mergeAttributes(HTMLAttributes, { "data-cite": JSON.stringify({ command, keys, pre, post }) }),
      text,
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
      const draw = (): void => drawCite(dom, shown.attrs as CiteAttributes, chipStore);
      const citesAny = ({ keys }: CiteAttributes, some: ReadonlySet<string>): boolean =>
        keys.some((key) => some.has(key));
      const stopListening = chipStore.onChange((keys) => citesAny(shown.attrs as CiteAttributes, keys) && draw());
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
        // Redrawing a chip is not an edit of the text.
        ignoreMutation: () => true,
        destroy: stopListening,
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
