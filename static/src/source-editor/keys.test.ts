import assert from "node:assert/strict";
import { test } from "node:test";
import { headline, faultsOf } from "./banner";
import { keyBefore, keyEdit } from "./keys";

test("the search is the text in the braces since the last comma", () => {
  assert.equal(keyBefore("as \\cite{"), "");
  assert.equal(keyBefore("as \\cite{ster"), "ster");
  assert.equal(keyBefore("\\parencite[see][p.~3]{a, sterne cortico"), "sterne cortico");
  assert.equal(keyBefore("\\textcite*{a,"), "");
  assert.equal(keyBefore("\\emph{ster"), null);
  assert.equal(keyBefore("\\cite{a} and {ster"), null);
  assert.equal(keyBefore("% \\cite{ster"), null);
  assert.equal(keyBefore("50\\% \\cite{ster"), "ster");
  assert.equal(keyBefore("plain"), null);
});

/** Return the text after choosing `keys`, with a bar at the caret. */
function after(text: string, keys: string[]): string {
  const at = text.indexOf("|");
  const [before, rest] = [text.slice(0, at), text.slice(at + 1)];
  const edit = keyEdit(keyBefore(before) ?? "", keys, rest);
  const from = at - edit.back;
  const whole = before.slice(0, from) + edit.text + rest;
  return `${whole.slice(0, from + edit.caret)}|${whole.slice(from + edit.caret)}`;
}

test("a key replaces the typed text, and open braces are closed", () => {
  assert.equal(after("\\cite{ster|", ["sterne2020"]), "\\cite{sterne2020}|");
  assert.equal(after("\\cite{ster|} on", ["sterne2020"]), "\\cite{sterne2020}| on");
  assert.equal(after("\\cite{a, ster|} on", ["sterne2020"]), "\\cite{a, sterne2020}| on");
  assert.equal(after("\\cite{st|b} on", ["sterne2020"]), "\\cite{sterne2020,|b} on");
  assert.equal(after("\\cite{|,b}", ["a"]), "\\cite{a|,b}");
  assert.equal(after("\\cite{| \n\\emph{b}", ["a"]), "\\cite{a}| \n\\emph{b}");
});

test("unmatched environments are reported with their lines", () => {
  const faults = faultsOf("one\n\\begin{itemize}\n\\item a\n");
  assert.equal(faults.length, 1);
  assert.equal(faults[0]!.line, 2);
  assert.match(headline(1), /Your text is safe/);
  assert.match(headline(3), /3 unmatched braces/);
  assert.deepEqual(faultsOf("\\begin{itemize}\\item a\\end{itemize}"), []);
});
