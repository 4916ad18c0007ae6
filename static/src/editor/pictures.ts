interface PictureFile {
  path: string;
  url: string | null;
}

const addresses = new Map<string, string>(); // path without ending, in small letters -> address
const files = new Set<string>(); // names of all files without folder and ending, once they are listed
const listeners = new Set<() => void>();
let address = "";
let loading: Promise<void> | null = null;

/** Set the address where the pictures of the thesis are listed and uploaded. */
export function setPicturesAddress(listed: string): void {
  address = listed;
}

/** Return the address of a picture; null when there is none or the list has not loaded yet (see `onPicturesChange`). */
export function pictureAddress(path: string): string | null {
  if (!path) return null;
  void loadOnce();
  return addresses.get(normalPath(path)) ?? addresses.get(stem(path)) ?? null;
}

/** Tell whether the thesis surely has no file of this name: not while the list is loading, or without the server. */
export function isPictureMissing(path: string): boolean {
  return files.size > 0 && path !== "" && !files.has(fileName(path));
}

/** Call `draw` when the pictures have changed, until the returned function is called. */
export function onPicturesChange(draw: () => void): () => void {
  listeners.add(draw);
  return () => void listeners.delete(draw);
}

/**
 * Upload `file` to the thesis and return its path for `\includegraphics`. Throws an Error with a message for the person
 * when the upload fails.
 */
export async function uploadPicture(editor: HTMLElement, file: File): Promise<string> {
  const body = new FormData();
  body.append("file", file, file.name || "picture.png");
  const token = editor.querySelector<HTMLInputElement>("[name=csrfmiddlewaretoken]")?.value ?? "";
  let response: Response;
  try {
    response = await fetch(address, { method: "POST", body, headers: { "X-CSRFToken": token } });
  } catch {
    throw new Error("the server is not responding");
  }
  const answer = (await response.json().catch(() => null)) as (PictureFile & { error?: { message?: string } }) | null;
  if (!response.ok || !answer?.path)
    throw new Error(answer?.error?.message ?? `the server answered ${response.status}`);
  addPicture(answer);
  for (const draw of listeners) draw();
  return answer.path;
}

/** Load the list once, for the first figure, so that missing pictures are never requested. */
function loadOnce(): Promise<void> {
  loading ??= load();
  return loading;
}

async function load(): Promise<void> {
  if (!address) return;
  try {
    const response = await fetch(address, { headers: { Accept: "application/json" } });
    if (!response.ok) return;
    for (const file of (await response.json()) as PictureFile[]) addPicture(file);
    files.add(""); // the list is there, even when it is empty
    for (const draw of listeners) draw();
  } catch {
    loading = null; // offline: retried when the next figure is drawn
  }
}

function addPicture({ path, url }: PictureFile): void {
  files.add(fileName(path));
  if (!url) return;
  addresses.set(normalPath(path), url);
  if (!addresses.has(stem(path))) addresses.set(stem(path), url);
}

function normalPath(path: string): string {
  return path.replace(/^\.\//, "").toLowerCase();
}

/** The name alone, because \\graphicspath may name the folder. */
function fileName(path: string): string {
  return stem(path).replace(/^.*\//, "");
}

function stem(path: string): string {
  return normalPath(path).replace(/\.(png|jpe?g|pdf|svg|gif|webp|eps)$/, "");
}
