import type { AddedCitation, Addition, LibraryReference, FoundWork, RecognisedEntry } from "./rows";

/** The API addresses of the dialog. `search` may already have a query (the thesis). */
export interface Addresses {
  look: string;
  search: string;
  add: string;
}

/** What the server finds for the typed text: recognised identifiers and references of the thesis. */
export interface LookUpResult {
  picks: RecognisedEntry[];
  citations: LibraryReference[];
  total: number;
  more: boolean;
}

/** The result of adding works. */
export interface Additions {
  citations: AddedCitation[];
  problems: { line: number; key: string; message: string }[];
}

/** A failed request; the message is shown to people. */
export class RequestError extends Error {}

/** Return an error's message for people. */
export function messageOf(error: unknown): string {
  return error instanceof RequestError ? error.message : "Something went wrong on this page. Reload it and try again.";
}

/** The message when the server cannot be reached. */
export const UNREACHABLE = "The server is not responding. No data was lost; try again in a moment.";
const STATUS_MESSAGES: Record<number, string> = {
  401: "You are signed out. Sign in again in another tab; this page stays as it is.",
  403: "You can view this thesis but not change it.",
};

/** Recognise identifiers in the text, and search the references of the thesis for its words. */
export function lookUp(at: Addresses, text: string, signal: AbortSignal): Promise<LookUpResult> {
  return request(at.look, { method: "POST", body: { text }, signal });
}

/** Search a catalogue. Rejects with RequestError and the reason when the catalogue fails. */
export async function search(
  at: Addresses,
  options: { source: string; q: string; limit?: number },
  signal: AbortSignal,
): Promise<FoundWork[]> {
  const query = new URLSearchParams({ q: options.q, source: options.source, limit: String(options.limit ?? 10) });
  const address = `${at.search}${at.search.includes("?") ? "&" : "?"}${query}`;
  return (await request<{ works: FoundWork[] }>(address, { signal })).works;
}

/** Add a work. Its key is final, because the text is about to cite it. */
export function addWork(at: Addresses, addition: Addition): Promise<Additions> {
  return request(at.add, { method: "POST", body: addition });
}

/** Remove a work that was just added and then not cited. */
export async function removeAdded(at: Addresses, id: string): Promise<void> {
  await request(`${at.add}/${id}`, { method: "DELETE" });
}

/** Start the check of entries that were never looked up. A failure here does not prevent citing. */
export async function startCheck(at: Addresses, ids: readonly string[]): Promise<void> {
  try {
    await request(`${at.add}/check`, { method: "POST", body: { citations: ids } });
  } catch {
    // The entries stay unchecked, and their pages offer to look them up.
  }
}

interface RequestOptions {
  method?: string;
  body?: unknown;
  signal?: AbortSignal;
}

/** Send a JSON request and return the parsed answer. Rejects with RequestError when it fails. */
export async function request<T>(address: string, { method = "GET", body, signal }: RequestOptions): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (method !== "GET") headers["X-CSRFToken"] = csrfToken();
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
    throw new RequestError(UNREACHABLE);
  }
  throw new RequestError(STATUS_MESSAGES[response.status] ?? (await errorMessage(response)));
}

async function errorMessage(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as { error: { message: string } };
    return error.message;
  } catch {
    return "Something went wrong on the server. Nothing was changed.";
  }
}

/** Read the CSRF token from the cookie each time, because signing in again in another tab changes it. */
function csrfToken(): string {
  return (typeof document === "undefined" ? "" : /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1]) ?? "";
}
