// <outline-panel>: the sections of a thesis. They can be moved, renamed in place, deleted and restored.
import { setUpSections } from "./outline/panel";
import { showHeadings } from "./outline/headings";

customElements.define(
  "outline-panel",
  class extends HTMLElement {
    connectedCallback(): void {
      setUpSections(this);
      showHeadings(this);
    }
  },
);
