// <outline-panel>: the sections of a thesis, moved by hand, by key or by menu, renamed in place, removed and put back.
import { sections } from "./outline/panel";
import { showHeadings } from "./outline/headings";

customElements.define(
  "outline-panel",
  class extends HTMLElement {
    connectedCallback(): void {
      sections(this);
      showHeadings(this);
    }
  },
);
