interface Kept {
  path: string;
  url: string | null;
}

const known = new Map<string, string>(); // path without ending, in small letters -> address
const drawn = new Set<() => void>();
let address = "";
let asked: Promise<void> | null = null;

/** Say where the pictures of the thesis are listed and kept. */
export function picturesFrom(listed: string): void {
  address = listed;
}

/**
 * The address of the picture at `path`, or null where the thesis has none (as far as is known yet: `picturesChanged`
 * tells).
 */
export function pictureAt(path: string): string | null {
  if (!path) return null;
  void ask();
  return known.get(named(path)) ?? known.get(stem(path)) ?? null;
}

/** Have `draw` called when more is known of the pictures, until the returned function is called. */
export function picturesChanged(draw: () => void): () => void {
  drawn.add(draw);
  return () => void drawn.delete(draw);
}

/**
 * Keep `file` with the thesis: its path for `\includegraphics`. Raises an Error with a sentence for the person when it
 * cannot be kept.
 */
export async function keepPicture(editor: HTMLElement, file: File): Promise<string> {
  const body = new FormData();
  body.append("file", file, file.name || "picture.png");
  const token = editor.querySelector<HTMLInputElement>("[name=csrfmiddlewaretoken]")?.value ?? "";
  let response: Response;
  try {
    response = await fetch(address, { method: "POST", body, headers: { "X-CSRFToken": token } });
  } catch {
    throw new Error("the server does not answer");
  }
  const answer = (await response.json().catch(() => null)) as (Kept & { error?: { message?: string } }) | null;
  if (!response.ok || !answer?.path)
    throw new Error(answer?.error?.message ?? `the server answered ${response.status}`);
  if (answer.url) know(answer);
  for (const draw of drawn) draw();
  return answer.path;
}

/** The list is asked for once, and only by a text that has figures: so no picture is asked for that is not there. */
function ask(): Promise<void> {
  asked ??= list();
  return asked;
}

async function list(): Promise<void> {
  if (!address) return;
  try {
    const response = await fetch(address, { headers: { Accept: "application/json" } });
    if (!response.ok) return;
    for (const file of (await response.json()) as Kept[]) if (file.url) know(file);
    for (const draw of drawn) draw();
  } catch {
    asked = null; // offline: asked again when the next figure is drawn
  }
}

function know({ path, url }: Kept): void {
  if (!url) return;
  known.set(named(path), url);
  if (!known.has(stem(path))) known.set(stem(path), url);
}

function named(path: string): string {
  return path.replace(/^\.\//, "").toLowerCase();
}

function stem(path: string): string {
  return named(path).replace(/\.(png|jpe?g|pdf|svg|gif|webp|eps)$/, "");
}
