import { el, icon } from "../cite-dialog/render";

/** A field of a sheet. */
export interface Field {
  name: string;
  label: string;
  value: string;
  /** Several lines of LaTeX rather than one. */
  long?: boolean;
  hint?: string;
  /** Draws its own control instead of a box for text. */
  control?(value: string, changed: (value: string) => void, id: string): Control;
}

/** A control in a sheet. */
export interface Control {
  dom: HTMLElement;
  focus(): void;
  destroy?(): void;
}

/** What a sheet opens next to: an element, or a place in the text. */
export type Anchor = Pick<Element, "getBoundingClientRect">;

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
let sheets = 0; // for ids

/**
 * Open a sheet next to `anchor`. Esc, Enter (Ctrl+Enter in a box of several lines) and a click elsewhere close it and
 * keep what was typed. A sheet whose `place` is in the open sheet opens in it, such as a formula in a footnote.
 */
export function openSheet(anchor: Anchor, place: HTMLElement, sheet: Sheet): void {
  const outer = openedSheet?.contains(place) ? openedSheet : null;
  if (!outer) openedSheet?.hidePopover();
  const id = `sheet-${++sheets}`;
  const values = Object.fromEntries(sheet.fields.map(({ name, value }) => [name, value]));
  const preview = el("div", { class: "preview", "aria-live": "polite" });
  const draw = (): void => sheet.preview?.(preview, values);
  const fields = sheet.fields.map((field) =>
    drawField(field, `${id}-${field.name}`, (value) => {
      values[field.name] = value;
      sheet.onChange({ ...values });
      draw();
    }),
  );
  const title = el("p", { class: "rubric", id: `${id}-title` }, sheet.title);
  const done = el("button", { class: "btn btn-small", type: "button" }, "Done");
  const remove = el("button", { class: "btn btn-small btn-quiet", type: "button" }, icon("trash"), "Remove");
  const body = el(
    "div",
    { class: "sheet", popover: "auto", role: "dialog", "aria-labelledby": `${id}-title` },
    title,
    ...fields.map(({ row }) => row),
    ...(sheet.preview ? [preview] : []),
    el("div", { class: "row apart" }, done, ...(sheet.remove ? [remove] : [])),
  );

  // Closed at once, not on the later toggle event, because the next key goes to the text.
  let isClosed = false;
  const close = (byKey: boolean): void => {
    if (isClosed) return;
    isClosed = true;
    if (openedSheet === body) openedSheet = outer;
    for (const { control } of fields) control.destroy?.();
    body.remove();
    sheet.onClose(byKey);
  };
  done.addEventListener("click", () => close(true));
  remove.addEventListener("click", () => {
    sheet.remove?.();
    close(true);
  });
  body.addEventListener("sheet-done", (event) => {
    event.stopPropagation();
    close(true);
  });
  body.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const isSingleLine = target instanceof HTMLInputElement || target.closest("[data-enter=done]") !== null;
    const isDone = event.key === "Enter" && ((isSingleLine && !event.shiftKey) || event.ctrlKey || event.metaKey);
    // Of the text's shortcuts only saving works in a sheet; undo applies to its own fields.
    if (outer || (event.key !== "Escape" && event.key.toLowerCase() !== "s")) event.stopPropagation();
    if (event.defaultPrevented || event.isComposing || (!isDone && event.key !== "Escape")) return;
    event.preventDefault();
    close(true);
  });
  body.addEventListener("toggle", (event) => {
    if ((event as ToggleEvent).newState === "closed") close(false);
  });
  place.append(body);
  openedSheet = body;
  body.showPopover();
  draw();
  position(body, anchor);
  fields[0]?.control.focus();
}

function drawField(field: Field, id: string, changed: (value: string) => void): { row: HTMLElement; control: Control } {
  const hint = field.hint ? [el("p", { class: "hint", id: `${id}-hint` }, field.hint)] : [];
  const control = field.control?.(field.value, changed, id) ?? drawBox(field, id, changed);
  const label = el("label", { for: id, id: `${id}-label` }, field.label);
  label.addEventListener("click", () => control.focus());
  return { row: el("div", { class: "field" }, label, ...hint, control.dom), control };
}

function drawBox(field: Field, id: string, changed: (value: string) => void): Control {
  const box = document.createElement(field.long ? "textarea" : "input");
  box.id = id;
  box.value = field.value;
  box.className = "source";
  box.spellcheck = false;
  box.autocomplete = "off";
  box.autocapitalize = "off";
  if (field.hint) box.setAttribute("aria-describedby", `${id}-hint`);
  box.addEventListener("input", () => changed(box.value));
  const focus = (): void => {
    box.focus();
    box.select();
  };
  return { dom: box, focus };
}

function position(body: HTMLElement, anchor: Anchor): void {
  const at = anchor.getBoundingClientRect();
  const below = at.bottom + 6 + body.offsetHeight < innerHeight;
  body.style.margin = "0";
  body.style.left = `${Math.max(8, Math.min(at.left, innerWidth - body.offsetWidth - 8))}px`;
  body.style.top = `${Math.max(8, below ? at.bottom + 6 : at.top - body.offsetHeight - 6)}px`;
}
