const PATIENCE = 600; // ms an open window has to answer, where the browser has no locks
const AGAIN = 5000;

/** This window among the windows of the browser. */
export interface Tabs {
  readonly tab: string;
  /** Resolves when the other windows can see that this one is open. */
  readonly registered: Promise<void>;
  /** Resolves when the window `tab` is closed; stays pending while it is open. */
  whenClosed(tab: string): Promise<void>;
}

/** Register this window under a random id. */
export function openTab(): Tabs {
  const tab = [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  return "locks" in navigator && navigator.locks ? byLocks(tab) : byMessages(tab);
}

/** Use a lock per window: the browser releases it when the window closes or crashes. */
function byLocks(tab: string): Tabs {
  const name = (one: string) => `scholium-tab-${one}`;
  const living = new Promise<void>((resolve) => {
    void navigator.locks.request(name(tab), () => new Promise<never>(() => resolve()));
  });
  return { tab, registered: living, whenClosed: (other) => navigator.locks.request(name(other), () => undefined) };
}

/** Use messages where there are no locks (a page over plain http): an open window answers when called. */
function byMessages(tab: string): Tabs {
  const channel = new BroadcastChannel("scholium-tabs");
  const pendingCalls = new Map<string, () => void>();
  channel.addEventListener("message", ({ data }: MessageEvent<{ call?: string; here?: string }>) => {
    if (data.call === tab) channel.postMessage({ here: tab });
    if (data.here) pendingCalls.get(data.here)?.();
  });
  const answers = (other: string) =>
    new Promise<boolean>((resolve) => {
      pendingCalls.set(other, () => resolve(true));
      channel.postMessage({ call: other });
      setTimeout(() => resolve(false), PATIENCE);
    });
  const whenClosed = async (other: string): Promise<void> => {
    while (await answers(other)) await new Promise((resolve) => setTimeout(resolve, AGAIN));
  };
  return { tab, registered: Promise.resolve(), whenClosed };
}
