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
