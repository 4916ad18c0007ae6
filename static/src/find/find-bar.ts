import { pageAutosave } from "../autosave/page-autosave";
import type { View } from "../editor/view";
import type { Finder } from "./finder";

/** The parts of the editor that the find bar needs. */
interface FindHost extends HTMLElement {
  readonly current: View;
  choose(view: "visual" | "source"): void | Promise<void>;
}

const LONGEST = 100; // characters of selected words that the field is filled with

/**
 * Connect the find bar of templates/sections/_find_bar.html: one bar for both views. Ctrl+F opens it, a second one
 * opens that of the browser; Ctrl+H opens it with the replacement.
 */
export function connectFindBar(editor: FindHost): void {
  const bar = editor.querySelector<HTMLElement>("[data-part=find]");
  const opener = editor.querySelector<HTMLElement>("[data-finds]");
  if (!bar || !opener) return;
  const part = <E extends HTMLElement = HTMLElement>(name: string): E => bar.querySelector<E>(`[data-find="${name}"]`)!;
  const words = part<HTMLInputElement>("words");
  const replacement = part<HTMLInputElement>("new");
  const thesis = part<HTMLAnchorElement>("thesis");
  const options = [part("case"), part("whole")];
  let searched: Finder | undefined; // the finder of the view in which the matches are marked

  const finder = (): Finder | undefined => editor.current.finder;
  const isOn = (name: string): boolean => part(name).getAttribute("aria-pressed") === "true";

  /** Search the open view; `andShow` selects the first match. */
  function search(andShow: boolean): void {
    searched = finder();
    searched?.onChange(draw);
    searched?.search({ words: words.value, matchCase: isOn("case"), wholeWords: isOn("whole") });
    if (andShow) searched?.showFirst();
    linkToThesis();
  }

  function draw(): void {
    const { total = 0, current = 0, hidden = 0 } = searched ?? {};
    const count = words.value.trim()
      ? total
        ? `${current || "–"} of ${total.toLocaleString("en")}`
        : "No matches"
      : "";
    if (part("count").textContent !== count) part("count").textContent = count;
    words.toggleAttribute("data-none", count === "No matches");
    // Not disabled, because a disabled button loses the focus.
    for (const name of ["previous", "next", "replace", "all"]) part(name).setAttribute("aria-disabled", String(!total));
    part("hidden").hidden = !hidden;
    part("hidden-count").textContent = `${hidden} ${total ? "more " : ""}in captions, notes or LaTeX source.`;
  }

  function linkToThesis(): void {
    const query = new URLSearchParams({ words: words.value });
    if (isOn("case")) query.set("match_case", "1");
    if (isOn("whole")) query.set("whole_words", "1");
    if (editor.current.kind === "source") query.set("in_source", "1");
    if (replacement.value) query.set("new", replacement.value);
    thesis.search = String(query);
  }

  function expand(isExpanded: boolean): void {
    part("replacement").hidden = !isExpanded;
    part("replacing").setAttribute("aria-expanded", String(isExpanded));
  }

  function open(withReplacement: boolean): void {
    const selected = bar!.contains(document.activeElement) ? "" : (finder()?.selectedWords ?? "");
    if (selected.trim() !== "" && selected.length <= LONGEST && !/[\n\uFFFC]/.test(selected)) words.value = selected;
    bar!.hidden = false;
    if (withReplacement) expand(true);
    search(words.value !== "");
    words.focus();
    words.select();
  }

  function close(): void {
    searched?.search(null);
    searched = undefined;
    bar!.hidden = true;
    editor.current.focus(); // the match is selected there
  }

  const step = (by: 1 | -1): void => searched?.step(by);
  const acts: Record<string, () => void> = {
    previous: () => step(-1),
    next: () => step(1),
    replacing: () => {
      const isExpanded = part("replacement").hidden === false;
      expand(!isExpanded);
      (isExpanded ? words : replacement).focus();
    },
    replace: () => searched?.replace(replacement.value),
    all: () => {
      const number = searched?.replaceAll(replacement.value) ?? 0;
      if (!number) return;
      part("count").textContent = `${number.toLocaleString("en")} replaced`;
    },
    source: () => void editor.choose("source"),
    close,
  };

  opener.addEventListener("click", () => (bar.hidden ? open(false) : close()));
  words.addEventListener("input", () => search(true));
  replacement.addEventListener("input", linkToThesis);
  for (const option of options)
    option.addEventListener("click", () => {
      option.setAttribute("aria-pressed", String(option.getAttribute("aria-pressed") !== "true"));
      search(true);
    });
  bar.addEventListener("click", (event) => {
    const name = (event.target as Element).closest<HTMLElement>("button[data-find]")?.dataset.find;
    if (name) acts[name]?.();
  });
  // What was typed is saved before the page of the thesis searches it.
  thesis.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void pageAutosave.then((autosave) => autosave.saveAndWait()).finally(() => location.assign(thesis.href));
  });
  bar.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && event.target === words) step(event.shiftKey ? -1 : 1);
    else if (event.key === "Enter" && event.target === replacement) acts.replace!();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  // The other view marks the same words.
  editor.addEventListener("viewed", () => {
    if (bar.hidden) return;
    search(false);
    words.focus();
  });
  document.addEventListener("keydown", (event) => {
    const command = (event.ctrlKey || event.metaKey) && !event.altKey;
    const key = event.key.toLowerCase();
    const isFind = command && !event.shiftKey && (key === "f" || (key === "h" && !event.metaKey));
    const isStep = !bar.hidden && (key === "f3" || (command && key === "g"));
    if (event.key === "Escape" && !bar.hidden && !event.defaultPrevented && editor.contains(document.activeElement)) {
      event.preventDefault();
      close();
    }
    if ((!isFind && !isStep) || !finder() || document.querySelector("dialog[open]")) return;
    if (key === "f" && document.activeElement === words) return; // the browser's own
    event.preventDefault();
    if (isStep) step(event.shiftKey ? -1 : 1);
    else open(key === "h");
  });
}
