import type { Box } from "../page/place-mark";

/** A preview as the server describes it (thesis/pages/build.py). `at` is the base path of its pages. */
export interface Preview {
  id: string;
  at: string;
  state: "waiting" | "done" | "failed" | "replaced";
  pages: number;
  notes: string[];
  said: string;
}

/** Failure to get a preview; the message is shown to people. */
export class NoPreview extends Error {}

const UNREACHABLE = "The server is not responding. The preview is updated after the next save.";
const ERRORS: Record<number, string> = {
  403: "You can no longer edit this section, so there is no preview.",
  404: "This section no longer exists.",
};

/** Start a preview of the last saved text; `page` is rendered first. */
export function startPreview(start: string, page: number, signal: AbortSignal): Promise<Preview> {
  return requestPreview(start, {
    method: "POST",
    body: new URLSearchParams({ page: String(page) }),
    headers: { "X-CSRFToken": csrfToken() },
    signal,
  });
}

/** Get the current state of a preview. */
export function fetchPreview(preview: Preview, signal: AbortSignal): Promise<Preview> {
  return requestPreview(`${preview.at}preview/`, { signal });
}

/** The address of a page image. */
export const pageOf = (preview: Preview, number: number): string => `${preview.at}pages/${number}.png`;

/** Where words of a page stand in the text: an offset in code points, and the LaTeX before and after it. */
export interface TextPlace {
  section: string;
  offset: number;
  latex: string;
  before: string;
}

/** A line on a page of a preview. */
export interface PagePlace extends Box {
  page: number;
}

const AGAIN = [300, 500, 800, 1_200]; // ms; the words of a preview are ready a moment after its pages

/** Get the place in the text of a point of a page; null if there is none. */
export function textPlace(preview: Preview, page: number, x: number, y: number): Promise<TextPlace | null> {
  const point = new URLSearchParams({ page: String(page), x: part(x), y: part(y) });
  return place(`/api/builds/${preview.id}/place?${point.toString()}`);
}

/** Get the place on the pages of the character `offset` (code points) of a section; null if it is not printed. */
export async function pagePlace(preview: Preview, section: string, offset: number): Promise<PagePlace | null> {
  const path = `/api/builds/${preview.id}/page?${new URLSearchParams({ section, offset: String(offset) }).toString()}`;
  for (const wait of AGAIN) {
    const found = await place<PagePlace>(path);
    if (found) return found;
    await new Promise((done) => setTimeout(done, wait));
  }
  return null;
}

async function place<T>(path: string): Promise<T | null> {
  const response = await fetch(path, { credentials: "same-origin" }).catch(() => null);
  return response?.ok ? ((await response.json()) as T | null) : null;
}

const part = (value: number): string => Math.min(Math.max(value, 0), 1).toFixed(4);

async function requestPreview(path: string, how: RequestInit): Promise<Preview> {
  let response: Response;
  try {
    response = await fetch(path, { ...how, credentials: "same-origin", redirect: "error" });
  } catch (error) {
    if (how.signal?.aborted) throw error;
    throw new NoPreview(UNREACHABLE);
  }
  if (!response.ok) throw new NoPreview(ERRORS[response.status] ?? UNREACHABLE);
  return (await response.json()) as Preview;
}

/** Read the CSRF token from the cookie each time, because signing in again in another tab changes it. */
function csrfToken(): string {
  return /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? "";
}
