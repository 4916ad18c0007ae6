import { request } from "../cite-dialog/server";
import type { Block } from "./blocks";

/**
 * A work that a draft cites, as the server knows it (thesis/draft_api.py). `bad`: its key is left out of what is taken.
 */
export interface Cited {
  key: string;
  status: string;
  tier: string;
  title: string;
  retracted: boolean;
  bad: boolean;
}

export interface Draft {
  id: string;
  state: "queued" | "running" | "done" | "failed" | "cancelled";
  reason: string;
  base: string;
  blocks: Block[]; // places in characters, as the server counts them
  citations: Cited[];
  notes: string[];
  outcome: "" | "taken" | "partly" | "discarded";
  taken: number[];
}

/** The draft at `src`; `safe` of its blocks keeps the keys that the person insists on. Rejects with NoAnswer. */
export function read(src: string, insist: readonly string[] = []): Promise<Draft> {
  const query = new URLSearchParams(insist.map((key) => ["insist", key]));
  return request(insist.length ? `${src}?${query}` : src, {});
}

export function record(src: string, numbers: readonly number[]): Promise<Draft> {
  return request(`${src}/record`, { method: "POST", body: { numbers } });
}

export function discard(src: string): Promise<Draft> {
  return request(`${src}/discard`, { method: "POST" });
}

export function stop(src: string): Promise<Draft> {
  return request(`${src}/stop`, { method: "POST" });
}
