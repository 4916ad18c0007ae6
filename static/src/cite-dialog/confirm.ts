import { drawBadge, el, drawQuestion } from "./render";
import { questionOf, type Answer } from "./warnings";
import type { Row } from "./rows";

/** Ask for confirmation in `dialog` before `row` is cited; "cite" at once when it needs none. Esc cancels. */
export async function confirmCitation(dialog: HTMLDialogElement, row: Row): Promise<Answer> {
  const question = questionOf(row);
  if (!question) return "cite";
  const fill = (part: string, ...children: (Node | string)[]) =>
    dialog.querySelector(`[data-part="${part}"]`)?.replaceChildren(...children);
  fill("asked", question.title);
  fill("words", drawBadge(row.badge), ...drawQuestion(question));
  fill(
    "choices",
    ...question.choices.map(({ answer, label }, place) => {
      const className =
        answer === "leave"
          ? "btn"
          : row.retracted || row.conflict
            ? "btn btn-danger"
            : place
              ? "btn"
              : "btn btn-primary";
      return el("button", { class: className, value: answer, ...(place ? {} : { autofocus: "" }) }, label);
    }),
  );
  dialog.returnValue = "";
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  return (dialog.returnValue || "leave") as Answer;
}
