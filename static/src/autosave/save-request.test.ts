import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mapCaret } from "./caret-position";
import { restoreEndings } from "./line-endings";
import { answerOf } from "./save-request";
import { initialModel, step } from "./state-machine";
import { mergedNotice, describeState } from "./messages";

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });
const error = (code: string, message = "A sentence.") => ({ error: { code, message } });
const SAVED = { id: "s", version: 3, words: 5, updated_at: "2026-11-22T14:32:00Z" };

test("only our own JSON for this section counts as saved", async () => {
  assert.deepEqual(await answerOf(json(200, SAVED), "s"), {
    kind: "saved",
    version: 3,
    words: 5,
    savedAt: Date.parse(SAVED.updated_at),
  });
  assert.equal((await answerOf(json(200, SAVED), "another")).kind, "lost");
  assert.equal((await answerOf(new Response("<h1>Welcome to the hotel</h1>", { status: 200 }), "s")).kind, "lost");
  assert.equal((await answerOf(new Response("Not Found", { status: 404 }), "s")).kind, "lost");
});

test("each answer of the server is recognised", async () => {
  const kinds = await Promise.all(
    [
      json(401, {}),
      json(403, error("forbidden")),
      json(403, error("invalid")),
      json(404, error("not_found")),
      json(409, error("someone_else")),
      json(422, error("too_long")),
      json(500, error("fault")),
      json(429, {}),
      new Response("", { status: 413 }),
      json(201, { version: 4 }),
    ].map(async (one) => (await answerOf(one, "s")).kind),
  );
  assert.deepEqual(kinds, [
    "signed-out",
    "forbidden",
    "lost",
    "gone",
    "someone-else",
    "refused",
    "lost",
    "lost",
    "refused",
    "kept",
  ]);
  const stale = await answerOf(
    json(412, { ...error("stale"), current: { ...SAVED, latex: "Theirs" }, saved_by: ["Edda"] }),
    "s",
  );
  assert.deepEqual(stale, {
    kind: "stale",
    version: 3,
    words: 5,
    text: "Theirs",
    savedAt: Date.parse(SAVED.updated_at),
    names: ["Edda"],
  });
});

test("Retry-After is read as seconds or as a date", async () => {
  assert.deepEqual(await answerOf(json(503, {}, { "Retry-After": "120" }), "s"), { kind: "lost", wait: 120_000 });
  const later = await answerOf(json(503, {}, { "Retry-After": new Date(Date.now() + 60_000).toUTCString() }), "s");
  assert.ok(later.kind === "lost" && later.wait! > 50_000 && later.wait! <= 60_000);
});

test("each state has its message, which says where the text is", () => {
  const clean = initialModel({ version: 1, text: "a" }, 1, Date.UTC(2026, 10, 22, 14, 32));
  assert.equal(describeState(clean, "all", true, "UTC").words, "Saved 14:32");
  const typed = step(clean, { what: "edited", text: "b", at: 1 }).model;
  assert.equal(describeState(typed, "all", true).words, "Not saved yet");
  assert.match(describeState(typed, "full", true).notice!.sentence, /storage is full/);
  const sent = step(typed, { what: "now", at: 2 }).model;
  assert.equal(describeState(sent, "all", true).words, "Saving");
  const after = (kind: "lost" | "signed-out" | "gone") =>
    step(sent, { what: "answered", answer: { kind }, at: 3 }).model;
  assert.match(
    describeState(after("lost"), "all", false).notice!.sentence,
    /^You are offline\. Your text is kept in this browser\./,
  );
  assert.match(describeState(after("lost"), "none", true).notice!.sentence, /in this window only/);
  assert.deepEqual(describeState(after("signed-out"), "all", true).notice!.actions, ["sign-in"]);
  assert.deepEqual(describeState(after("gone"), "all", true).notice!.actions, ["download", "again"]);
  assert.equal(mergedNotice(["Edda", "Asha"]), "Changes of Edda and Asha were added.");
});

test("line endings are restored; an unedited text byte for byte", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r\n", "\r"), maxLength: 30 });
  fc.assert(
    fc.property(
      text,
      (before) =>
        restoreEndings(before.replace(/\r\n?/g, "\n"), before).replace(/\r\n?/g, "\n") ===
        before.replace(/\r\n?/g, "\n"),
    ),
  );
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "b", "\r\n"), maxLength: 30 }),
      (before) => restoreEndings(before.replaceAll("\r\n", "\n"), before) === before,
    ),
  );
  assert.equal(restoreEndings("a\nb\nnew\nc", "a\r\nb\nc"), "a\r\nb\nnew\nc");
});

test("the caret stays on its words when paragraphs are inserted before them", () => {
  const was = "One.\n\nTwo here.\n\nThree.\n";
  const at = was.indexOf("here");
  for (const now of [
    "New.\n\nOne.\n\nTwo here.\n\nThree.\n",
    "One more.\n\nTwo here.\n\nThree.\n",
    "Two here.\n",
    "One.\n\nX\n\nTwo here.\n\nThree!\n",
  ]) {
    assert.equal(now.slice(mapCaret(was, now, at)).slice(0, 4), "here", now);
  }
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 20 }),
      fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 20 }),
      fc.nat(20),
      (one, other, place) => {
        const found = mapCaret(one, other, Math.min(place, one.length));
        assert.ok(found >= 0 && found <= other.length);
      },
    ),
  );
});
