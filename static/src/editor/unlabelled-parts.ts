import { printedLabels, type PrintedLabel } from "./printed-labels";

/**
 * A numbered part that has no label yet (sections/label_api.py): the title of a section, this one as well, or a
 * heading, table or figure of another.
 */
export interface UnlabelledPart extends PrintedLabel {
  section_id: string;
  section: string;
  start: number;
  title: string;
}

/** Tell whether a part is the title of the section that is open. */
export function isOwnTitle(part: UnlabelledPart): boolean {
  return part.section_id === editor()?.getAttribute("section");
}

/** Return the titles of sections and the parts of others without a label; none when the server cannot be reached. */
export async function unlabelledParts(): Promise<UnlabelledPart[]> {
  const section = editor()?.getAttribute("section");
  const answer = section && (await fetch(`/api/sections/${section}/unlabelled`).catch(() => null));
  return answer && answer.ok ? ((await answer.json()) as UnlabelledPart[]) : [];
}

/** Give a part the label `key`, in its own section, and return the label that it has now. */
export async function giveLabel(part: UnlabelledPart, key: string): Promise<string> {
  const { section_id, section, kind, title, start } = part;
  const token = editor()?.querySelector<HTMLInputElement>("[name=csrfmiddlewaretoken]")?.value ?? "";
  const answer = await fetch(`/api/sections/${section_id}/labels`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRFToken": token },
    body: JSON.stringify({ kind, title, start, key }),
  }).catch(() => null);
  const sent = (await answer?.json().catch(() => null)) as { key?: string; error?: { message: string } } | null;
  if (!answer?.ok || !sent?.key)
    throw new Error(sent?.error?.message ?? `“${section}” cannot be changed right now, so it has no label yet.`);
  printedLabels.add(sent.key, part);
  return sent.key;
}

function editor(): HTMLElement | null {
  return document.querySelector("section-editor[section]");
}
