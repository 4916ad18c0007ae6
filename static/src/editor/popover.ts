import { el, icon } from "../cite-dialog/render";

/** A field of a sheet. */
export interface Field {
  name: string;
  label: string;
  value: string;
  /** Several lines of LaTeX rather than one. */
  long?: boolean;
  hint?: string;
}

/** A small form next to the edited element. */
export interface Sheet {
  title: string;
  fields: Field[];
  /** Called at every change, so that nothing typed is lost however the sheet is closed. */
  onChange(values: Record<string, string>): void;
  /** Draws the preview below the fields at each change. */
  preview?(into: HTMLElement, values: Record<string, string>): void;
  remove?(): void;
  /** Called on close. `byKey`: the focus goes back to the text; after a click it is elsewhere already. */
  onClose(byKey: boolean): void;
}

let openedSheet: HTMLElement | null = null;

/** Open a sheet next to `anchor`. Esc, Ctrl+Enter and a click elsewhere close it and keep what was typed. */
export function openSheet(anchor: Element, place: HTMLElement, sheet: Sheet): void {
  openedSheet?.hidePopover();
  const values = Object.fromEntries(sheet.fields.map(({ name, value }) => [name, value]));
  const preview = el("div", { class: "preview", "aria-live": "polite" });
  const draw = (): void => sheet.preview?.(preview, values);
  const rows = sheet.fields.map((field) =>
    drawField(field, (value) => {
      values[field.name] = value;
      sheet.onChange({ ...values });
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

  // Closed at once, not on the later toggle event, because the next key goes to the text.
  let isClosed = false;
  const close = (byKey: boolean): void => {
    if (isClosed) return;
    isClosed = true;
    if (openedSheet === body) openedSheet = null;
    body.remove();
    sheet.onClose(byKey);
  };
  done.addEventListener("click", () => close(true));
  remove.addEventListener("click", () => {
    sheet.remove?.();
    close(true);
  });
  body.addEventListener("keydown", (event) => {
    const isSingleLine = event.target instanceof HTMLInputElement;
    if (event.key === "Enter" && (isSingleLine || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      close(true);
    }
    if (event.key === "Escape") {
      event.preventDefault();
      close(true);
    }
    // Of the text's shortcuts only saving works in a sheet; undo applies to its own fields.
    if (event.key !== "Escape" && event.key.toLowerCase() !== "s") event.stopPropagation();
  });
  body.addEventListener("toggle", (event) => {
    if ((event as ToggleEvent).newState === "closed") close(false);
  });
  place.append(body);
  openedSheet = body;
  body.showPopover();
  draw();
  position(body, anchor);
  const first = body.querySelector<HTMLInputElement | HTMLTextAreaElement>("input, textarea");
  first?.focus();
  first?.select();
}

function drawField(field: Field, changed: (value: string) => void): HTMLElement {
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

function position(body: HTMLElement, anchor: Element): void {
  const at = anchor.getBoundingClientRect();
  const below = at.bottom + 6 + body.offsetHeight < innerHeight;
  body.style.margin = "0";
  body.style.left = `${Math.max(8, Math.min(at.left, innerWidth - body.offsetWidth - 8))}px`;
  body.style.top = `${Math.max(8, below ? at.bottom + 6 : at.top - body.offsetHeight - 6)}px`;
}
