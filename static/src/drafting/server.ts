import { request } from "../cite-dialog/server";
import type { Block } from "./blocks";

/** A work that a draft cites (thesis/draft_api.py). The key of a `bad` work is left out of the taken text. */
export interface CitedWork {
  key: string;
  status: string;
  tier: string;
  title: string;
  retracted: boolean;
  bad: boolean;
}

/** A draft with its proposal, as the server returns it (thesis/draft_api.py). */
export interface Draft {
  id: string;
  state: "queued" | "running" | "done" | "failed" | "cancelled";
  reason: string;
  base: string;
  blocks: Block[]; // positions in code points, as the server counts
  citations: CitedWork[];
  notes: string[];
  outcome: "" | "taken" | "partly" | "discarded";
  taken: number[];
}

/** Load the draft at `src`; `safe` of its blocks keeps the keys in `insist`. Rejects with RequestError. */
export function loadDraft(src: string, insist: readonly string[] = []): Promise<Draft> {
  const query = new URLSearchParams(insist.map((key) => ["insist", key]));
  return request(insist.length ? `${src}?${query}` : src, {});
}

/** Report that the blocks `numbers` were taken. */
export function recordTaken(src: string, numbers: readonly number[]): Promise<Draft> {
  return request(`${src}/record`, { method: "POST", body: { numbers } });
}

/** Mark the draft as not taken. */
export function discardDraft(src: string): Promise<Draft> {
  return request(`${src}/discard`, { method: "POST" });
}

/** Stop the job that writes the draft. */
export function stopDraft(src: string): Promise<Draft> {
  return request(`${src}/stop`, { method: "POST" });
}
