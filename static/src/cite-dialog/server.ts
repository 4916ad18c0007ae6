import type { AddedCitation, Addition, Cited, FoundWork, Pick } from "./rows";

/** Where the dialog asks. `search` may carry a query (the thesis) already. */
export interface Addresses {
  look: string;
  search: string;
  add: string;
}

export interface Seen {
  picks: Pick[];
  citations: Cited[];
  total: number;
  more: boolean;
}

export interface Additions {
  citations: AddedCitation[];
  problems: { line: number; key: string; message: string }[];
}

/** A request that did not come to what was asked; the message is for people. */
export class NoAnswer extends Error {}

/** What went wrong, for people. */
export function said(error: unknown): string {
  return error instanceof NoAnswer ? error.message : "Something went wrong on this page. Reload it and try again.";
}

export const UNREACHABLE = "The server does not answer. Nothing is lost; try again in a moment.";
const SAID: Record<number, string> = {
  401: "You are signed out. Sign in again in another tab; this page stays as it is.",
  403: "You may look at this thesis, but not change it.",
};

/** What the text is to the thesis, and what of its library the words find. */
export function look(at: Addresses, text: string, signal: AbortSignal): Promise<Seen> {
  return request(at.look, { method: "POST", body: { text }, signal });
}

/** Works that a catalogue finds. Rejects with NoAnswer and its reason when the catalogue fails. */
export async function search(
  at: Addresses,
  asked: { source: string; q: string; limit?: number },
  signal: AbortSignal,
): Promise<FoundWork[]> {
  const query = new URLSearchParams({ q: asked.q, source: asked.source, limit: String(asked.limit ?? 10) });
  const address = `${at.search}${at.search.includes("?") ? "&" : "?"}${query}`;
  return (await request<{ works: FoundWork[] }>(address, { signal })).works;
}

/** Add a work, with a key that will not change since the text is about to cite it. */
export function add(at: Addresses, addition: Addition): Promise<Additions> {
  return request(at.add, { method: "POST", body: addition });
}

/** Take back what was just added and not cited after all. */
export async function takeBack(at: Addresses, id: string): Promise<void> {
  await request(`${at.add}/${id}`, { method: "DELETE" });
}

/** Have entries looked up that nobody has asked a registry about. What fails here fails nobody's citing. */
export async function check(at: Addresses, ids: readonly string[]): Promise<void> {
  try {
    await request(`${at.add}/check`, { method: "POST", body: { citations: ids } });
  } catch {
    // It stays "not checked yet", as it was, and its page offers to look it up.
  }
}

interface Sent {
  method?: string;
  body?: unknown;
  signal?: AbortSignal;
}

export async function request<T>(address: string, { method = "GET", body, signal }: Sent): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (method !== "GET") headers["X-CSRFToken"] = token();
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(address, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    if (response.status === 204) return undefined as T;
    if (response.ok) return (await response.json()) as T;
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new NoAnswer(UNREACHABLE);
  }
  throw new NoAnswer(SAID[response.status] ?? (await reason(response)));
}

async function reason(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as { error: { message: string } };
    return error.message;
  } catch {
    return "Something went wrong on our side. Nothing was changed.";
  }
}

/** From the cookie of the moment: signing in again in another tab changes it. */
function token(): string {
  return (typeof document === "undefined" ? "" : /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1]) ?? "";
}
