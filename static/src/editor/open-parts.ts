import { el } from "../cite-dialog/render";
import { withLines } from "../latex/faults";
import { structure } from "../latex/structure";

let places = 0; // for ids

/** What a box of LaTeX leaves open, said below it, with a button that closes the box all the same. */
export interface OpenParts {
  dom: HTMLElement;
  done: HTMLElement;
  /** Say what the source in `box` leaves open; hide when that is nothing. Return whether something is open. */
  show(box: HTMLTextAreaElement): boolean;
}

/** Create the message, hidden at first. */
export function openParts(): OpenParts {
  const id = `open-parts-${++places}`;
  const words = el("p", { class: "wrong small", id });
  const done = el("button", { class: "btn btn-small", type: "button" }, "Close it for me");
  const dom = el("div", { class: "open-parts", role: "alert" }, words, done);
  dom.hidden = true;
  return {
    dom,
    done,
    show(box) {
      const { value } = box;
      const faults = withLines(value, structure(value).faults);
      dom.hidden = !faults.length;
      if (faults.length) {
        box.setAttribute("aria-invalid", "true");
        box.setAttribute("aria-describedby", id);
      } else {
        box.removeAttribute("aria-invalid");
        box.removeAttribute("aria-describedby");
      }
      const said = faults.slice(0, 3).map(({ line, message }) => `Line ${line}: ${message}`);
      words.textContent =
        `${said.join(" ")} Until you change that, this block is saved with it closed, so that the rest of the ` +
        "section can be read. Your text is kept.";
      return faults.length > 0;
    },
  };
}
