import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { StreamConnection, type ConnectionState } from "./connection";

/** A fake socket; the test plays the server. */
class FakeSocket {
  static readonly OPEN = 1;
  static readonly CONNECTING = 0;
  static made: FakeSocket[] = [];
  readyState = FakeSocket.CONNECTING;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;

  constructor(readonly url: URL) {
    FakeSocket.made.push(this);
  }

  close(): void {
    this.readyState = 3;
  }

  opens(): void {
    this.readyState = FakeSocket.OPEN;
    this.onopen?.();
  }

  sends(seq: number, kind: string): void {
    this.onmessage?.({ data: JSON.stringify({ seq, kind, html: "<li></li>" }) });
  }
}

const LONG = 60_000; // ms, longer than any wait
let states: ConnectionState[];

function lineAfter(after: number): FakeSocket {
  new StreamConnection("/ws/jobs/1/", after, { message: () => undefined, state: (state) => states.push(state) });
  const socket = FakeSocket.made[0];
  assert.ok(socket);
  return socket;
}

/** Simulate that the network is back and the tab is visible: every open connection reconnects. */
function everythingCalls(): void {
  mock.timers.tick(LONG);
  window.dispatchEvent(new Event("online"));
  window.dispatchEvent(new Event("pageshow"));
  document.dispatchEvent(new Event("visibilitychange"));
}

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  FakeSocket.made = [];
  states = [];
  Object.assign(globalThis, {
    WebSocket: FakeSocket,
    window: new EventTarget(),
    document: Object.assign(new EventTarget(), { visibilityState: "visible" }),
    location: { href: "https://scholium.example/runs/1/" },
  });
});

test("a lost connection is resumed after the last event seen", () => {
  const socket = lineAfter(3);
  socket.opens();
  socket.sends(4, "thought");
  socket.onclose?.({ code: 1006 });
  mock.timers.tick(LONG);
  assert.deepEqual(
    FakeSocket.made.map((made) => made.url.href),
    [3, 4].map((after) => `wss://scholium.example/ws/jobs/1/?after=${after}`),
  );
  assert.deepEqual(states, ["connecting", "live", "lost"]);
});

test("without access the state is reported once and there is no reconnect", () => {
  const socket = lineAfter(0);
  socket.opens();
  socket.onclose?.({ code: 4404 });
  everythingCalls();
  assert.equal(FakeSocket.made.length, 1);
  assert.deepEqual(states, ["connecting", "live", "refused"]);
});

test("after the last event of a job there is no reconnect", () => {
  const socket = lineAfter(0);
  socket.opens();
  socket.sends(1, "job_done");
  everythingCalls();
  assert.equal(FakeSocket.made.length, 1);
  assert.deepEqual(states, ["connecting", "live", "ended"]);
});
