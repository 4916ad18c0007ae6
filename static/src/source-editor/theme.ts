import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// The page's CSS variables also apply in the shadow root and follow the color scheme.
const ink = (name: string): string => `var(--${name})`;

const signs = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.tagName, tags.keyword, tags.standard(tags.tagName)], color: ink("gall") },
    { tag: [tags.atom, tags.string, tags.special(tags.variableName)], color: ink("tier-b") },
    { tag: [tags.number], color: ink("tier-b") },
    { tag: [tags.bracket, tags.meta], color: ink("ink-3") },
    { tag: tags.comment, color: ink("ink-3"), fontStyle: "italic" },
    { tag: tags.invalid, color: ink("tier-d") },
  ]),
);

const control = {
  minHeight: "1.75rem",
  padding: "0.1rem 0.55rem",
  border: `1px solid ${ink("edge")}`,
  borderRadius: ink("r-2"),
  background: ink("page"),
  color: ink("ink"),
  font: `500 ${ink("t-14")}/1.2 ${ink("sans")}`,
};
const ring = { outline: `2px solid ${ink("focus")}`, outlineOffset: "2px" };

const theme = EditorView.theme({
  "&": { color: ink("ink"), background: "none", font: `400 1rem/1.75 ${ink("mono")}`, fontVariantLigatures: "none" },
  "&.cm-focused": { outline: "0" },
  ".cm-scroller": { overflow: "visible", fontFamily: "inherit", lineHeight: "inherit" },
  ".cm-content": {
    padding: "0",
    caretColor: ink("ink"),
    minHeight: "max(16rem, 100dvh - 22rem)",
    minWidth: "0",
    overflowWrap: "anywhere",
  },
  ".cm-line": { padding: "0" },
  ".cm-gutters": { background: "none", border: "0", color: ink("ink-3"), fontSize: ink("t-13"), lineHeight: "1.75rem" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 0.75rem 0 0", minWidth: "1.5rem" },
  ".cm-placeholder": { color: ink("ink-3") },
  ".cm-specialChar": { color: ink("tier-d") },
  "&.cm-focused .cm-matchingBracket": { background: ink("gall-wash"), color: ink("ink") },
  "&.cm-focused .cm-nonmatchingBracket": { background: ink("tier-d-wash"), color: ink("tier-d") },
  ".cm-remark": { background: ink("mark"), color: ink("ink") },
  ".cm-shown": { background: ink("mark"), color: ink("ink") },
  ".cm-selectionMatch": { background: ink("gall-wash") },
  ".cm-searchMatch": { background: ink("mark"), color: ink("ink") },
  ".cm-searchMatch-selected": { outline: `2px solid ${ink("gall")}` },
  // The panel that asks for a line
  ".cm-panels": {
    background: ink("panel"),
    color: ink("ink"),
    border: `1px solid ${ink("hairline")}`,
    borderRadius: ink("r-2"),
    zIndex: "3",
  },
  ".cm-panels-top": {
    borderBottom: `1px solid ${ink("hairline")}`,
    marginBlockEnd: ink("s-3"),
    top: `${ink("panel-top")}`,
  },
  ".cm-textfield": { ...control, fontWeight: "400", fontFamily: ink("mono"), width: "14rem", maxWidth: "100%" },
  ".cm-button": {
    ...control,
    backgroundImage: "none",
    cursor: "pointer",
    "&:hover": { borderColor: ink("gall") },
    "&:active": { backgroundImage: "none" },
  },
  ".cm-panel :focus-visible": ring,
  // Keys of the library
  ".cm-tooltip": {
    background: ink("page"),
    color: ink("ink"),
    border: `1px solid ${ink("hairline")}`,
    borderRadius: ink("r-3"),
    boxShadow: ink("lift-2"),
  },
  ".cm-tooltip.cm-tooltip-autocomplete": {
    "& > ul": {
      fontFamily: ink("sans"),
      fontSize: ink("t-14"),
      lineHeight: "1.4",
      maxHeight: "18rem",
      minWidth: "min(22rem, 80vw)",
      maxWidth: "min(34rem, 92vw)",
    },
    "& > ul > li": {
      display: "flex",
      gap: ink("s-2"),
      alignItems: "baseline",
      padding: "0.4rem 0.75rem",
      minHeight: "1.5rem",
      overflow: "hidden",
      textOverflow: "ellipsis",
    },
    "& > ul > li[aria-selected]": { background: ink("gall-wash"), color: ink("ink") },
  },
  ".cm-completionLabel": { flex: "none", maxWidth: "60%", overflow: "hidden", textOverflow: "ellipsis" },
  ".cm-completionDetail": {
    color: ink("ink-2"),
    fontStyle: "normal",
    margin: "0",
    overflow: "hidden",
    textOverflow: "ellipsis",
  },
  "li[aria-selected] .cm-completionDetail": { color: ink("ink") },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600" },
  ".cm-badge": { flex: "none", marginInlineStart: "auto", fontWeight: "600", fontFamily: ink("serif") },
  '.cm-badge[data-tier="a"]': { color: ink("tier-a") },
  '.cm-badge[data-tier="b"]': { color: ink("tier-b") },
  '.cm-badge[data-tier="c"]': { color: ink("tier-c") },
  '.cm-badge:is([data-tier="d"], [data-tier="conflict"], [data-tier="retracted"])': {
    color: ink("tier-d"),
    fontFamily: "inherit",
  },
});

/** The theme and syntax colors of the source view. */
export const sourceTheme = [theme, signs];
