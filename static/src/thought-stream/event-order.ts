// What the thought stream must get right, with no browser in it: every event once, in order, whatever the line does.

/** One event as the socket sends it. `html` is a whole <li>, rendered and escaped by the server. */
export interface StreamMessage {
  seq: number;
  kind: string;
  text: string;
  node: string;
  html: string;
  counters: Record<string, unknown>;
  attempt: number; // of what is written anew when an attempt fails; 0 where nothing is
}

export type Verdict = "new" | "seen" | "gap";

/** Remembers the last event shown. Only "new" may be shown; a "gap" is healed by connecting again from `last`. */
export class Sequence {
  constructor(public last = 0) {}

  take(seq: number): Verdict {
    if (seq <= this.last) return "seen";
    if (seq > this.last + 1) return "gap";
    this.last = seq;
    return "new";
  }
}

const FIRST_WAIT = 250; // ms
const LONGEST_WAIT = 10_000; // ms

/**
 * Milliseconds before the nth try (from 0) to connect again: doubling, and up to half shorter so that not all come at
 * once.
 */
export function waitBefore(attempt: number, random: number = Math.random()): number {
  const full = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(attempt, 16));
  return full * (1 - random / 2);
}

const FINAL = new Set(["job_done", "job_failed", "job_cancelled"]);

/** Nothing comes after these. */
export function isFinal(kind: string): boolean {
  return FINAL.has(kind);
}

/** What people who cannot see the stream are told: phases, and starts and ends of the job. */
export function isSpoken(kind: string): boolean {
  return kind.startsWith("phase_") || kind.startsWith("job_");
}

export type Refresh = "run-tree" | "run-head" | "run-files";

/** The parts of the page an event makes stale. The end of a job makes all of them. */
export function refreshes(kind: string): Refresh[] {
  const parts: Refresh[] = [];
  if (/^(node_|phase_|round_|search_|findings_|context_for_)/.test(kind) || isFinal(kind)) parts.push("run-tree");
  if (/^(phase_|job_|round_|coverage_)/.test(kind)) parts.push("run-head");
  if (/^(context_|personal_|report_context_|phase_|job_)/.test(kind)) parts.push("run-files");
  return parts;
}

/** The message in a frame, or null when it is none: a frame we cannot read is a gap that heals itself later. */
export function parseMessage(frame: unknown): StreamMessage | null {
  if (typeof frame !== "string") return null;
  let value: unknown;
  try {
    value = JSON.parse(frame);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const { seq, kind, text, node, html, counters, try: attempt } = value as Record<string, unknown>;
  if (typeof seq !== "number" || !Number.isInteger(seq) || typeof kind !== "string" || typeof html !== "string")
    return null;
  return {
    seq,
    kind,
    html,
    text: typeof text === "string" ? text : "",
    node: typeof node === "string" ? node : "",
    counters: typeof counters === "object" && counters !== null ? (counters as Record<string, unknown>) : {},
    attempt: typeof attempt === "number" ? attempt : 0,
  };
}
