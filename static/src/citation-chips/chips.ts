import type { Chip, ChipState } from "./chip";

const GATHER = 40; // ms in which keys are collected into one request
const LONGEST = 6_000; // characters of an address; with more keys all chips of the thesis are requested
const FIRST_PAUSE = 1_500; // ms before pending chips are requested again, growing each time
const LONGEST_PAUSE = 30_000;

/** Loads chips by key; null when the request fails. */
export type LoadChips = (address: string) => Promise<Record<string, Chip> | null>;

/**
 * The chips of the keys in a text, loaded as keys come up. `at` is the address of citations/api/search.py; nothing is
 * requested before it is set. Pending chips are requested again until their check is done.
 */
export class ChipStore {
  private known = new Map<string, Chip | "missing">();
  private wanted = new Set<string>(); // keys that are shown, or were
  private toRequest = new Set<string>();
  private listeners = new Set<(keys: ReadonlySet<string>) => void>();
  private requestTimer: ReturnType<typeof setTimeout> | undefined;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private pause = FIRST_PAUSE;
  private address = "";

  constructor(private readonly load: LoadChips) {}

  set at(address: string) {
    this.address = address;
    if (this.toRequest.size) this.scheduleRequest();
  }

  of(key: string): ChipState {
    if (!this.wanted.has(key)) {
      this.wanted.add(key);
      this.toRequest.add(key);
      if (this.address) this.scheduleRequest();
    }
    return this.known.get(key) ?? null;
  }

  /** Call `listener` with the keys whose chips changed, until the returned function is called. */
  onChange(listener: (keys: ReadonlySet<string>) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Reload all chips that may have changed: those not proven yet. */
  reload(): void {
    for (const key of this.wanted) {
      const chip = this.known.get(key);
      if (chip === undefined || chip === "missing" || chip.pending || !"abc".includes(chip.tier))
        this.toRequest.add(key);
    }
    this.pause = FIRST_PAUSE;
    if (this.toRequest.size) this.scheduleRequest();
  }

  private scheduleRequest(): void {
    this.requestTimer ??= setTimeout(() => void this.request(), GATHER);
  }

  private async request(): Promise<void> {
    this.requestTimer = undefined;
    clearTimeout(this.retryTimer);
    const requested = [...this.toRequest];
    this.toRequest.clear();
    const named = encodeURIComponent(requested.join(","));
    const some = named.length <= LONGEST;
    const answer = await this.load(some && requested.length ? `${this.address}?keys=${named}` : this.address);
    if (answer) this.store(requested, answer);
    else for (const key of requested) this.toRequest.add(key); // failed: retried later
    const pending = [...this.wanted].filter((key) => isPending(this.known.get(key)));
    for (const key of pending) this.toRequest.add(key);
    if (!this.toRequest.size) return void (this.pause = FIRST_PAUSE);
    this.retryTimer = setTimeout(() => this.scheduleRequest(), this.pause);
    this.pause = Math.min(LONGEST_PAUSE, this.pause * 1.5);
  }

  private store(requested: readonly string[], answer: Record<string, Chip>): void {
    const changed = new Set<string>();
    for (const key of requested) {
      const next = Object.hasOwn(answer, key) ? answer[key]! : "missing";
      if (same(this.known.get(key), next)) continue;
      this.known.set(key, next);
      changed.add(key);
    }
    if (changed.size) for (const listener of [...this.listeners]) listener(changed);
  }
}

function isPending(known: Chip | "missing" | undefined): boolean {
  return known !== undefined && known !== "missing" && known.pending;
}

function same(one: Chip | "missing" | undefined, other: Chip | "missing"): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

async function fetchChips(address: string): Promise<Record<string, Chip> | null> {
  try {
    const response = await fetch(address, { headers: { Accept: "application/json" } });
    return response.ok ? ((await response.json()) as Record<string, Chip>) : null;
  } catch {
    return null;
  }
}

/** The chips of this page's thesis. */
export const chipStore = new ChipStore(fetchChips);
