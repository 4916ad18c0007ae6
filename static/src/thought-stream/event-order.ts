// The order of the stream's events, without a browser: every event once and in order, whatever the connection does.

/** An event as the socket sends it. `html` is a whole <li>, rendered and escaped by the server. */
export interface StreamMessage {
  seq: number;
  kind: string;
  text: string;
  node: string;
  html: string;
  counters: Record<string, unknown>;
  attempt: number; // counts the retries of a generated text; 0 for other events
}

/** Whether an event is the next one, a repeated one, or events before it are missing. */
export type Verdict = "new" | "seen" | "gap";

/** Remembers the last event shown. Only "new" events are shown; after a "gap" the client reconnects from `last`. */
export class Sequence {
  constructor(public last = 0) {}

  accept(seq: number): Verdict {
    if (seq <= this.last) return "seen";
    if (seq > this.last + 1) return "gap";
    this.last = seq;
    return "new";
  }
}

const FIRST_WAIT = 250; // ms
const LONGEST_WAIT = 10_000; // ms

/** Return the milliseconds before reconnect number `attempt` (from 0): exponential backoff with jitter. */
export function reconnectDelay(attempt: number, random: number = Math.random()): number {
  const full = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(attempt, 16));
  return full * (1 - random / 2);
}

const FINAL = new Set(["job_done", "job_failed", "job_cancelled"]);

/** Tell whether an event is the last of its job. */
export function isFinal(kind: string): boolean {
  return FINAL.has(kind);
}

/** Tell whether screen readers announce an event: phases, and the job's start and end. */
export function isAnnounced(kind: string): boolean {
  return kind.startsWith("phase_") || kind.startsWith("job_");
}

/** A part of the page that htmx reloads, by its event name. */
export type PagePart = "run-tree" | "run-head" | "run-files";

/** List the parts of the page that an event makes stale. The end of a job makes all of them stale. */
export function staleParts(kind: string): PagePart[] {
  const parts: PagePart[] = [];
  if (/^(node_|phase_|round_|search_|findings_|context_for_)/.test(kind) || isFinal(kind)) parts.push("run-tree");
  if (/^(phase_|job_|round_|coverage_)/.test(kind)) parts.push("run-head");
  if (/^(context_|personal_|report_context_|phase_|job_)/.test(kind)) parts.push("run-files");
  return parts;
}

/** Parse a frame; null when it is invalid, which is handled like a gap. */
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
