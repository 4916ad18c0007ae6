// What was dropped or pasted on the page of references, and what becomes of it.

const LONGEST = 500; // characters that an address takes; see citations/pages/find_pasted.py

/** A text that is looked for, or one that is put into the form which adds works. */
export type Destination = { kind: "find" | "add"; text: string } | undefined;

/** Return where a dropped or pasted text goes: one identifier or title is looked for, lists and entries are added. */
export function destinationOf(text: string): Destination {
  const trimmed = text.replaceAll("\0", "").trim();
  if (!trimmed) return undefined;
  const isOne = !trimmed.includes("\n") && trimmed.length <= LONGEST && !/^[@[{]/.test(trimmed);
  return { kind: isOne ? "find" : "add", text: trimmed };
}

/** Return the text of a drop: the address of a dragged link, without comments and further ones, else the plain text. */
export function textOf(addresses: string, plain: string): string {
  const address = addresses.split(/\r?\n/).find((line) => line && !line.startsWith("#"));
  return address ?? plain;
}

/** Split dropped files into PDFs, which are matched with references, and others. */
export function splitFiles<F extends { name: string; type: string }>(files: F[]): { pdfs: F[]; others: F[] } {
  const isPdf = (file: F): boolean => file.type === "application/pdf" || /\.pdf$/i.test(file.name);
  return { pdfs: files.filter(isPdf), others: files.filter((file) => !isPdf(file)) };
}
