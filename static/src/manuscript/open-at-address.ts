import { leafOf, rangeBetween } from "./leaves";

/** Events by which a person takes over the scrolling. */
const OWN_SCROLLING = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/**
 * Scroll to the words at ?section=SLUG&at=OFFSET, and to the targets of links. While chapters above are still loading,
 * the place is kept in view, until the person scrolls.
 */
export function openAtAddress(): void {
  const asked = new URLSearchParams(location.search);
  const section = `s-${asked.get("section") ?? ""}`;
  const at = asked.get("at") ?? "";
  const id = location.hash.slice(1);
  if (/^\d{1,9}$/.test(at)) keepInView(() => leafShowing(section, Number(at)), "center");
  else if (id || asked.has("section")) keepInView(() => document.getElementById(id || section), "start");

  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>(
      "#manuscript a[href^='#'], #contents a[href^='#']",
    );
    if (!link) return;
    link.closest<HTMLElement>("[popover]:popover-open")?.hidePopover();
    keepInView(() => document.getElementById(link.hash.slice(1)), "start");
  });
}

let stop: () => void = () => undefined;

function keepInView(find: () => Element | null, block: ScrollLogicalPosition): void {
  stop();
  const go = (): void => {
    find()?.scrollIntoView({ block });
    if (!document.querySelector(".chapter.waiting")) stop();
  };
  stop = () => {
    document.removeEventListener("htmx:afterSettle", go);
    for (const name of OWN_SCROLLING) document.removeEventListener(name, stop);
  };
  document.addEventListener("htmx:afterSettle", go);
  // After this event, which may be the click that began it
  setTimeout(() => {
    for (const name of OWN_SCROLLING) document.addEventListener(name, stop, { passive: true });
  });
  requestAnimationFrame(go);
}

function leafShowing(section: string, at: number): Element | null {
  const chapter = document.getElementById(section);
  return chapter && leafOf(rangeBetween(chapter, at, at + 1)?.startContainer ?? null);
}
