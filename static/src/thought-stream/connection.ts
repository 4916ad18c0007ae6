import { Sequence, isFinal, parseMessage, waitBefore, type StreamMessage } from "./event-order";

export type LineState = "connecting" | "live" | "lost" | "ended" | "refused";

const NOT_YOURS = 4404; // what the server closes with for somebody who may not, or may no longer, listen

interface Listener {
  message: (message: StreamMessage) => void;
  state: (state: LineState) => void;
}

/**
 * A socket that comes back by itself, always from the last event seen, until the job has ended, the server
 * refuses for good, or `close` is called.
 */
export class Line {
  private socket: WebSocket | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private attempt = 0;
  private readonly sequence: Sequence;
  private readonly leave = new AbortController();

  constructor(
    private readonly address: string,
    after: number,
    private readonly tell: Listener,
  ) {
    this.sequence = new Sequence(after);
    const { signal } = this.leave;
    // The network is back: the old socket may be dead without knowing it, so it is replaced in any case.
    window.addEventListener("online", () => this.connect(), { signal });
    window.addEventListener("offline", () => this.drop(), { signal });
    document.addEventListener("visibilitychange", () => this.wake(), { signal });
    window.addEventListener("pageshow", () => this.wake(), { signal });
    this.tell.state("connecting");
    this.connect();
  }

  close(): void {
    this.leave.abort();
    this.release();
  }

  private connect(): void {
    this.release();
    const url = new URL(this.address, location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    url.searchParams.set("after", String(this.sequence.last));
    const socket = new WebSocket(url);
    socket.onopen = () => this.tell.state("live");
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = (event) => (event.code === NOT_YOURS ? this.finish("refused") : this.drop());
    this.socket = socket;
  }

  private receive(frame: unknown): void {
    const message = parseMessage(frame);
    const verdict = message ? this.sequence.take(message.seq) : "gap";
    if (verdict === "gap") this.drop();
    if (!message || verdict !== "new") return;
    this.attempt = 0; // only an event proves the line; a server that accepts and fails at once is still waited for
    this.tell.message(message);
    if (isFinal(message.kind)) this.finish("ended");
  }

  private finish(state: "ended" | "refused"): void {
    this.close();
    this.tell.state(state);
  }

  /** The line is down, or not to be trusted: let go of it and try again later. */
  private drop(): void {
    this.release();
    this.tell.state("lost");
    this.timer = setTimeout(() => this.connect(), waitBefore(this.attempt++));
  }

  private wake(): void {
    const alive = this.socket?.readyState === WebSocket.OPEN || this.socket?.readyState === WebSocket.CONNECTING;
    if (document.visibilityState === "visible" && !alive) this.connect();
  }

  private release(): void {
    clearTimeout(this.timer);
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }
}
