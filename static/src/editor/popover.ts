import { el, icon } from "../cite-dialog/render";

/** A field of the small sheet beside what is edited. */
export interface Field {
  name: string;
  label: string;
  value: string;
  /** Several lines of LaTeX rather than one. */
  long?: boolean;
  hint?: string;
}

export interface Sheet {
  title: string;
  fields: Field[];
  /** Told at every change, so that nothing typed is lost whichever way the sheet is left. */
  changed(values: Record<string, string>): void;
  /** Shown below the fields and drawn anew at each change. */
  preview?(into: HTMLElement, values: Record<string, string>): void;
  remove?(): void;
  /** It was left. `byKey`: the keyboard goes back to the text; else a click has put it somewhere. */
  left(byKey: boolean): void;
}

let open: HTMLElement | null = null;

/** Open a sheet beside `anchor`. Esc, Ctrl+Enter and a click elsewhere leave it; what was typed stays. */
export function openSheet(anchor: Element, place: HTMLElement, sheet: Sheet): void {
  open?.hidePopover();
  const values = Object.fromEntries(sheet.fields.map(({ name, value }) => [name, value]));
  const preview = el("div", { class: "preview", "aria-live": "polite" });
  const draw = (): void => sheet.preview?.(preview, values);
  const rows = sheet.fields.map((field) =>
    row(field, (value) => {
      values[field.name] = value;
      sheet.changed({ ...values });
      draw();
    }),
  );
  const title = el("p", { class: "rubric", id: "sheet-title" }, sheet.title);
  const done = el("button", { class: "btn btn-small", type: "button" }, "Done");
  const remove = el("button", { class: "btn btn-small btn-quiet", type: "button" }, icon("trash"), "Remove");
  const body = el(
    "div",
    { class: "sheet", popover: "auto", role: "dialog", "aria-labelledby": "sheet-title" },
    title,
    ...rows,
    ...(sheet.preview ? [preview] : []),
    el("div", { class: "row apart" }, done, ...(sheet.remove ? [remove] : [])),
  );

  // Left at once, not when the browser tells it later: the next key is meant for the text.
  let isLeft = false;
  const leave = (byKey: boolean): void => {
    if (isLeft) return;
    isLeft = true;
    if (open === body) open = null;
    body.remove();
    sheet.left(byKey);
  };
  done.addEventListener("click", () => leave(true));
  remove.addEventListener("click", () => {
    sheet.remove?.();
    leave(true);
  });
  body.addEventListener("keydown", (event) => {
    const one = event.target instanceof HTMLInputElement;
    if (event.key === "Enter" && (one || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      leave(true);
    }
    if (event.key === "Escape") {
      event.preventDefault();
      leave(true);
    }
    // The shortcuts of the text (save, source) are no business of a sheet, but its own undo is.
    if (event.key !== "Escape" && event.key.toLowerCase() !== "s") event.stopPropagation();
  });
  body.addEventListener("toggle", (event) => {
    if ((event as ToggleEvent).newState === "closed") leave(false);
  });
  place.append(body);
  open = body;
  body.showPopover();
  draw();
  put(body, anchor);
  const first = body.querySelector<HTMLInputElement | HTMLTextAreaElement>("input, textarea");
  first?.focus();
  first?.select();
}

function row(field: Field, changed: (value: string) => void): HTMLElement {
  const id = `sheet-${field.name}`;
  const box = document.createElement(field.long ? "textarea" : "input");
  box.id = id;
  box.value = field.value;
  box.className = "source";
  box.spellcheck = false;
  box.autocomplete = "off";
  box.autocapitalize = "off";
  if (field.hint) box.setAttribute("aria-describedby", `${id}-hint`);
  box.addEventListener("input", () => changed(box.value));
  const hint = field.hint ? [el("p", { class: "hint", id: `${id}-hint` }, field.hint)] : [];
  return el("div", { class: "field" }, el("label", { for: id }, field.label), ...hint, box);
}

function put(body: HTMLElement, anchor: Element): void {
  const at = anchor.getBoundingClientRect();
  const below = at.bottom + 6 + body.offsetHeight < innerHeight;
  body.style.margin = "0";
  body.style.left = `${Math.max(8, Math.min(at.left, innerWidth - body.offsetWidth - 8))}px`;
  body.style.top = `${Math.max(8, below ? at.bottom + 6 : at.top - body.offsetHeight - 6)}px`;
}
