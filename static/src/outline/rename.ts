import { postChange } from "./server";

const MAX_LENGTH = "200"; // characters of a title that the server accepts

/** Edit a section's title in place. Enter and leaving the field save it; Escape cancels. */
export function rename(panel: HTMLElement, row: HTMLElement): void {
  const link = row.querySelector<HTMLAnchorElement>("a");
  if (!link || row.querySelector("input")) return;
  const title = row.dataset["title"] ?? "";
  const field = document.createElement("input");
  Object.assign(field, { value: title, className: "renamed", autocomplete: "off" });
  field.setAttribute("maxlength", MAX_LENGTH);
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
  const save = (back: boolean) => {
    if (done) return;
    const wanted = field.value.trim();
    if (!wanted || wanted === title) return close(back);
    done = true;
    field.readOnly = true;
    void postChange(panel, row.dataset["at"] ?? "", "rename", { title: wanted }).then(() => {
      if (field.isConnected)
        close(back); // the server rejected it, and the page shows why
      else if (back) document.getElementById(link.id)?.focus();
    });
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") save(true);
    else if (event.key === "Escape") close(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  field.addEventListener("blur", () => save(false));
}
