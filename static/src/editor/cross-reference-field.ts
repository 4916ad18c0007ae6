import { stepRow } from "../cite-dialog/keys";
import { el } from "../cite-dialog/render";
import type { Control } from "./popover";
import { allTargets, targetsElsewhere, type Target } from "./cross-reference-targets";

const MOST = 200; // rows that are drawn; typing narrows them

/** Return the targets that have all the words typed, in the order given. */
export function matching(targets: readonly Target[], typed: string): Target[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return targets.filter(({ key, printed, title }) => {
    const shown = `${printed} ${title} ${key}`.replace(/\u00a0/g, " ").toLowerCase();
    return words.every((word) => shown.includes(word));
  });
}

/** Create a field that chooses what to refer to: a search field with a list of headings, tables, figures and so on. */
export function referenceField(key: string, changed: (key: string) => void, id: string): Control {
  let all = allTargets();
  const list = el("div", {
    role: "listbox",
    id: `${id}-list`,
    class: "reference-list",
    "aria-labelledby": `${id}-label`,
  });
  const message = el("p", { class: "hint small soft", role: "status" });
  const box = document.createElement("input");
  for (const [name, value] of Object.entries({
    id,
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": list.id,
    "aria-autocomplete": "list",
    placeholder: "Search by number, caption or label",
    autocomplete: "off",
    spellcheck: "false",
  }))
    box.setAttribute(name, value);
  let rows: Target[] = [];
  let current = -1;
  let chosen = key;

  const mark = (): void => {
    for (const [place, row] of [...list.children].entries()) {
      row.setAttribute("aria-selected", String(place === current));
      if (place === current) row.scrollIntoView({ block: "nearest" });
    }
    if (current >= 0) box.setAttribute("aria-activedescendant", `${id}-${current}`);
    else box.removeAttribute("aria-activedescendant");
  };
  const draw = (): void => {
    const found = matching(all, box.value);
    const typed = box.value.replace(/[{}\\%#\s]/g, "");
    // A label that is not there yet can be referred to as well: it may be in a text that is written later.
    const own = typed && !found.length ? [{ key: typed, printed: "Label", title: typed }] : [];
    rows = [...found.slice(0, MOST), ...own];
    current = box.value ? (rows.length ? 0 : -1) : rows.findIndex((row) => row.key === chosen);
    list.replaceChildren(...rows.map((row, place) => drawRow(row, `${id}-${place}`)));
    message.textContent = own.length
      ? "Nothing in the thesis has this label yet."
      : all.length
        ? found.length > MOST
          ? `${found.length} found. The first ${MOST} are listed.`
          : ""
        : "There is nothing to refer to yet: no heading, no table or figure with a caption.";
    mark();
  };
  const done = (): void => void list.dispatchEvent(new CustomEvent("sheet-done", { bubbles: true }));
  let isWaiting = false;
  const choose = (place: number): void => {
    const row = rows[place];
    if (isWaiting) return;
    if (!row || row.key === chosen) return done();
    const labelled = row.label?.();
    const refer = (to: string): void => {
      chosen = to;
      changed(to);
      done();
    };
    if (!labelled) return refer(row.key);
    isWaiting = true;
    message.textContent = "Adding a label to it …";
    labelled.then(
      (to) => list.isConnected && refer(to),
      (refused: Error) => {
        isWaiting = false;
        message.textContent = refused.message;
      },
    );
  };
  box.addEventListener("input", draw);
  box.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter") {
      event.preventDefault(); // the sheet closes when it is chosen
      return choose(current);
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    current = stepRow(current, event.key === "ArrowDown" ? 1 : -1, rows.length);
    mark();
  });
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the focus stays in the field
  list.addEventListener("click", (event) => {
    const row = (event.target as Element).closest("[role=option]");
    if (!row) return;
    choose([...list.children].indexOf(row));
  });
  draw();
  void targetsElsewhere().then((others) => {
    if (!others.length || !list.isConnected) return;
    const row = rows[current];
    all = [...all, ...others];
    draw();
    if (row) current = Math.max(rows.indexOf(row), current);
    mark();
  });
  return { dom: el("div", { class: "reference-field" }, box, list, message), focus: () => box.focus() };
}

function drawRow({ printed, title }: Target, id: string): HTMLElement {
  return el(
    "div",
    { role: "option", id, "aria-selected": "false" },
    el("span", { class: "printed-as" }, printed),
    " ",
    el("span", { class: "serif" }, title),
  );
}
