import { rangeBetween, leafOf } from "./leaves";

const MOST_TRIES = 100; // chapters that may load before the target of a link is on the page

/** Scroll to the words at ?section=SLUG&at=OFFSET, and to targets of links in chapters that are still loading. */
export function openAtAddress(): void {
  const asked = new URLSearchParams(location.search);
  const chapter = document.getElementById(`s-${asked.get("section") ?? ""}`);
  const at = asked.get("at") ?? "";
  if (chapter && /^\d{1,9}$/.test(at)) showPlace(chapter, Number(at));
  else if (chapter && !location.hash) chapter.scrollIntoView();

  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>(
      "#manuscript a[href^='#'], #contents a[href^='#']",
    );
    if (!link) return;
    const id = link.hash.slice(1);
    const drawer = link.closest<HTMLElement>("[popover]:popover-open");
    drawer?.hidePopover();
    if (!id || document.getElementById(id)) return;
    event.preventDefault();
    let tries = MOST_TRIES;
    const again = (): void => {
      const target = document.getElementById(id);
      if (target || --tries === 0) document.removeEventListener("htmx:afterSettle", again);
      target?.scrollIntoView();
    };
    document.addEventListener("htmx:afterSettle", again);
  });
}

function showPlace(chapter: HTMLElement, at: number): void {
  const range = rangeBetween(chapter, at, at + 1);
  leafOf(range?.startContainer ?? null)?.scrollIntoView({ block: "center" });
}
