import assert from "node:assert/strict";
import { test } from "node:test";
import { citeCommand, locatorText, opensBraces, citeEdit, type Edit } from "./cite-command";
import { HANGS } from "../time-limits.test-data";

/** Apply an edit; a bar marks the caret in the result, bars in `text` mark the selection. */
function after(text: string, keys: string[], locator = ""): string {
  const start = text.indexOf("|");
  const last = text.lastIndexOf("|");
  const plain = text.replaceAll("|", "");
  const end = last > start ? last - 1 : start;
  return applied(plain, citeEdit(plain, start, end, keys, locator));
}

function applied(text: string, { start, end, text: added, caret }: Edit): string {
  const whole = text.slice(0, start) + added + text.slice(end);
  return `${whole.slice(0, caret)}|${whole.slice(caret)}`;
}

test("one work, several works, and a locator for the last of them", () => {
  assert.equal(citeCommand(["sterne2020"]), "\\cite{sterne2020}");
  assert.equal(citeCommand(["a", "b", "c"]), "\\cite{a,b,c}");
  assert.equal(citeCommand(["a", "b"], "14"), "\\cite[p.~14]{a,b}");
});

test("pages are recognised, other locators stay as typed", () => {
  assert.equal(locatorText(" 14 "), "p.~14");
  assert.equal(locatorText("14-16"), "pp.~14--16");
  assert.equal(locatorText("14 – 16"), "pp.~14--16");
  assert.equal(locatorText("chapter 3"), "chapter 3");
  assert.equal(locatorText("p. 3, see also [4]"), "{p. 3, see also [4]}");
  assert.equal(locatorText("50% of it"), "50\\% of it");
  assert.equal(locatorText("50\\% of it"), "50\\% of it");
  assert.equal(locatorText("} evil {"), "evil");
  assert.equal(locatorText("a\nb"), "a b");
  assert.equal(locatorText("end\\"), "end");
});

test("the command goes to the caret, and the selected text stays", () => {
  assert.equal(after("Deaths fell |.", ["sterne2020"]), "Deaths fell \\cite{sterne2020}|.");
  assert.equal(after("Deaths |fell|.", ["sterne2020"]), "Deaths fell\\cite{sterne2020}|.");
  assert.equal(after("|", ["a", "b"], "3"), "\\cite[p.~3]{a,b}|");
});

test("inside the braces of a cite command the key is added to the existing ones", () => {
  assert.equal(after("\\cite{|}", ["a"]), "\\cite{a}|");
  assert.equal(after("\\cite{|", ["a"]), "\\cite{a}|");
  assert.equal(after("\\cite{old|} on.", ["a", "b"]), "\\cite{old,a,b}| on.");
  assert.equal(after("\\cite{old,|}", ["a"]), "\\cite{old,a}|");
  assert.equal(after("\\citep{|old}", ["a"]), "\\citep{a,|old}");
  assert.equal(after("\\cite{one|,two}", ["a"]), "\\cite{one,a|,two}");
  assert.equal(after("\\cite[see][p.~3]{old|}", ["a"]), "\\cite[see][p.~3]{old,a}|");
  assert.equal(after("\\textcite*{|}", ["a"]), "\\textcite*{a}|");
});

test("a locator inside the braces becomes the command's option, or a new command if it has one", () => {
  assert.equal(after("\\cite{|}", ["a"], "14"), "\\cite[p.~14]{a}|");
  assert.equal(after("\\cite{|", ["a"], "14"), "\\cite[p.~14]{a}|");
  assert.equal(after("\\cite{old|}", ["a"], "14"), "\\cite[p.~14]{old,a}|");
  assert.equal(after("\\cite[p.~2]{old|} on", ["a"], "14"), "\\cite[p.~2]{old}\\cite[p.~14]{a}| on");
});

test("braces of other commands are not those of a cite command", () => {
  assert.equal(after("\\emph{|}", ["a"]), "\\emph{\\cite{a}|}");
  assert.equal(after("\\cite{x} and {|}", ["a"]), "\\cite{x} and {\\cite{a}|}");
});

test("only the typed brace of a cite command opens the dialog", () => {
  const typed = (text: string) => opensBraces(text, text.length);
  assert.ok(typed("as shown \\cite{"));
  assert.ok(typed("\\parencite[p.~3]{"));
  assert.ok(!typed("\\emph{"));
  assert.ok(!typed("\\cite{a"));
  assert.ok(!typed("% \\cite{"));
  assert.ok(typed("50\\% of \\cite{"));
});

test("a long text takes no longer than a short one", () => {
  const long = "\\cite[".repeat(50_000);
  const begun = performance.now();
  for (let n = 0; n < 50; n++) citeEdit(long, long.length, long.length, ["a"]);
  assert.ok(performance.now() - begun < HANGS);
});
