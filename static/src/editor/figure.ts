import { mergeAttributes, Node, type Editor } from "@tiptap/core";
import { el } from "../cite-dialog/render";
import { changeAttributes, unrendered, parsePasted, removeAt, sheetPlace } from "./inline-chips";
import { sourceAttributes } from "./blocks";
import { contained } from "../latex/close-braces";
import { openSheet } from "./popover";
import { isPictureMissing, pictureAddress, onPicturesChange } from "./pictures";

const FIGURE = {
  path: "",
  options: null as string | null,
  label: null as string | null,
  placement: null as string | null,
};

/** The figure node: a picture with an editable caption. */
export const Figure = Node.create({
  name: "figure",
  group: "block",
  content: "inline*",
  defining: true,
  isolating: true,
  addAttributes: () => ({ ...sourceAttributes, ...unrendered(FIGURE) }),
  parseHTML: () => [
    {
      tag: "figure[data-block]",
      contentElement: "figcaption",
      getAttrs: (dom) => parsePasted(FIGURE, dom.getAttribute("data-attrs")),
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
      let current = node;
      const draw = (): void => drawPlate(plate, current.attrs.path, caption.textContent ?? "");
      const stopListening = onPicturesChange(draw);
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
          if (next.type !== current.type) return false;
          const same = next.attrs.path === current.attrs.path;
          current = next;
          if (!same) draw();
          return true;
        },
        stopEvent: (event) => plate.contains(event.target as Element) && event.type !== "dragstart",
        ignoreMutation: (mutation) => !caption.contains(mutation.target) || mutation.target === dom,
        destroy: stopListening,
      };
    },
  addKeyboardShortcuts() {
    return {
      // A caption is a single paragraph, so Enter starts a paragraph below the figure.
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

/** Draw the picture, or its path when the thesis has no such file. */
function drawPlate(plate: HTMLElement, path: string, caption: string): void {
  const url = pictureAddress(path);
  if (!url) {
    plate.classList.add("no-picture");
    plate.replaceChildren(
      el(
        "button",
        { type: "button", class: "btn btn-quiet btn-small", title: "Change the file" },
        path || "Choose a picture",
      ),
      ...(isPictureMissing(path) ? [el("p", { class: "small" }, "This picture is missing.")] : []),
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

/** Open the settings of the figure at `at`. */
export function openFigure(editor: Editor, at: number, anchor: Element): void {
  const node = editor.state.doc.nodeAt(at);
  if (node?.type.name !== "figure" || !editor.isEditable) return;
  const { path, options, label } = node.attrs as typeof FIGURE;
  openSheet(anchor, sheetPlace(editor), {
    title: "Figure",
    fields: [
      { name: "path", label: "File", value: path, hint: "Path in the thesis, such as figures/flow.png." },
      {
        name: "options",
        label: "Size",
        value: options ?? "",
        hint: "Options of \\includegraphics, such as width=0.8\\textwidth.",
      },
      {
        name: "label",
        label: "Label",
        value: label ?? "",
        hint: "The name for \\ref, such as fig:flow.",
      },
    ],
    onChange: (values) =>
      changeAttributes(editor, at, "figure", () => ({
        path: (values.path ?? "").replace(/[{}%\\\r\n]/g, "").trim(),
        options: contained((values.options ?? "").replace(/[[\]\r\n%]/g, "").trim()) || null,
        label: (values.label ?? "").replace(/[{}\\%#\s]/g, "") || null,
      })),
    remove: () => removeAt(editor, at, "figure"),
    onClose: (byKey) => byKey && editor.view.focus(),
  });
}
