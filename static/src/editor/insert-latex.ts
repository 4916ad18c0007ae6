import type { Editor, JSONContent } from "@tiptap/core";
import { toDocument, type BlockJSON } from "../latex";
import { looksLikeLatex } from "./paste";
import { keepPicture } from "./pictures";

/** Put LaTeX at the caret: within the paragraph when it is one, as blocks of their own when it is more. */
export function insertLatex(editor: Editor, latex: string): boolean {
  const { doc, faults } = toDocument(latex.trim() ? latex.replace(/^\s*\n|\s+$/g, "") : latex);
  // A brace too many would close the visual view: such LaTeX goes in as the words it is.
  if (faults.length) return editor.commands.insertContent({ type: "text", text: latex });
  const [only] = doc.content;
  if (doc.content.length === 1 && only?.type === "paragraph")
    return editor.commands.insertContent((only.content ?? []) as JSONContent[]);
  const blocks = doc.content.map(asNew);
  const { $to } = editor.state.selection;
  const inCell = editor.isActive("table") || editor.isActive("figure");
  if (inCell) return editor.commands.insertContentAt($to.after(1), blocks);
  return editor.commands.insertContent(blocks);
}

/** A block of another text: its LaTeX stays, its place among neighbours is new. */
function asNew(block: BlockJSON): JSONContent {
  return { ...block, attrs: { ...block.attrs, before: null, place: null } } as JSONContent;
}

/** What the clipboard or a drop brings that is no HTML: pictures, LaTeX. True when it was dealt with. */
export function takeIn(editor: Editor, data: DataTransfer | null, place: Placing, at?: number): boolean {
  const pictures = [...(data?.files ?? [])].filter(isPicture);
  const html = data?.getData("text/html") ?? "";
  // Word brings a picture of the text beside its HTML: the text is meant.
  if (pictures.length && !/<(p|table|h[1-6]|li)\b/i.test(html)) {
    for (const picture of pictures) void insertPicture(editor, picture, place, at);
    return true;
  }
  const text = data?.getData("text/plain") ?? "";
  if (html || at !== undefined || !text || editor.isActive("code") || !looksLikeLatex(text)) return false;
  return insertLatex(editor, text);
}

export interface Placing {
  /** The `<section-editor>`, for addresses and the token. */
  host: HTMLElement;
  say(words: string): void;
}

function isPicture(file: File): boolean {
  return file.type.startsWith("image/") || file.type === "application/pdf";
}

/**
 * Keep `file` with the thesis and put it in as a figure. The figure stands there at once; when the picture cannot be
 * kept, the figure stays with the name of the file, and why is told.
 */
export async function insertPicture(editor: Editor, file: File, { host, say }: Placing, at?: number): Promise<void> {
  const name = (file.name || "picture.png").replace(/[{}%\\#~$^&\s]+/g, "-");
  const figure = { type: "figure", attrs: { path: `figures/${name}`, options: "width=\\linewidth" } };
  const after =
    at ?? (editor.state.selection.$to.depth ? editor.state.selection.$to.after(1) : editor.state.doc.content.size);
  editor.commands.insertContentAt(after, figure);
  say(`Keeping ${file.name || "the picture"} with the thesis.`);
  try {
    const path = await keepPicture(host, file);
    renamePath(editor, figure.attrs.path, path);
    say("The picture is in the thesis.");
  } catch (error) {
    const why = error instanceof Error ? error.message : "something went wrong";
    say(
      `The picture could not be kept: ${why.replace(/\.$/, "")}. Its place is in the text as ` +
        `${figure.attrs.path}; add the file again, or put one there under that name.`,
    );
  }
}

/** The figure that waits for its picture gets the path under which the picture was kept. */
function renamePath(editor: Editor, waiting: string, path: string): void {
  if (editor.isDestroyed) return;
  const { tr, doc } = editor.state;
  let last = -1;
  doc.descendants((node, at) => {
    if (node.type.name === "figure" && node.attrs.path === waiting) last = at;
    return !node.isTextblock;
  });
  if (last < 0) return;
  // The same node with another path is drawn anew even when the path is the same: the picture is there now.
  editor.view.dispatch(tr.setNodeAttribute(last, "path", path));
}
