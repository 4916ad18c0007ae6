import { el, icon } from "../cite-dialog/render";
import { withLines, type Fault } from "../latex/faults";
import { structure } from "../latex/structure";

const PAUSE = 300; // ms without a change before the text is checked again
const UNDER_WAY = 4_000; // ms before a first banner, because text being typed is often not closed yet
const SHOWN = 5;

/** List the unmatched braces and environments of `latex`, which keep the visual view closed. */
export function faultsOf(latex: string): Fault[] {
  return withLines(latex, structure(latex).faults);
}

/** Return the first sentence of the banner. */
export function headline(count: number): string {
  return count === 1
    ? "The visual view cannot open because of an unmatched brace or environment. Your text is safe."
    : `The visual view cannot open because of ${count} unmatched braces or environments. Your text is safe.`;
}

/** The text that the banner checks. */
export interface BannerText {
  latex: string;
  /** Scroll to an offset of the text. */
  show(offset: number): void;
}

/**
 * Show a banner above the source while braces or environments are unmatched, with links to the lines. The text is
 * checked again while typing; once everything matches, the banner offers the visual view if it was asked for.
 */
export function faultBanner(
  place: HTMLElement,
  text: BannerText,
): { changed(): void; onVisualViewAsked(): void; destroy(): void } {
  const banner = el("div", { class: "notice unclosed", role: "status", "data-tier": "c" });
  banner.hidden = true;
  place.prepend(banner);
  let pause: ReturnType<typeof setTimeout> | undefined;
  let shown = "";
  let wasRefused = false; // the visual view was asked for and could not open
  let cost = 0;

  const check = (): void => {
    const begun = performance.now();
    const faults = faultsOf(text.latex);
    cost = performance.now() - begun;
    const now = faults.length
      ? JSON.stringify([faults.length, faults.slice(0, SHOWN)])
      : shown && wasRefused
        ? "closed"
        : "";
    if (now === shown) return;
    shown = now;
    banner.hidden = !now;
    banner.dataset.tier = faults.length ? "c" : "ok";
    banner.replaceChildren(...(faults.length ? drawFaults(faults, text) : now ? drawAllClosed() : []));
  };
  const onVisualViewAsked = (): void => {
    clearTimeout(pause);
    check();
    wasRefused ||= shown !== "";
  };
  onVisualViewAsked();
  return {
    onVisualViewAsked,
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

function drawFaults(faults: readonly Fault[], text: BannerText): Node[] {
  const lines = faults.slice(0, SHOWN).map(({ line, message, offset }) => {
    const go = el("button", { class: "btn btn-link", type: "button" }, `Go to line ${line}`);
    go.addEventListener("click", () => text.show(offset));
    return el("li", {}, `${message} `, go);
  });
  const more = faults.length - SHOWN;
  if (more > 0) lines.push(el("li", { class: "soft" }, `And ${more} more.`));
  return [icon("alert"), el("div", {}, el("p", {}, headline(faults.length)), el("ul", {}, ...lines))];
}

function drawAllClosed(): Node[] {
  // The editor handles `data-view` here as on the toolbar's buttons.
  const open = el("button", { class: "btn btn-small", type: "button", "data-view": "visual" }, "Open the visual view");
  return [icon("check"), el("div", {}, el("p", {}, "All braces and environments match again.")), open];
}
