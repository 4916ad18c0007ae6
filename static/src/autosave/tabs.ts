const PATIENCE = 600; // ms a living window has to answer, where the browser has no locks
const AGAIN = 5000;

/** This window among those of the browser. */
export interface Tabs {
  readonly tab: string;
  /** Resolves when this window counts as living for the others. */
  readonly living: Promise<void>;
  /** Resolves when the window `tab` is closed, or was long ago; never while it is open. */
  gone(tab: string): Promise<void>;
}

export function openTab(): Tabs {
  const tab = [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  return "locks" in navigator && navigator.locks ? byLocks(tab) : byTalking(tab);
}

/** A lock is held for as long as the window lives; the browser lets go of it, whatever happens to the window. */
function byLocks(tab: string): Tabs {
  const name = (one: string) => `scholium-tab-${one}`;
  const living = new Promise<void>((resolve) => {
    void navigator.locks.request(name(tab), () => new Promise<never>(() => resolve()));
  });
  return { tab, living, gone: (other) => navigator.locks.request(name(other), () => undefined) };
}

/** Without locks (a page over plain http): a living window answers when it is called. */
function byTalking(tab: string): Tabs {
  const channel = new BroadcastChannel("scholium-tabs");
  const heard = new Map<string, () => void>();
  channel.addEventListener("message", ({ data }: MessageEvent<{ call?: string; here?: string }>) => {
    if (data.call === tab) channel.postMessage({ here: tab });
    if (data.here) heard.get(data.here)?.();
  });
  const answers = (other: string) =>
    new Promise<boolean>((resolve) => {
      heard.set(other, () => resolve(true));
      channel.postMessage({ call: other });
      setTimeout(() => resolve(false), PATIENCE);
    });
  const gone = async (other: string): Promise<void> => {
    while (await answers(other)) await new Promise((resolve) => setTimeout(resolve, AGAIN));
  };
  return { tab, living: Promise.resolve(), gone };
}
