/** A preview as the server knows it (thesis/pages/build.py). `at` is where its pages are. */
export interface Preview {
  id: string;
  at: string;
  state: "waiting" | "done" | "failed" | "replaced";
  pages: number;
  notes: string[];
  said: string;
}

/** What could not be asked; the message is for people. */
export class NoPreview extends Error {}

const UNREACHABLE = "The server does not answer. The preview follows with the next save.";
const SAID: Record<number, string> = {
  403: "You may no longer write here, so there is no preview.",
  404: "This section is no longer here.",
};

/** Have the section shown as it was saved last, the page `page` first. */
export function ask(start: string, page: number, signal: AbortSignal): Promise<Preview> {
  return answer(start, {
    method: "POST",
    body: new URLSearchParams({ page: String(page) }),
    headers: { "X-CSRFToken": token() },
    signal,
  });
}

export function look(preview: Preview, signal: AbortSignal): Promise<Preview> {
  return answer(`${preview.at}preview/`, { signal });
}

export const pageOf = (preview: Preview, number: number): string => `${preview.at}pages/${number}.png`;

async function answer(path: string, how: RequestInit): Promise<Preview> {
  let response: Response;
  try {
    response = await fetch(path, { ...how, credentials: "same-origin", redirect: "error" });
  } catch (error) {
    if (how.signal?.aborted) throw error;
    throw new NoPreview(UNREACHABLE);
  }
  if (!response.ok) throw new NoPreview(SAID[response.status] ?? UNREACHABLE);
  return (await response.json()) as Preview;
}

/** The CSRF token of the moment: signing in again in another tab changes it. */
function token(): string {
  return /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? "";
}
