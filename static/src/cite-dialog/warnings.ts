import { noticesInWords, type Row } from "./rows";

/** What a choice does: cite the row, the published version in its place, or nothing. */
export type Answer = "cite" | "published" | "leave";

export interface Question {
  title: string;
  words: string[];
  differences: { label: string; claimed: string; found: string }[];
  page: string;
  choices: { answer: Answer; label: string }[];
}

const LEAVE = { answer: "leave", label: "Leave it" } as const;

/**
 * What has to be asked before `row` is cited; null when nothing has. The first choice is the one that has the focus.
 */
export function questionOf(row: Row): Question | null {
  if (row.retracted) {
    const told = noticesInWords(row.notices);
    return {
      title: "This work was retracted",
      words: [
        `“${row.title}”`,
        ...(told.length ? told : ["It is marked as retracted; no notice is named."]),
        "You can cite it as a retracted paper; confirm that you mean to.",
      ],
      differences: [],
      page: "",
      choices: [LEAVE, { answer: "cite", label: "Cite it as a retracted paper" }],
    };
  }
  if (row.conflict) {
    return {
      title: "Its identifier belongs to another work",
      words: [
        row.conflict.reason,
        "It is left out of the PDF until this is mended. Your text is safe either way.",
      ].filter(Boolean),
      differences: row.conflict.differences,
      page: row.conflict.page,
      choices: [LEAVE, { answer: "cite", label: "Insert it all the same" }],
    };
  }
  if (row.published) {
    const known = row.published.key ? ` You have that one as \`${row.published.key}\`.` : "";
    return {
      title: "This is a preprint of a published work",
      words: [`“${row.title}” was published as ${row.published.doi}.${known}`],
      differences: [],
      page: "",
      choices: [
        { answer: "published", label: "Cite the published version" },
        { answer: "cite", label: "Cite the preprint" },
        LEAVE,
      ],
    };
  }
  return null;
}
