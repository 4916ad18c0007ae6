import { el, icon } from "../cite-dialog/render";
import { withLines, type Fault } from "../latex/faults";
import { structure } from "../latex/structure";

const PAUSE = 300; // ms without a change until the text is looked through again
const UNDER_WAY = 4_000; // ms: what somebody is just typing is not closed yet, and no reason for a banner
const SHOWN = 5;

/** What is opened and not closed in `latex`, or the reverse: what keeps the visual view closed. */
export function faultsOf(latex: string): Fault[] {
  return withLines(latex, structure(latex).faults);
}

/** "3 things are not closed ..." as the banner begins. */
export function headline(count: number): string {
  return count === 1
    ? "Something is not closed, so the visual view waits. Your text is safe as it is."
    : `${count} things are not closed, so the visual view waits. Your text is safe as it is.`;
}

export interface Watched {
  latex: string;
  /** Go to an offset of the text. */
  show(offset: number): void;
}

/**
 * A banner over the source while something in the text is not closed: what and in which line, with a way there. It is
 * looked at again as one types; once all is closed it offers the visual view to whoever was kept from it.
 */
export function faultBanner(place: HTMLElement, text: Watched): { changed(): void; asked(): void; destroy(): void } {
  const banner = el("div", { class: "notice unclosed", role: "status", "data-tier": "c" });
  banner.hidden = true;
  place.prepend(banner);
  let pause: ReturnType<typeof setTimeout> | undefined;
  let shown = "";
  let kept = false; // from the visual view, by what is not closed
  let cost = 0;

  const check = (): void => {
    const begun = performance.now();
    const faults = faultsOf(text.latex);
    cost = performance.now() - begun;
    const now = faults.length ? JSON.stringify([faults.length, faults.slice(0, SHOWN)]) : shown && kept ? "closed" : "";
    if (now === shown) return;
    shown = now;
    banner.hidden = !now;
    banner.dataset.tier = faults.length ? "c" : "ok";
    banner.replaceChildren(...(faults.length ? wrong(faults, text) : now ? closed() : []));
  };
  const asked = (): void => {
    clearTimeout(pause);
    check();
    kept ||= shown !== "";
  };
  asked();
  return {
    asked,
    changed() {
      clearTimeout(pause);
      pause = setTimeout(check, Math.max(shown && shown !== "closed" ? PAUSE : UNDER_WAY, cost * 10));
    },
    destroy() {
      clearTimeout(pause);
      banner.remove();
    },
  };
}

function wrong(faults: readonly Fault[], text: Watched): Node[] {
  const lines = faults.slice(0, SHOWN).map(({ line, message, offset }) => {
    const go = el("button", { class: "btn btn-link", type: "button" }, `Go to line ${line}`);
    go.addEventListener("click", () => text.show(offset));
    return el("li", {}, `${message} `, go);
  });
  const more = faults.length - SHOWN;
  if (more > 0) lines.push(el("li", { class: "soft" }, `And ${more} more.`));
  return [icon("alert"), el("div", {}, el("p", {}, headline(faults.length)), el("ul", {}, ...lines))];
}

function closed(): Node[] {
  // `data-view` is what the bar's own buttons have: the editor listens for both.
  const open = el("button", { class: "btn btn-small", type: "button", "data-view": "visual" }, "Open the visual view");
  return [icon("check"), el("div", {}, el("p", {}, "Everything is closed again.")), open];
}
