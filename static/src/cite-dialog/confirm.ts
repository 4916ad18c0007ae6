import { badgeOf, el, wordsOf } from "./render";
import { questionOf, type Answer } from "./warnings";
import type { Row } from "./rows";

/** Ask in `dialog` what has to be asked before `row` is cited; "cite" at once where nothing has. Esc leaves it. */
export async function askAbout(dialog: HTMLDialogElement, row: Row): Promise<Answer> {
  const question = questionOf(row);
  if (!question) return "cite";
  const fill = (part: string, ...shown: (Node | string)[]) =>
    dialog.querySelector(`[data-part="${part}"]`)?.replaceChildren(...shown);
  fill("asked", question.title);
  fill("words", badgeOf(row.badge), ...wordsOf(question));
  fill(
    "choices",
    ...question.choices.map(({ answer, label }, place) => {
      const look =
        answer === "leave"
          ? "btn"
          : row.retracted || row.conflict
            ? "btn btn-danger"
            : place
              ? "btn"
              : "btn btn-primary";
      return el("button", { class: look, value: answer, ...(place ? {} : { autofocus: "" }) }, label);
    }),
  );
  dialog.returnValue = "";
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  return (dialog.returnValue || "leave") as Answer;
}
