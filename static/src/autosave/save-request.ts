import type { Answer, Kind } from "./state-machine";

const TIMEOUT = 15_000; // ms for an answer, plus a second for each 50 kB sent
const SLOWEST = 50; // characters per ms
const MOST_KEPT_ALIVE = 60_000; // bytes; browsers allow 64 kB of requests that outlive the page

/** Where a section is saved. */
export interface Address {
  save: string; // PUT here
  section: string;
  user: string;
}

/** Sends saves to the server. Every outcome, network failures included, is an `Answer`. */
export interface SaveConnection {
  put(text: string, over: number, kind: Kind, leaving?: boolean): Promise<Answer>;
  storeVersion(text: string): Promise<Answer>;
}

/** Create the connection for saving a section. */
export function connectTo({ save, section, user }: Address): SaveConnection {
  const request = async (
    url: string,
    method: string,
    body: string,
    more: Record<string, string>,
    leaving: boolean,
  ): Promise<Response> => {
    const send = () =>
      fetch(url, {
        method,
        body,
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json",
          "X-CSRFToken": csrfToken(),
          "X-Person": user,
          ...more,
        },
        signal: AbortSignal.timeout(TIMEOUT + body.length / SLOWEST),
        keepalive: leaving && fits(body),
        redirect: "error",
      });
    const response = await send();
    if (response.status !== 403 || (await isForbidden(response))) return response;
    await freshToken();
    return send();
  };
  const answerTo = async (sent: Promise<Response>): Promise<Answer> => {
    try {
      return await answerOf(await sent, section);
    } catch {
      return { kind: "lost" }; // no connection, timeout, or a response that is not from our server
    }
  };
  return {
    put: (text, over, kind, leaving = false) =>
      answerTo(
        request(
          save,
          "PUT",
          JSON.stringify({ latex: text, kind }),
          { "If-Match": `"${over}"`, Prefer: "return=minimal" },
          leaving,
        ),
      ),
    storeVersion: (text) =>
      answerTo(request(`${save}/versions/kept`, "POST", JSON.stringify({ latex: text }), {}, false)),
  };
}

function fits(body: string): boolean {
  return body.length < MOST_KEPT_ALIVE && new TextEncoder().encode(body).length < MOST_KEPT_ALIVE;
}

interface Body {
  id?: string;
  version?: number;
  words?: number;
  updated_at?: string;
  latex?: string;
  error?: { code?: string; message?: string };
  current?: { id: string; version: number; words: number; updated_at: string; latex: string };
  saved_by?: string[];
}

/** Interpret a response. Only our own JSON counts; a captive portal's page is no answer. */
export async function answerOf(response: Response, section: string): Promise<Answer> {
  const { status } = response;
  const body = await bodyOf(response);
  const { error, current } = body;
  if (status === 401) return { kind: "signed-out" };
  if (status === 413)
    return {
      kind: "refused",
      sentence: error?.message ?? "This text is too long. Move part of it to another section.",
    };
  if (status === 200 && body.id === section && typeof body.version === "number") {
    return { kind: "saved", version: body.version, words: body.words ?? 0, savedAt: Date.parse(body.updated_at ?? "") };
  }
  if (status === 201 && typeof body.version === "number") return { kind: "kept" };
  if (status === 412 && typeof current?.latex === "string") {
    const { version, words, latex, updated_at } = current;
    return { kind: "stale", version, text: latex, words, savedAt: Date.parse(updated_at), names: body.saved_by ?? [] };
  }
  const sentence = error?.message ?? "";
  if (!error || status >= 500 || status === 429 || status === 408) return { kind: "lost", wait: waitOf(response) };
  if (error.code === "someone_else") return { kind: "someone-else" };
  if (error.code === "forbidden") return { kind: "forbidden", sentence };
  if (status === 404) return { kind: "gone" };
  return status === 403 ? { kind: "lost" } : { kind: "refused", sentence };
}

/** Read Retry-After (seconds or a date) as milliseconds. */
function waitOf(response: Response): number {
  const retryAfter = response.headers.get("Retry-After");
  if (!retryAfter) return 0;
  const seconds = Number(retryAfter);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : 0;
}

async function bodyOf(response: Response): Promise<Body> {
  try {
    const body: unknown = await response.json();
    return typeof body === "object" && body !== null ? (body as Body) : {};
  } catch {
    return {};
  }
}

/** Tell whether a 403 is about permissions and not about an outdated CSRF token. */
async function isForbidden(response: Response): Promise<boolean> {
  return (await bodyOf(response.clone())).error?.code === "forbidden";
}

/** Read the CSRF token from the cookie each time, because signing in again in any window changes it. */
function csrfToken(): string {
  return /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? "";
}

/** Refresh the CSRF cookie by requesting the current page. */
async function freshToken(): Promise<void> {
  await fetch(location.pathname, {
    method: "HEAD",
    headers: { Accept: "text/html" },
    signal: AbortSignal.timeout(TIMEOUT),
  });
}
