// The paragraph of the cursor in the editor that was open last in this tab: kept by the editor, used by the pages that
// insert something into a section.
import { anchorOf, type Span } from "../side-panel/comment-places";

const LONGEST = 300; // characters of the paragraph that go into the address

function keyOf(project: string): string {
  return `scholium:cursor:${project}`;
}

/** Keep where the cursor is. */
export function keepCursorPlace(project: string, section: string, latex: string, { start, end }: Span): void {
  try {
    const anchor = anchorOf(latex, { start, end: Math.min(end, start + LONGEST) });
    sessionStorage.setItem(keyOf(project), JSON.stringify({ section, ...anchor }));
  } catch {
    // Without storage the place is not offered.
  }
}

/** On a page that inserts something: offer the place of the cursor, once htmx listens to the form. */
export function offerCursorPlace(): void {
  document.addEventListener("DOMContentLoaded", chooseCursorPlace, { once: true });
}

/** Choose the place of the cursor, in the section that it is in; htmx then loads the places of that section. */
function chooseCursorPlace(): void {
  const field = document.querySelector<HTMLInputElement>("input[data-cursor-of]");
  if (!field || field.value || new URLSearchParams(location.search).has("section")) return;
  let kept: string | null = null;
  let section = "";
  try {
    kept = sessionStorage.getItem(keyOf(field.dataset.cursorOf ?? ""));
    section = kept ? (JSON.parse(kept) as { section: string }).section : "";
  } catch {
    return;
  }
  const sections = field.form?.querySelector<HTMLSelectElement>("select[name=section]");
  if (!kept || !sections || ![...sections.options].some(({ value }) => value === section)) return;
  field.value = kept;
  sections.value = section;
  // The place chosen for another section is no place in this one; the server offers the cursor first.
  field.form?.querySelector("select[name=place]")?.removeAttribute("name");
  sections.dispatchEvent(new Event("change", { bubbles: true }));
}
