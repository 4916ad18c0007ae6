import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { lineFromAddress, offsetFromAddress, wordsAt, startOfLine } from "./line-position";

test("a line starts after its indentation, with any line endings", () => {
  assert.equal(startOfLine("one\n  two\nthree", 1), 0);
  assert.equal(startOfLine("one\n  two\nthree", 2), 6);
  assert.equal(startOfLine("one\r\ntwo\rthree", 3), 9);
  assert.equal(startOfLine("one\n\nthree", 2), 4); // the start of an empty line, not of the next one
  assert.equal(startOfLine("one\ntwo", 99), 4);
  assert.equal(startOfLine("", 5), 0);
});

test("each line of a text is found", () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-zé ]{0,6}$/), { minLength: 1 }),
      fc.constantFrom("\n", "\r\n", "\r"),
      (lines, ending) => {
        const text = lines.join(ending);
        let at = 0;
        lines.forEach((line, index) => {
          const found = startOfLine(text, index + 1);
          assert.ok(found >= at && found <= at + line.length);
          assert.equal(text.slice(found).startsWith(line.trimStart()), true);
          at += line.length + ending.length;
        });
      },
    ),
  );
});

test("the line is read from the address, if it is there", () => {
  assert.equal(lineFromAddress("?line=118"), 118);
  assert.equal(lineFromAddress("?beside=draft&line=3"), 3);
  for (const none of ["", "?line=", "?line=0", "?line=-1", "?line=1e3", "?line=99999999"])
    assert.equal(lineFromAddress(none), null);
});

test("the place in the address, and the words at it", () => {
  assert.equal(offsetFromAddress("?at=118"), 118);
  assert.equal(offsetFromAddress("?at=0"), 0);
  for (const query of ["", "?at=", "?at=-1", "?at=1e3", "?at=12345678901"])
    assert.equal(offsetFromAddress(query), null);
  const text = "In \\emph{fourteen} plots of alder~\\cite{a}.";
  assert.deepEqual(wordsAt(text, text.indexOf("plots")), {
    quote: "plots of alder",
    before: "In \\emph{fourteen} ",
    after: "~\\cite{a}.",
  });
  assert.equal(wordsAt(text, 3), 3);
  assert.equal(wordsAt(text, 900), 900);
});
