import type { SaveAction, SaveMessage } from "./messages";

const ICONS: Partial<Record<SaveMessage["state"], string>> = {
  saved: "check",
  offline: "alert",
  conflict: "alert",
  saving: "clock",
  typing: "clock",
};
const LABELS: Record<SaveAction, string> = {
  "sign-in": "Sign in again",
  download: "Download my text",
  compare: "Compare",
  again: "Try now",
};

/**
 * The save state `#save` of the page, and a notice below the text when there is more to say or do. Screen readers
 * announce problems and their end, not every "Saving" and "Saved".
 */
export class StateLine {
  private readonly pill = document.createElement("span");
  private readonly foot = document.createElement("div");
  private shown = "";
  private loud = false;

  constructor(
    private readonly line: HTMLElement,
    login: string,
    act: (act: SaveAction) => void,
  ) {
    line.setAttribute("aria-live", "off");
    line.querySelectorAll(".save").forEach((old) => old.remove());
    this.pill.className = "save";
    line.append(this.pill);
    this.foot.className = "notice safe";
    this.foot.hidden = true;
    (line.closest("form") ?? document.body).append(this.foot);
    this.foot.addEventListener("click", (event) => {
      const found =
        event.target instanceof Element ? event.target.closest<HTMLElement>("[data-act]")?.dataset.act : undefined;
      if (found) act(found as SaveAction);
    });
    this.login = `${login}?next=/`;
  }

  private readonly login: string;

  /** Update the hidden field of the form, which counts when the form is submitted directly. */
  version(version: number): void {
    const field = this.line.querySelector<HTMLInputElement>("input[name=version]");
    if (field) field.value = String(version);
  }

  /** Show a save state; the same state again changes nothing. */
  show(message: SaveMessage): void {
    const { state, words, notice: more } = message;
    const key = JSON.stringify(message);
    if (key === this.shown) return;
    this.shown = key;
    const loud = state === "offline" || state === "conflict";
    this.line.setAttribute("aria-live", loud || (this.loud && state === "saved") ? "polite" : "off");
    if (loud || state === "saved") this.loud = loud;
    this.pill.dataset.state = state;
    const icon = ICONS[state];
    this.pill.replaceChildren(...(icon ? [iconOf(icon)] : []), words);
    this.foot.hidden = !more;
    this.foot.dataset.tier = state === "conflict" ? "d" : "c";
    if (more) this.foot.replaceChildren(iconOf("alert"), this.drawNotice(more.sentence, more.actions));
  }

  private drawNotice(sentence: string, acts: readonly SaveAction[]): HTMLElement {
    const box = document.createElement("div");
    const words = document.createElement("p");
    words.textContent = sentence;
    const row = document.createElement("div");
    row.className = "row";
    row.append(...acts.map((act) => this.button(act)));
    box.append(words, ...(acts.length ? [row] : []));
    return box;
  }

  private button(act: SaveAction): HTMLElement {
    if (act === "sign-in") {
      const link = document.createElement("a");
      Object.assign(link, { className: "btn btn-small", href: this.login, target: "_blank", textContent: LABELS[act] });
      return link;
    }
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "btn btn-small", textContent: LABELS[act] });
    button.dataset.act = act;
    return button;
  }
}

function iconOf(name: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "i");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}
