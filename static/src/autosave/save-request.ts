import type { Answer, Kind } from "./state-machine";

const TIMEOUT = 15_000; // ms for an answer, and for each 50 kB on the way a second more
const SLOWEST = 50; // characters a ms
const MOST_KEPT_ALIVE = 60_000; // bytes that a browser sends on for a page that is left: 64 kB in all

export interface Address {
  save: string; // PUT here
  section: string;
  user: string;
}

/** The way to the server. Every answer is one of `Answer`, whatever happens on the way. */
export interface Line {
  put(text: string, over: number, kind: Kind, leaving?: boolean): Promise<Answer>;
  keep(text: string): Promise<Answer>;
}

export function lineTo({ save, section, user }: Address): Line {
  const ask = async (
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
          "X-CSRFToken": token(),
          "X-Person": user,
          ...more,
        },
        signal: AbortSignal.timeout(TIMEOUT + body.length / SLOWEST),
        keepalive: leaving && fits(body),
        redirect: "error",
      });
    const response = await send();
    if (response.status !== 403 || (await codeOf(response))) return response;
    await freshToken();
    return send();
  };
  const said = async (sent: Promise<Response>): Promise<Answer> => {
    try {
      return await answerOf(await sent, section);
    } catch {
      return { kind: "lost" }; // no connection, too late, or something else than our server answered
    }
  };
  return {
    put: (text, over, kind, leaving = false) =>
      said(
        ask(
          save,
          "PUT",
          JSON.stringify({ latex: text, kind }),
          { "If-Match": `"${over}"`, Prefer: "return=minimal" },
          leaving,
        ),
      ),
    keep: (text) => said(ask(`${save}/versions/kept`, "POST", JSON.stringify({ latex: text }), {}, false)),
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

/**
 * What a response says. Only JSON of our own shape counts: a page that a hotel's network put in between is no answer.
 */
export async function answerOf(response: Response, section: string): Promise<Answer> {
  const { status } = response;
  const body = await bodyOf(response);
  const { error, current } = body;
  if (status === 401) return { kind: "signed-out" };
  if (status === 413)
    return {
      kind: "refused",
      sentence: error?.message ?? "This text is longer than the server takes. Move a part of it into another section.",
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

/** ms that Retry-After asks for: seconds, or a moment. */
function waitOf(response: Response): number {
  const asked = response.headers.get("Retry-After");
  if (!asked) return 0;
  const seconds = Number(asked);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(asked) - Date.now();
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

/** Whether a 403 is the server's word about the person, and not about a token that is out of date. */
async function codeOf(response: Response): Promise<boolean> {
  return (await bodyOf(response.clone())).error?.code === "forbidden";
}

/** From the cookie of the moment: signing in again, in whichever window, changes it. */
function token(): string {
  return /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? "";
}

/** Any page of ours brings the cookie with the token that counts now. */
async function freshToken(): Promise<void> {
  await fetch(location.pathname, {
    method: "HEAD",
    headers: { Accept: "text/html" },
    signal: AbortSignal.timeout(TIMEOUT),
  });
}
