/** A change of a text: replace the range from `start` to `end` with `text`, then put the caret at `caret`. */
export interface Edit {
  start: number;
  end: number;
  text: string;
  caret: number;
}

const INSIDE = /\\[A-Za-z]*cite[A-Za-z]*\*?((?:\[[^\][\n]*\]){0,2})\{([^{}\\\n]*)$/i;
const REST = /^([^{}\\\n]*)\}/;
const PAGES = /^\d+[a-z]?(?:\s*[-–—]+\s*\d+[a-z]?)?$/i;
const NEAR = 2000; // characters before the caret in which a cite command may begin

/** Format a citation: `\cite{a,b}`, or with a locator `\cite[p.~14]{a,b}`. In LaTeX it belongs to the last work. */
export function citeCommand(keys: readonly string[], locator = ""): string {
  const where = locatorText(locator);
  return `\\cite${where ? `[${where}]` : ""}{${keys.join(",")}}`;
}

/** Format a locator: pages get "p.~" or "pp.~"; anything else stays as typed, escaped for a LaTeX option. */
export function locatorText(typed: string): string {
  const text = typed.replace(/\s+/g, " ").trim();
  if (PAGES.test(text)) {
    const pages = text.split(/\s*[-–—]+\s*/);
    return pages.length > 1 ? `pp.~${pages.join("--")}` : `p.~${text}`;
  }
  const safe = text.replace(/(^|[^\\])([%#&])/g, "$1\\$2").replace(/\\+$/, "");
  const bare = hasBalancedBraces(safe) ? safe : safe.replace(/[{}]/g, "").trim();
  return /[[\]]/.test(bare) ? `{${bare}}` : bare;
}

/**
 * Create the edit that cites `keys` at the selection: a new command after the selected text, or, inside the braces of a
 * cite command, additional keys. The selected text stays.
 */
export function citeEdit(text: string, start: number, end: number, keys: readonly string[], locator = ""): Edit {
  const inside = INSIDE.exec(text.slice(Math.max(0, start - NEAR), start));
  if (inside && start === end) {
    const options = inside[1] ?? "";
    const earlier = (inside[2] ?? "").trimEnd();
    const rest = REST.exec(text.slice(end, end + NEAR));
    const later = (rest?.[1] ?? "").trim();
    if (!locatorText(locator)) {
      const before = earlier && !earlier.endsWith(",") ? "," : "";
      const behind = later && !later.startsWith(",") ? "," : "";
      const all = `${before}${keys.join(",")}${behind}`;
      const added = rest ? all : `${all}}`;
      return { start, end, text: added, caret: start + added.length + (rest && !later ? rest[0].length : 0) };
    }
    if (!options) {
      const brace = start - (inside[2] ?? "").length - 1;
      const listed = [...splitKeys(earlier), ...keys, ...splitKeys(later)];
      const added = `[${locatorText(locator)}]{${listed.join(",")}}`;
      return { start: brace, end: end + (rest?.[0].length ?? 0), text: added, caret: brace + added.length };
    }
    // The command already has an option, so a new command after it gets the locator.
    const after = end + (rest?.[0].length ?? 0);
    const added = `${rest ? "" : "}"}${citeCommand(keys, locator)}`;
    return { start: after, end: after, text: added, caret: after + added.length };
  }
  const added = citeCommand(keys, locator);
  return { start: end, end, text: added, caret: end + added.length };
}

/** Tell whether the last typed character opened the braces of a cite command: `\cite{|`. */
export function opensBraces(text: string, caret: number): boolean {
  const inside = INSIDE.exec(text.slice(Math.max(0, caret - 200), caret));
  return inside?.[2] === "" && !text.slice(Math.max(0, caret - 200), caret).match(/(^|[^\\])%[^\n]*$/);
}

function splitKeys(keys: string): string[] {
  return keys
    .split(",")
    .map((key) => key.trim())
    .filter(Boolean);
}

function hasBalancedBraces(text: string): boolean {
  let depth = 0;
  for (const sign of text) {
    if (sign === "{") depth++;
    if (sign === "}" && --depth < 0) return false;
  }
  return depth === 0;
}
