import { mergeAttributes, Node, type Editor } from "@tiptap/core";
import { NodeSelection } from "@tiptap/pm/state";
import { unrendered, parsePasted, changeAttributes, opening, previewMaths, removeAt, sheetPlace } from "./inline-chips";
import { el } from "../cite-dialog/render";
import { sourceAttributes } from "./blocks";
import { commentOf, drawComment } from "./comment-mark";
import { closed, contained } from "../latex/close-braces";
import { formulaField, withCommands } from "./formula-field";
import { drawMaths, drawMathsLater, cancelMaths } from "./maths";
import { openSheet } from "./popover";
import { openParts } from "./open-parts";
import { plainWords } from "./plain-words";

const RAW = { latex: "", name: null as string | null };
const MATHS = { latex: "", env: "[" };

/** The node for LaTeX without a visual form: shown and edited as source. */
export const RawBlock = Node.create({
  name: "rawBlock",
  group: "block",
  atom: true,
  defining: true,
  addAttributes: () => ({ ...sourceAttributes, ...unrendered(RAW) }),
  parseHTML: () => [
    { tag: "pre[data-block=rawBlock]", getAttrs: (dom) => parsePasted(RAW, dom.getAttribute("data-attrs")) },
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
      const shown = document.createElement("div");
      dom.append(shown);
      let current = node;
      const draw = (): void => drawRaw(dom, shown, String(current.attrs.latex), String(current.attrs.name ?? ""));
      draw();
      let box: HTMLTextAreaElement | null = null;
      const says = openParts();

      /** Close the box, unless its source leaves something open: then that is said first. */
      const close = (anyway = false): boolean => {
        if (!box) return true;
        if (!anyway && says.show(box)) return false;
        const gone = box;
        box = null;
        says.dom.remove();
        gone.replaceWith(shown);
        draw();
        return true;
      };
      says.done.addEventListener("click", () => close(true));
      const edit = (): void => {
        if (box || !editor.isEditable) return;
        box = document.createElement("textarea");
        box.className = "rawblock";
        box.dir = "ltr";
        box.spellcheck = false;
        box.setAttribute(
          "aria-label",
          `LaTeX, kept exactly as written${current.attrs.name ? `: ${current.attrs.name}` : ""}`,
        );
        box.value = String(current.attrs.latex);
        box.rows = box.value.split("\n").length;
        box.addEventListener("input", () => {
          const at = getPos();
          if (at === undefined || !box) return;
          if (!says.dom.hidden) says.show(box);
          changeAttributes(editor, at, "rawBlock", () => ({ latex: contained(box!.value) }));
        });
        box.addEventListener("blur", () => close());
        box.addEventListener("keydown", (event) => {
          if (event.key !== "Escape" && !((event.ctrlKey || event.metaKey) && event.key === "Enter")) return;
          event.preventDefault();
          const at = getPos();
          if (!close()) return;
          if (at !== undefined)
            editor.view.dispatch(editor.state.tr.setSelection(NodeSelection.create(editor.state.doc, at)));
          editor.view.focus();
        });
        shown.replaceWith(box);
        box.after(says.dom);
        box.focus();
      };
      dom.addEventListener("click", (event) => {
        if (!(event.target as Element).closest("a, button")) edit();
      });
      dom.addEventListener("open-block", edit);
      return {
        dom,
        update(next) {
          if (next.type !== current.type) return false;
          current = next;
          if (!box) draw();
          else if (contained(box.value) !== next.attrs.latex) box.value = next.attrs.latex;
          return true;
        },
        // A click opens the text area; the editor would take the focus back.
        stopEvent: (event) => (box !== null && event.target !== dom) || /^(mouse|click)/.test(event.type),
        ignoreMutation: () => true,
      };
    },
});

/** Draw source without a visual form: a comment as a note in the margin, anything else folded to one line. */
function drawRaw(dom: HTMLElement, into: HTMLElement, latex: string, name: string): void {
  const comment = commentOf(latex);
  dom.classList.toggle("is-comment", comment !== null);
  if (comment) return drawComment(into, comment);
  const first = captionOf(latex) ?? latex.split(/\r\n|\r|\n/, 1)[0]!;
  const isShort = first === latex && latex.length <= 80;
  const line = el("code", { class: "rawblock", dir: "ltr" }, (isShort ? latex : first.slice(0, 80)) || name);
  into.replaceChildren(el("div", { class: "folded" }, line, ...(isShort ? [] : [el("span", {}, "Show source")])));
  into.title = "LaTeX that is printed as it is, and kept exactly as written";
}

/** Return "Table: Prevalence of caries" for the source of a table or figure with a caption; null without one. */
function captionOf(latex: string): string | null {
  const kind = /^\\begin\{(?:sideways|long|wrap|SC)?(table|figure)\*?\}/.exec(latex)?.[1];
  const caption = /\\caption\*?(?:\[[^\]]*\])?\{((?:[^{}]|\{[^{}]*\}){1,400})\}/.exec(latex)?.[1];
  if (!kind || !caption) return null;
  return `${kind === "table" ? "Table" : "Figure"}: ${plainWords(caption)}`;
}

/** The node for a displayed formula. */
export const MathBlock = Node.create({
  name: "mathBlock",
  group: "block",
  atom: true,
  addAttributes: () => ({ ...sourceAttributes, ...unrendered(MATHS) }),
  parseHTML: () => [
    { tag: "div[data-block=mathBlock]", getAttrs: (dom) => parsePasted(MATHS, dom.getAttribute("data-attrs")) },
  ],
  renderHTML: ({ node, HTMLAttributes }) => [
    "div",
    mergeAttributes(HTMLAttributes, {
      "data-block": "mathBlock",
      "data-attrs": JSON.stringify({ latex: node.attrs.latex, env: node.attrs.env }),
    }),
    String(node.attrs.latex),
  ],
  renderText: ({ node }) => blockLatex(String(node.attrs.latex), String(node.attrs.env)),
  addNodeView:
    () =>
    ({ node, editor, getPos }) => {
      const dom = document.createElement("div");
      dom.className = "math-block";
      let current = node;
      const draw = (later: boolean): void =>
        (later ? drawMathsLater : drawMaths)(dom, forKatex(current.attrs.latex, current.attrs.env), true);
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
          if (next.type !== current.type) return false;
          const same = next.attrs.latex === current.attrs.latex && next.attrs.env === current.attrs.env;
          current = next;
          if (!same) draw(false);
          return true;
        },
        ignoreMutation: () => true,
        destroy: () => cancelMaths(dom),
      };
    },
});

function openMathBlock(editor: Editor, at: number, dom: HTMLElement): void {
  const node = editor.state.doc.nodeAt(at);
  if (node?.type.name !== "mathBlock" || !editor.isEditable) return;
  const env = String(node.attrs.env);
  openSheet(dom, sheetPlace(editor), {
    title: env === "[" || env === "$$" ? "Formula" : `Formula (${env})`,
    fields: [{ name: "latex", label: "LaTeX of the formula", value: String(node.attrs.latex), control: formulaField }],
    preview: (into, { latex = "" }) => previewMaths(into, forKatex(latex, env), true),
    onChange: ({ latex = "" }) =>
      changeAttributes(editor, at, "mathBlock", () => ({
        latex: closed(withCommands(latex.replace(/(\r?\n[ \t]*){2,}/g, "\n"))),
      })),
    remove: () => removeAt(editor, at, "mathBlock"),
    onClose: (byKey) => {
      const still = editor.state.doc.nodeAt(at);
      if (still?.type.name === "mathBlock" && !still.attrs.latex) removeAt(editor, at, "mathBlock");
      if (byKey) editor.view.focus();
    },
  });
}

/** Convert a formula for KaTeX: without labels, and with the environment of multi-line formulas. */
function forKatex(latex: string, env: string): string {
  const bare = latex.replace(/\\label\{[^{}]*\}/g, "");
  if (/^(align|gather|alignat|multline)\*?$/.test(env)) {
    const inner = env.startsWith("multline") ? "gather" : env.replace("*", "");
    return `\\begin{${inner}*}${bare}\\end{${inner}*}`;
  }
  return bare;
}

function blockLatex(latex: string, env: string): string {
  if (env === "[") return `\\[${latex}\\]`;
  return env === "$$" ? `$$${latex}$$` : `\\begin{${env}}\n${latex}\n\\end{${env}}`;
}
