import { mergeAttributes, Node, type Editor } from "@tiptap/core";
import { NodeSelection } from "@tiptap/pm/state";
import { kept, pasted, change, opening, previewMaths, removeAt, sheetPlace } from "./inline-chips";
import { asRead } from "./blocks";
import { drawMaths, drawMathsLater, dropMaths } from "./maths";
import { openSheet } from "./popover";

const RAW = { latex: "", name: null as string | null };
const MATHS = { latex: "", env: "[" };

/** LaTeX that only LaTeX understands: shown and edited as it is written, in its place. */
export const RawBlock = Node.create({
  name: "rawBlock",
  group: "block",
  atom: true,
  defining: true,
  addAttributes: () => ({ ...asRead, ...kept(RAW) }),
  parseHTML: () => [
    { tag: "pre[data-block=rawBlock]", getAttrs: (dom) => pasted(RAW, dom.getAttribute("data-attrs")) },
  ],
  renderHTML: ({ node, HTMLAttributes }) => [
    "pre",
    mergeAttributes(HTMLAttributes, {
      "data-block": "rawBlock",
      "data-attrs": JSON.stringify({ latex: node.attrs.latex, name: node.attrs.name }),
    }),
    String(node.attrs.latex),
  ],
  renderText: ({ node }) => String(node.attrs.latex),
  addNodeView:
    () =>
    ({ node, editor, getPos }) => {
      const dom = document.createElement("div");
      dom.className = "raw-block";
      const shown = document.createElement("pre");
      shown.className = "rawblock";
      shown.dir = "ltr";
      shown.textContent = node.attrs.latex;
      dom.append(shown);
      let now = node;
      let box: HTMLTextAreaElement | null = null;

      const close = (): void => {
        if (!box) return;
        const gone = box;
        box = null;
        gone.replaceWith(shown);
        shown.textContent = now.attrs.latex;
      };
      const edit = (): void => {
        if (box || !editor.isEditable) return;
        box = document.createElement("textarea");
        box.className = "rawblock";
        box.dir = "ltr";
        box.spellcheck = false;
        box.setAttribute("aria-label", `LaTeX, kept exactly as written${now.attrs.name ? `: ${now.attrs.name}` : ""}`);
        box.value = String(now.attrs.latex);
        box.rows = box.value.split("\n").length;
        box.addEventListener("input", () => {
          const at = getPos();
          if (at !== undefined && box) change(editor, at, "rawBlock", () => ({ latex: box!.value }));
        });
        box.addEventListener("blur", close);
        box.addEventListener("keydown", (event) => {
          if (event.key !== "Escape" && !((event.ctrlKey || event.metaKey) && event.key === "Enter")) return;
          event.preventDefault();
          const at = getPos();
          close();
          if (at !== undefined)
            editor.view.dispatch(editor.state.tr.setSelection(NodeSelection.create(editor.state.doc, at)));
          editor.view.focus();
        });
        shown.replaceWith(box);
        box.focus();
      };
      dom.addEventListener("click", edit);
      dom.addEventListener("open-block", edit);
      return {
        dom,
        update(next) {
          if (next.type !== now.type) return false;
          now = next;
          if (!box) shown.textContent = next.attrs.latex;
          else if (box.value !== next.attrs.latex) box.value = next.attrs.latex;
          return true;
        },
        // A click opens the box; the text would take the focus back.
        stopEvent: (event) => (box !== null && event.target === box) || /^(mouse|click)/.test(event.type),
        ignoreMutation: () => true,
      };
    },
});

/** A formula on lines of its own. */
export const MathBlock = Node.create({
  name: "mathBlock",
  group: "block",
  atom: true,
  addAttributes: () => ({ ...asRead, ...kept(MATHS) }),
  parseHTML: () => [
    { tag: "div[data-block=mathBlock]", getAttrs: (dom) => pasted(MATHS, dom.getAttribute("data-attrs")) },
  ],
  renderHTML: ({ node, HTMLAttributes }) => [
    "div",
    mergeAttributes(HTMLAttributes, {
      "data-block": "mathBlock",
      "data-attrs": JSON.stringify({ latex: node.attrs.latex, env: node.attrs.env }),
    }),
    String(node.attrs.latex),
  ],
  renderText: ({ node }) => written(String(node.attrs.latex), String(node.attrs.env)),
  addNodeView:
    () =>
    ({ node, editor, getPos }) => {
      const dom = document.createElement("div");
      dom.className = "math-block";
      let now = node;
      const draw = (later: boolean): void =>
        (later ? drawMathsLater : drawMaths)(dom, drawable(now.attrs.latex, now.attrs.env), true);
      draw(opening.now);
      const open = (): void => {
        const at = getPos();
        if (at !== undefined) openMathBlock(editor, at, dom);
      };
      dom.addEventListener("click", open);
      dom.addEventListener("open-block", open);
      return {
        dom,
        update(next) {
          if (next.type !== now.type) return false;
          const same = next.attrs.latex === now.attrs.latex && next.attrs.env === now.attrs.env;
          now = next;
          if (!same) draw(false);
          return true;
        },
        ignoreMutation: () => true,
        destroy: () => dropMaths(dom),
      };
    },
});

function openMathBlock(editor: Editor, at: number, dom: HTMLElement): void {
  const node = editor.state.doc.nodeAt(at);
  if (node?.type.name !== "mathBlock" || !editor.isEditable) return;
  const env = String(node.attrs.env);
  openSheet(dom, sheetPlace(editor), {
    title: env === "[" || env === "$$" ? "Formula" : `Formula (${env})`,
    fields: [{ name: "latex", label: "LaTeX of the formula", value: String(node.attrs.latex), long: true }],
    preview: (into, { latex = "" }) => previewMaths(into, drawable(latex, env), true),
    changed: ({ latex = "" }) =>
      change(editor, at, "mathBlock", () => ({ latex: latex.replace(/(\r?\n[ \t]*){2,}/g, "\n") })),
    remove: () => removeAt(editor, at, "mathBlock"),
    left: (byKey) => {
      const still = editor.state.doc.nodeAt(at);
      if (still?.type.name === "mathBlock" && !still.attrs.latex) removeAt(editor, at, "mathBlock");
      if (byKey) editor.view.focus();
    },
  });
}

/** The formula as KaTeX takes it: environments that number lines are drawn with them, labels are not drawn. */
function drawable(latex: string, env: string): string {
  const bare = latex.replace(/\\label\{[^{}]*\}/g, "");
  if (/^(align|gather|alignat|multline)\*?$/.test(env)) {
    const inner = env.startsWith("multline") ? "gather" : env.replace("*", "");
    return `\\begin{${inner}*}${bare}\\end{${inner}*}`;
  }
  return bare;
}

function written(latex: string, env: string): string {
  if (env === "[") return `\\[${latex}\\]`;
  return env === "$$" ? `$$${latex}$$` : `\\begin{${env}}\n${latex}\n\\end{${env}}`;
}
