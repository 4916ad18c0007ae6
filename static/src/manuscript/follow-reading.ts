import { leafOf } from "./leaves";
import { sourceAtPoint } from "./chapter-text";

const PAUSE = 250; // ms without scrolling before the panel changes

/**
 * Mark the chapter that is read in the outline, show its comments, and let "Write" lead to the words at the top.
 * `onChapter` is called with each chapter as it becomes the current one.
 */
export function followReading(onChapter: (chapter: HTMLElement) => void): void {
  const reading = document.querySelector<HTMLElement>("[data-reading]");
  const edit = document.querySelector<HTMLAnchorElement>("a[data-edit]");
  if (!reading) return;
  let current: HTMLElement | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const look = (): void => {
    const top = Math.max(reading.getBoundingClientRect().top, 0) + 120;
    const chapters = [...document.querySelectorAll<HTMLElement>(".chapter[data-section]")];
    const found = chapters.findLast((one) => one.getBoundingClientRect().top <= top) ?? chapters[0];
    if (!found) return;
    if (found !== current) {
      current = found;
      for (const link of document.querySelectorAll<HTMLElement>("[data-outline] > li > .at > a"))
        if (link.getAttribute("href") === `#${found.id}`) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      onChapter(found);
      loadComments(found);
    }
    if (edit) edit.href = editAddress(found, topPlace(reading));
  };
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE);
  };
  document.addEventListener("scroll", later, { capture: true, passive: true });
  document.addEventListener("htmx:afterSettle", later);
  look();
}

/** Return the address of the editor at a place of a chapter's source. */
export function editAddress(chapter: HTMLElement, at: number | undefined): string {
  const address = new URL(chapter.dataset.sourceAt ?? "", location.href);
  const isSource = document.querySelector<HTMLAnchorElement>("a[data-edit]")?.href.includes("view=source");
  if (isSource) address.searchParams.set("view", "source");
  if (at !== undefined) address.searchParams.set("at", String(at));
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

/** Load the comments of a chapter, unless somebody is writing one. */
function loadComments(chapter: HTMLElement): void {
  const place = document.getElementById("beside-comments");
  const title = document.querySelector("[data-about-chapter]");
  if (!place || place.querySelector("details.saying[open]")) return;
  if (place.querySelector<HTMLElement>("#comments")?.dataset.section === chapter.dataset.section) return;
  if (title) title.textContent = chapter.dataset.title ?? "";
  void window.htmx.ajax("get", chapter.dataset.commentsAt ?? "", { target: place, swap: "innerHTML" });
}
