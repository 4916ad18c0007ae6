import "fake-indexeddb/auto";
import assert from "node:assert/strict";
import { test } from "node:test";
import { openJournal, type Entry, type Journal } from "./browser-store";
import { JournalWriter } from "./journal-writer";

const entry = (more: Partial<Entry> = {}): Entry => ({
  user: "asha",
  section: "s1",
  tab: "t1",
  at: 1,
  base: { version: 1, text: "One." },
  text: "One, mine.",
  doubts: [],
  aside: [],
  ...more,
});

test("nobody gets another person's entries or those of another section", async () => {
  const journal = await openJournal();
  await journal.write(entry());
  await journal.write(entry({ tab: "t2", at: 0 }));
  await journal.write(entry({ user: "edda", text: "Edda's." }));
  await journal.write(entry({ section: "s2" }));
  await journal.write(entry({ user: "ash" }));
  assert.deepEqual(
    (await journal.unsavedEntries("asha", "s1")).map(({ tab }) => tab),
    ["t2", "t1"],
  );
  assert.deepEqual(
    (await journal.unsavedEntries("edda", "s1")).map(({ text }) => text),
    ["Edda's."],
  );
  await journal.remove(entry());
  await journal.remove(entry({ tab: "t2" }));
  assert.deepEqual(await journal.unsavedEntries("asha", "s1"), []);
  assert.equal((await journal.unsavedEntries("ash", "s1")).length, 1);
});

test("a closed window's entry is claimed by one window only", async () => {
  const journal = await openJournal();
  await journal.write(entry({ user: "twice", tab: "old" }));
  const left = entry({ user: "twice", tab: "old" });
  const taken = await Promise.all(["a", "b", "c"].map((tab) => journal.claim(left, tab)));
  assert.equal(taken.filter(Boolean).length, 1);
  assert.deepEqual(
    (await journal.unsavedEntries("twice", "s1")).map(({ tab }) => tab),
    [taken.find(Boolean)!.tab],
  );
});

/** Create a writer for a journal that is slow and may be full. */
function keeping(journal: Partial<Journal>): {
  keeper: JournalWriter;
  wanted: { text: string | null };
  told: string[];
} {
  const wanted: { text: string | null } = { text: null };
  const changes: string[] = [];
  const aside: never[] = [];
  const keeper: JournalWriter = new JournalWriter(
    journal as Journal,
    { user: "u", section: "s", tab: "t" },
    () => (wanted.text === null ? null : { base: { version: 1, text: "" }, text: wanted.text, doubts: aside, aside }),
    () => changes.push(keeper.storage),
  );
  return { keeper, wanted, told: changes };
}

test("the newest text is written last, even when an older write takes longer", async () => {
  const done: string[] = [];
  const slow = (what: string) => new Promise<void>((resolve) => setTimeout(() => resolve(void done.push(what)), 20));
  const { keeper, wanted } = keeping({ write: ({ text }) => slow(text), remove: () => slow("-") });
  for (const text of ["a", "ab", "abc"]) {
    wanted.text = text;
    void keeper.writeNow();
  }
  await keeper.writeNow();
  assert.equal(done.at(-1), "abc");
  assert.ok(keeper.hasStored("abc") && !keeper.hasStored("ab"));
  wanted.text = null;
  await keeper.writeNow();
  assert.equal(done.at(-1), "-");
});

test("full storage is reported, and retried with the next change", async () => {
  let full = true;
  const { keeper, wanted, told } = keeping({
    write: () => (full ? Promise.reject(new DOMException("no room", "QuotaExceededError")) : Promise.resolve()),
    remove: () => Promise.resolve(),
  });
  wanted.text = "a";
  await keeper.writeNow();
  assert.ok(!keeper.hasStored("a"));
  [full, wanted.text] = [false, "ab"];
  await keeper.writeNow();
  assert.deepEqual(told, ["full", "all"]);
  assert.ok(keeper.hasStored("ab"));
});

test("missing storage is reported", () => {
  const keeper = new JournalWriter(
    null,
    { user: "u", section: "s", tab: "t" },
    () => null,
    () => undefined,
  );
  assert.equal(keeper.storage, "none");
});
