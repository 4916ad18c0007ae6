import { mergeAttributes, Node, type Editor } from "@tiptap/core";
import { el } from "../cite-dialog/render";
import { change, kept, pasted, removeAt, sheetPlace } from "./inline-chips";
import { asRead } from "./blocks";
import { openSheet } from "./popover";
import { pictureAt, picturesChanged } from "./pictures";

const FIGURE = {
  path: "",
  options: null as string | null,
  label: null as string | null,
  placement: null as string | null,
};

/** A figure: its picture on white paper, its caption below, to be typed in. */
export const Figure = Node.create({
  name: "figure",
  group: "block",
  content: "inline*",
  defining: true,
  isolating: true,
  addAttributes: () => ({ ...asRead, ...kept(FIGURE) }),
  parseHTML: () => [
    {
      tag: "figure[data-block]",
      contentElement: "figcaption",
      getAttrs: (dom) => pasted(FIGURE, dom.getAttribute("data-attrs")),
    },
  ],
  renderHTML: ({ node, HTMLAttributes }) => {
    const { path, options, placement } = node.attrs;
    const about = { "data-block": "figure", "data-attrs": JSON.stringify({ path, options, placement }) };
    return ["figure", mergeAttributes(HTMLAttributes, about), ["figcaption", 0]];
  },
  addNodeView:
    () =>
    ({ node, editor, getPos }) => {
      const plate = el("div", { class: "plate", contenteditable: "false" });
      const caption = el("figcaption", { dir: "auto" });
      const dom = el("figure", {}, plate, caption);
      let now = node;
      const draw = (): void => drawPlate(plate, now.attrs.path, caption.textContent ?? "");
      const forget = picturesChanged(draw);
      draw();
      plate.addEventListener("click", () => {
        const at = getPos();
        if (at !== undefined) openFigure(editor, at, plate);
      });
      dom.addEventListener("open-block", () => plate.click());
      return {
        dom,
        contentDOM: caption,
        update(next) {
          if (next.type !== now.type) return false;
          const same = next.attrs.path === now.attrs.path;
          now = next;
          if (!same) draw();
          return true;
        },
        stopEvent: (event) => plate.contains(event.target as Element) && event.type !== "dragstart",
        ignoreMutation: (mutation) => !caption.contains(mutation.target) || mutation.target === dom,
        destroy: forget,
      };
    },
  addKeyboardShortcuts() {
    return {
      // A caption is one paragraph: Enter goes on below the figure.
      Enter: () => {
        const { $from, empty } = this.editor.state.selection;
        if (!empty || $from.parent.type !== this.type) return false;
        const after = $from.after();
        return this.editor
          .chain()
          .insertContentAt(after, { type: "paragraph" })
          .setTextSelection(after + 1)
          .run();
      },
      Backspace: () => {
        const { $from, empty } = this.editor.state.selection;
        return (
          empty &&
          $from.parent.type === this.type &&
          $from.parentOffset === 0 &&
          this.editor.commands.setNodeSelection($from.before())
        );
      },
    };
  },
});

/** The picture, or quietly its path where the thesis has no such file (yet). */
function drawPlate(plate: HTMLElement, path: string, caption: string): void {
  const url = pictureAt(path);
  if (!url) {
    plate.classList.add("no-picture");
    plate.replaceChildren(
      el(
        "button",
        { type: "button", class: "btn btn-quiet btn-small", title: "Change the file" },
        path || "Which picture?",
      ),
    );
    return;
  }
  plate.classList.remove("no-picture");
  const picture = el("img", { src: url, alt: caption.trim() || path, loading: "lazy", draggable: "false" });
  picture.addEventListener("error", () => drawMissing(plate, path), { once: true });
  plate.replaceChildren(picture);
}

function drawMissing(plate: HTMLElement, path: string): void {
  plate.classList.add("no-picture");
  plate.replaceChildren(el("button", { type: "button", class: "btn btn-quiet btn-small" }, path));
}

export function openFigure(editor: Editor, at: number, anchor: Element): void {
  const node = editor.state.doc.nodeAt(at);
  if (node?.type.name !== "figure" || !editor.isEditable) return;
  const { path, options, label } = node.attrs as typeof FIGURE;
  openSheet(anchor, sheetPlace(editor), {
    title: "Figure",
    fields: [
      { name: "path", label: "File", value: path, hint: "Where it lies in the thesis, such as figures/flow.png." },
      {
        name: "options",
        label: "Size",
        value: options ?? "",
        hint: "As \\includegraphics takes it, such as width=0.8\\textwidth.",
      },
      {
        name: "label",
        label: "Label",
        value: label ?? "",
        hint: "The name by which \\ref points here, such as fig:flow.",
      },
    ],
    changed: (values) =>
      change(editor, at, "figure", () => ({
        path: (values.path ?? "").replace(/[{}%\\\r\n]/g, "").trim(),
        options: (values.options ?? "").replace(/[[\]\r\n]/g, "").trim() || null,
        label: (values.label ?? "").replace(/[{}\\%#\s]/g, "") || null,
      })),
    remove: () => removeAt(editor, at, "figure"),
    left: (byKey) => byKey && editor.view.focus(),
  });
}
