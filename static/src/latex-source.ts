/**
 * `<latex-source>`: LaTeX in CodeMirror, inside a shadow root so that its styles are adopted style sheets, which a
 * strict content security policy allows. `sourceView` is what `<section-editor>` makes of it.
 */
export { LatexSource, sourceView } from "./source-editor/view";
