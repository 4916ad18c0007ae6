import { change } from "./server";

const LONGEST = "200"; // characters of a title, as the server takes it

/**
 * Put a field with the title in the place of the row's link. Enter keeps the new title, and so does leaving; Escape
 * does not.
 */
export function rename(panel: HTMLElement, row: HTMLElement): void {
  const link = row.querySelector<HTMLAnchorElement>("a");
  if (!link || row.querySelector("input")) return;
  const title = row.dataset["title"] ?? "";
  const field = document.createElement("input");
  Object.assign(field, { value: title, className: "renamed", autocomplete: "off" });
  field.setAttribute("maxlength", LONGEST);
  field.setAttribute("aria-label", `New title of ${title}`);
  link.hidden = true;
  link.after(field);
  field.focus();
  field.select();

  let done = false;
  const close = (back: boolean) => {
    done = true;
    link.hidden = false;
    field.remove();
    if (back) link.focus();
  };
  const keep = (back: boolean) => {
    if (done) return;
    const wanted = field.value.trim();
    if (!wanted || wanted === title) return close(back);
    done = true;
    field.readOnly = true;
    void change(panel, row.dataset["at"] ?? "", "rename", { title: wanted }).then(() => {
      if (field.isConnected)
        close(back); // the server did not take it: the page has said why
      else if (back) document.getElementById(link.id)?.focus();
    });
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") keep(true);
    else if (event.key === "Escape") close(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  field.addEventListener("blur", () => keep(false));
}
