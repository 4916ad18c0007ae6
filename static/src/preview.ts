// The preview of a section beside its editor, and the links to the place of the caret in the built PDF.
import { caretOffset } from "./preview/caret-offset";
import { PreviewPane, type EditedText } from "./preview/pane";

const element = document.getElementById("preview");
const button = document.querySelector<HTMLButtonElement>("[data-preview]");
const editor = document.querySelector<EditedText>("section-editor");
if (element && button) new PreviewPane(element, button, editor);

const links = document.querySelectorAll<HTMLAnchorElement>("a[data-in-pdf]");
editor?.addEventListener("selected", () => {
  for (const link of links) {
    const address = new URL(link.href);
    address.searchParams.set("at", String(caretOffset(editor)));
    link.href = address.pathname + address.search;
  }
});
