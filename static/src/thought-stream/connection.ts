import { Sequence, isFinal, parseMessage, reconnectDelay, type StreamMessage } from "./event-order";

/** The state of the connection. */
export type ConnectionState = "connecting" | "live" | "lost" | "ended" | "refused";

const NO_ACCESS = 4404; // the server's close code for a person without access

interface Listener {
  message: (message: StreamMessage) => void;
  state: (state: ConnectionState) => void;
}

/**
 * A WebSocket that reconnects automatically after the last event seen, until the job has ended, access is refused, or
 * `close` is called.
 */
export class StreamConnection {
  private socket: WebSocket | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private attempt = 0;
  private readonly sequence: Sequence;
  private readonly abort = new AbortController();

  constructor(
    private readonly address: string,
    after: number,
    private readonly listener: Listener,
  ) {
    this.sequence = new Sequence(after);
    const { signal } = this.abort;
    // The old socket may be dead without having noticed, so it is replaced when the network is back.
    window.addEventListener("online", () => this.connect(), { signal });
    window.addEventListener("offline", () => this.drop(), { signal });
    document.addEventListener("visibilitychange", () => this.reconnectIfClosed(), { signal });
    window.addEventListener("pageshow", () => this.reconnectIfClosed(), { signal });
    this.listener.state("connecting");
    this.connect();
  }

  close(): void {
    this.abort.abort();
    this.release();
  }

  private connect(): void {
    this.release();
    const url = new URL(this.address, location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    url.searchParams.set("after", String(this.sequence.last));
    const socket = new WebSocket(url);
    socket.onopen = () => this.listener.state("live");
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = (event) => (event.code === NO_ACCESS ? this.finish("refused") : this.drop());
    this.socket = socket;
  }

  private receive(frame: unknown): void {
    const message = parseMessage(frame);
    const verdict = message ? this.sequence.accept(message.seq) : "gap";
    if (verdict === "gap") this.drop();
    if (!message || verdict !== "new") return;
    this.attempt = 0; // only an event resets the delay, so a server that accepts and fails at once is not hammered
    this.listener.message(message);
    if (isFinal(message.kind)) this.finish("ended");
  }

  private finish(state: "ended" | "refused"): void {
    this.close();
    this.listener.state(state);
  }

  /** Close a lost or unreliable connection and try again later. */
  private drop(): void {
    this.release();
    this.listener.state("lost");
    this.timer = setTimeout(() => this.connect(), reconnectDelay(this.attempt++));
  }

  private reconnectIfClosed(): void {
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
