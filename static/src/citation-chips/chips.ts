import type { Chip, Known } from "./chip";

const GATHER = 40; // ms in which keys are gathered into one request
const LONGEST = 6_000; // characters of an address; for more keys all chips of the thesis are asked for
const SOON = 1_500; // ms until what is being checked is asked about again, doubled each time
const LATEST = 30_000;

export type Fetch = (address: string) => Promise<Record<string, Chip> | null>;

/**
 * What is known of the keys of a text, asked for as they come up. `at` is the address of citations/api/search.py;
 * nothing is asked before it is set. Chips that wait for a check are asked about again until they do not.
 */
export class Chips {
  private known = new Map<string, Chip | "missing">();
  private wanted = new Set<string>(); // keys that are shown, or were
  private ask = new Set<string>();
  private hearers = new Set<(keys: ReadonlySet<string>) => void>();
  private gathering: ReturnType<typeof setTimeout> | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;
  private pause = SOON;
  private address = "";

  constructor(private readonly get: Fetch) {}

  set at(address: string) {
    this.address = address;
    if (this.ask.size) this.gather();
  }

  of(key: string): Known {
    if (!this.wanted.has(key)) {
      this.wanted.add(key);
      this.ask.add(key);
      if (this.address) this.gather();
    }
    return this.known.get(key) ?? null;
  }

  /**
   * Have `told` called with the keys of which something is known that was not; until the returned function is called.
   */
  heard(told: (keys: ReadonlySet<string>) => void): () => void {
    this.hearers.add(told);
    return () => void this.hearers.delete(told);
  }

  /** Something was added, saved or checked: ask about all that may have changed, which is what is not proven yet. */
  renew(): void {
    for (const key of this.wanted) {
      const chip = this.known.get(key);
      if (chip === undefined || chip === "missing" || chip.pending || !"abc".includes(chip.tier)) this.ask.add(key);
    }
    this.pause = SOON;
    if (this.ask.size) this.gather();
  }

  private gather(): void {
    this.gathering ??= setTimeout(() => void this.send(), GATHER);
  }

  private async send(): Promise<void> {
    this.gathering = undefined;
    clearTimeout(this.again);
    const asked = [...this.ask];
    this.ask.clear();
    const named = encodeURIComponent(asked.join(","));
    const some = named.length <= LONGEST;
    const answer = await this.get(some && asked.length ? `${this.address}?keys=${named}` : this.address);
    if (answer) this.take(asked, answer);
    else for (const key of asked) this.ask.add(key); // no answer: asked once more later
    const pending = [...this.wanted].filter((key) => isPending(this.known.get(key)));
    for (const key of pending) this.ask.add(key);
    if (!this.ask.size) return void (this.pause = SOON);
    this.again = setTimeout(() => this.gather(), this.pause);
    this.pause = Math.min(LATEST, this.pause * 1.5);
  }

  private take(asked: readonly string[], answer: Record<string, Chip>): void {
    const changed = new Set<string>();
    for (const key of asked) {
      const next = Object.hasOwn(answer, key) ? answer[key]! : "missing";
      if (same(this.known.get(key), next)) continue;
      this.known.set(key, next);
      changed.add(key);
    }
    if (changed.size) for (const tell of [...this.hearers]) tell(changed);
  }
}

function isPending(known: Chip | "missing" | undefined): boolean {
  return known !== undefined && known !== "missing" && known.pending;
}

function same(one: Chip | "missing" | undefined, other: Chip | "missing"): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

async function fetched(address: string): Promise<Record<string, Chip> | null> {
  try {
    const response = await fetch(address, { headers: { Accept: "application/json" } });
    return response.ok ? ((await response.json()) as Record<string, Chip>) : null;
  } catch {
    return null;
  }
}

/** The chips of the thesis this page is of. */
export const knownCite = new Chips(fetched);
