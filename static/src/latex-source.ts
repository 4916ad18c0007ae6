/**
 * `<latex-source>`: LaTeX in CodeMirror, inside a shadow root so that its styles are adopted style sheets, which a
 * strict content security policy allows. `<section-editor>` uses it through `sourceView`.
 */
export { LatexSource, sourceView } from "./source-editor/view";
