import { leafOf, rangeBetween } from "./text-blocks";

/** Events by which a person takes over the scrolling. */
const OWN_SCROLLING = ["wheel", "touchmove", "pointerdown", "keydown"] as const;
const STILL_FRAMES = 5; // frames in which a place must not move to be taken as reached
const MOST_FRAMES = 60;

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

/**
 * Scroll to what `find` returns, until it stays where it is: a chapter gets its height when it comes into view, and
 * browsers do not always keep the place then.
 */
export function keepInView(find: () => Element | null, block: ScrollLogicalPosition): void {
  stop();
  let frame = 0;
  const go = (): void => {
    cancelAnimationFrame(frame);
    let [still, top, left] = [0, NaN, MOST_FRAMES];
    const scroll = (): void => {
      const place = find();
      still = place?.getBoundingClientRect().top === top ? still + 1 : 0;
      place?.scrollIntoView({ block });
      top = place?.getBoundingClientRect().top ?? NaN;
      if (place && still < STILL_FRAMES && left-- > 0) frame = requestAnimationFrame(scroll);
      else if (!document.querySelector(".chapter.waiting")) stop();
    };
    scroll();
  };
  stop = () => {
    cancelAnimationFrame(frame);
    document.removeEventListener("htmx:afterSettle", go);
    for (const name of OWN_SCROLLING) document.removeEventListener(name, stop);
  };
  document.addEventListener("htmx:afterSettle", go);
  // After this event, which may be the click that began it
  setTimeout(() => {
    for (const name of OWN_SCROLLING) document.addEventListener(name, stop, { passive: true });
  });
  frame = requestAnimationFrame(go);
}

function leafShowing(section: string, at: number): Element | null {
  const chapter = document.getElementById(section);
  return chapter && leafOf(rangeBetween(chapter, at, at + 1)?.startContainer ?? null);
}
