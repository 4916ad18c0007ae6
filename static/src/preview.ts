// The preview of a section beside its editor.
import { PreviewPane } from "./preview/pane";

const element = document.getElementById("preview");
const button = document.querySelector<HTMLButtonElement>("[data-preview]");
if (element && button) new PreviewPane(element, button);
