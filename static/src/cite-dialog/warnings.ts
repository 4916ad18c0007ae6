import { describeNotices, type Row } from "./rows";

/** The answer to a question: cite the row, cite the published version instead, or cancel. */
export type Answer = "cite" | "published" | "leave";

/** A question before a work is cited. */
export interface Question {
  title: string;
  words: string[];
  differences: { label: string; claimed: string; found: string }[];
  page: string;
  choices: { answer: Answer; label: string }[];
}

const CANCEL = { answer: "leave", label: "Cancel" } as const;

/** Return the question to ask before `row` is cited; null when none is needed. The first choice gets the focus. */
export function questionOf(row: Row): Question | null {
  if (row.retracted) {
    const notices = describeNotices(row.notices);
    return {
      title: "This work was retracted",
      words: [
        `“${row.title}”`,
        ...(notices.length ? notices : ["It is marked as retracted, but no notice is given."]),
        "You can still cite it as a retracted paper if you confirm.",
      ],
      differences: [],
      page: "",
      choices: [CANCEL, { answer: "cite", label: "Cite it as a retracted paper" }],
    };
  }
  if (row.conflict) {
    return {
      title: "Its identifier belongs to another work",
      words: [
        row.conflict.reason,
        "It is left out of the PDF until this is resolved. Your text does not change.",
      ].filter(Boolean),
      differences: row.conflict.differences,
      page: row.conflict.page,
      choices: [CANCEL, { answer: "cite", label: "Insert anyway" }],
    };
  }
  if (row.published) {
    const known = row.published.key ? ` It is in your library as \`${row.published.key}\`.` : "";
    return {
      title: "This is a preprint of a published work",
      words: [`“${row.title}” was published as ${row.published.doi}.${known}`],
      differences: [],
      page: "",
      choices: [
        { answer: "published", label: "Cite the published version" },
        { answer: "cite", label: "Cite the preprint" },
        CANCEL,
      ],
    };
  }
  return null;
}
