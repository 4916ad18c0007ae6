/**
 * The LaTeX parser of the editors (SPEC T2): lossless, linear, without a DOM. Its output is described in document.ts.
 */
export { join, split, type Block, type Kind, type Split } from "./blocks";
export type * from "./document";
export type { Fault } from "./faults";
export { newlineOf, toDocument, type Read } from "./read";
export { toLatex } from "./serialise";
export { outlineOf, type OutlineEntry } from "./outline";
export { wordsIn } from "./words";
