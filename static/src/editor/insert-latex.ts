import type { Editor, JSONContent } from "@tiptap/core";
import { toDocument, type BlockJSON } from "../latex";
import { looksLikeLatex } from "./paste";
import { uploadPicture } from "./pictures";

/** Insert LaTeX at the caret: a single paragraph inline, anything longer as blocks. */
export function insertLatex(editor: Editor, latex: string): boolean {
  const { doc, faults } = toDocument(latex.trim() ? latex.replace(/^\s*\n|\s+$/g, "") : latex);
  // LaTeX with an unmatched brace would close the visual view, so it is inserted as plain text.
  if (faults.length) return editor.commands.insertContent({ type: "text", text: latex });
  const [only] = doc.content;
  if (doc.content.length === 1 && only?.type === "paragraph")
    return editor.commands.insertContent((only.content ?? []) as JSONContent[]);
  const blocks = doc.content.map(asMoved);
  const { $to } = editor.state.selection;
  const inCell = editor.isActive("table") || editor.isActive("figure");
  if (inCell) return editor.commands.insertContentAt($to.after(1), blocks);
  return editor.commands.insertContent(blocks);
}

/** Mark a block as moved: its LaTeX stays, its position among the neighbours is new. */
function asMoved(block: BlockJSON): JSONContent {
  return { ...block, attrs: { ...block.attrs, before: null, place: null } } as JSONContent;
}

/** Insert pictures or LaTeX from the clipboard or a drop; return false when there is neither. */
export function insertTransfer(editor: Editor, data: DataTransfer | null, place: PictureHost, at?: number): boolean {
  const pictures = [...(data?.files ?? [])].filter(isPicture);
  const html = data?.getData("text/html") ?? "";
  // Word adds a picture of the text to its HTML; the text is what counts.
  if (pictures.length && !/<(p|table|h[1-6]|li)\b/i.test(html)) {
    for (const picture of pictures) void insertPicture(editor, picture, place, at);
    return true;
  }
  const text = data?.getData("text/plain") ?? "";
  if (html || at !== undefined || !text || editor.isActive("code") || !looksLikeLatex(text)) return false;
  return insertLatex(editor, text);
}

/** What inserting a picture needs from the page. */
export interface PictureHost {
  /** The `<section-editor>`, for addresses and the CSRF token. */
  host: HTMLElement;
  announce(words: string): void;
}

function isPicture(file: File): boolean {
  return file.type.startsWith("image/") || file.type === "application/pdf";
}

/**
 * Insert `file` as a figure and upload it to the thesis. The figure appears at once; when the upload fails, it stays
 * with the file name and the reason is announced.
 */
export async function insertPicture(
  editor: Editor,
  file: File,
  { host, announce }: PictureHost,
  at?: number,
): Promise<void> {
  const name = (file.name || "picture.png").replace(/[{}%\\#~$^&\s]+/g, "-");
  const figure = { type: "figure", attrs: { path: `figures/${name}`, options: "width=\\linewidth" } };
  const after =
    at ?? (editor.state.selection.$to.depth ? editor.state.selection.$to.after(1) : editor.state.doc.content.size);
  editor.commands.insertContentAt(after, figure);
  announce(`Uploading ${file.name || "the picture"}.`);
  try {
    const path = await uploadPicture(host, file);
    renamePath(editor, figure.attrs.path, path);
    announce("The picture was uploaded.");
  } catch (error) {
    const why = error instanceof Error ? error.message : "something went wrong";
    announce(
      `The picture could not be uploaded: ${why.replace(/\.$/, "")}. The text refers to it as ` +
        `${figure.attrs.path}; insert the file again, or upload one with that name.`,
    );
  }
}

/** Set the final path of the figure whose picture was uploaded. */
function renamePath(editor: Editor, waiting: string, path: string): void {
  if (editor.isDestroyed) return;
  const { tr, doc } = editor.state;
  let last = -1;
  doc.descendants((node, at) => {
    if (node.type.name === "figure" && node.attrs.path === waiting) last = at;
    return !node.isTextblock;
  });
  if (last < 0) return;
  // Setting the attribute redraws the figure even when the path is the same, now with its picture.
  editor.view.dispatch(tr.setNodeAttribute(last, "path", path));
}
