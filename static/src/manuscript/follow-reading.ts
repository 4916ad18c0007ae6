import { leafOf } from "./text-blocks";
import { selectedRange, sourceAtPoint } from "./chapter-text";

const PAUSE = 250; // ms without scrolling before the panel changes

/**
 * Mark the chapter that is read in the outline, show its comments, and let "Write" lead to the words at the top.
 * The page comes with the comments of the chapter `opened`. `onChapter` is called with each other one as it becomes
 * current.
 */
export function followReading(opened: HTMLElement, onChapter: (chapter: HTMLElement) => void): void {
  const reading = document.querySelector<HTMLElement>("[data-reading]");
  const edit = document.querySelector<HTMLAnchorElement>("a[data-edit]");
  const pdf = document.querySelector<HTMLAnchorElement>("a[data-in-pdf]");
  if (!reading) return;
  let current: HTMLElement | undefined = opened;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const look = (): void => {
    const found = chapterOfSelection() ?? chapterInView(reading, current);
    if (!found) return;
    if (found !== current && !isWriting()) {
      current = found;
      markInOutline(found);
      onChapter(found);
      loadComments(found);
    }
    const at = topPlace(reading);
    if (edit) edit.href = editAddress(found, at);
    if (pdf) pdf.href = pdfAddress(pdf, found, at);
  };
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE);
  };
  document.addEventListener("scroll", later, { capture: true, passive: true });
  // While chapters above are loading, the text moves; afterwards the chapter changes by scrolling only.
  document.addEventListener("htmx:afterSettle", ({ target }) => {
    if (target instanceof Element && target.matches(".chapter, #manuscript *")) later();
  });
  document.addEventListener("selectionchange", () => {
    const chapter = chapterOfSelection();
    if (chapter && chapter !== current) look();
  });
  markInOutline(opened);
}

/** Return the chapter whose words are selected; its comments are shown even when another one is at the top. */
function chapterOfSelection(): HTMLElement | null {
  return leafOf(selectedRange()?.startContainer ?? null)?.closest<HTMLElement>(".chapter[data-section]") ?? null;
}

/** Return the chapter that is read: `current` while a part of it is well in view, else that in the upper third. */
function chapterInView(reading: HTMLElement, current: HTMLElement | undefined): HTMLElement | undefined {
  const box = reading.getBoundingClientRect();
  const top = Math.max(box.top, 0);
  const height = Math.min(box.bottom, innerHeight) - top;
  const of = current?.isConnected ? current.getBoundingClientRect() : undefined;
  if (of && of.bottom > top + height / 6 && of.top < top + (height * 5) / 6) return current;
  const chapters = [...document.querySelectorAll<HTMLElement>(".chapter[data-section]")];
  return chapters.findLast((one) => one.getBoundingClientRect().top <= top + height / 3) ?? chapters[0];
}

function markInOutline(chapter: HTMLElement): void {
  for (const link of document.querySelectorAll<HTMLElement>("[data-outline] > li > .at > a"))
    if (link.getAttribute("href") === `#${chapter.id}`) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
}

/** Tell whether a comment is being written: it belongs to the chapter that was current when it was begun. */
function isWriting(): boolean {
  return document.querySelector("#beside-comments details.saying[open]") !== null;
}

/** Return the address of the editor at a place of a chapter's source. */
export function editAddress(chapter: HTMLElement, at: number | undefined): string {
  const address = new URL(chapter.dataset.sourceAt ?? "", location.href);
  const isSource = document.querySelector<HTMLAnchorElement>("a[data-edit]")?.href.includes("view=source");
  if (isSource) address.searchParams.set("view", "source");
  if (at !== undefined) address.searchParams.set("at", String(at));
  return address.pathname + address.search;
}

/** Return the address of the built PDF at a place of a chapter's source; `link` leads to the PDF. */
export function pdfAddress(link: HTMLAnchorElement, chapter: HTMLElement, at: number | undefined): string {
  const address = new URL(link.href);
  address.searchParams.set("section", chapter.dataset.slug ?? "");
  if (at === undefined) address.searchParams.delete("at");
  else address.searchParams.set("at", String(at));
  return address.pathname + address.search;
}

function topPlace(reading: HTMLElement): number | undefined {
  const box = reading.getBoundingClientRect();
  for (let y = Math.max(box.top, 0) + 80; y < Math.min(box.bottom, innerHeight); y += 24) {
    const middle = document.elementFromPoint(box.left + box.width / 2, y);
    if (leafOf(middle)) return sourceAtPoint(box.left + box.width / 2, y);
  }
  return undefined;
}

/** Load the comments of a chapter. Those of another one disappear at once, so that no comment goes to the wrong one. */
function loadComments(chapter: HTMLElement): void {
  const place = document.getElementById("beside-comments");
  const title = document.querySelector("[data-about-chapter]");
  const history = document.querySelector<HTMLAnchorElement>("a[data-history]");
  if (!place) return;
  place.replaceChildren();
  if (history) history.href = `${chapter.dataset.sourceAt ?? ""}history/`;
  if (title) title.textContent = chapter.dataset.title ?? "";
  void window.htmx.ajax("get", chapter.dataset.commentsAt ?? "", { target: place, swap: "innerHTML" });
}
