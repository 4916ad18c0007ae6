// The walk through editor and manuscript in Firefox, as a student and her supervisor (tests/e2e/test_firefox.py).
// What it is to do comes as JSON on the standard input; what it did and what went wrong leaves as JSON.
import { readFileSync } from "node:fs";
import { walk } from "./firefox.mjs";

const asked = JSON.parse(readFileSync(0, "utf8"));
const { chapter, table, thesis, width } = asked;
const isPhone = width < 600;
const latexOf = () => document.querySelector("section-editor").latex;
const holds = (words) => document.querySelector("section-editor").latex.includes(words);

// Add a step here: who does it, what it is, and how. Its picture and its checks come with it.
const steps = [];
const by = (who) => (what, run) => steps.push({ who, what, run });
const [student, supervisor] = [by("student"), by("supervisor")];
let other; // a second window of the student

/** Wait until the server has the text of the window, and says so. */
async function saved(window) {
  const isThere = async (id) => {
    const stored = await (await fetch(`/api/sections/${id}`)).json();
    return stored.latex === document.querySelector("section-editor").latex;
  };
  await window.comesTrue(isThere, chapter.id);
  await window.see("#save", "Saved ");
}

async function openVisual(window) {
  await window.goto(chapter.path);
  await window.see("form[data-safe] #save", "aved");
  await window.comesTrue(() => document.querySelector("section-editor").view === "visual");
}

async function caretBehind(window, words) {
  await window.page.bringToFront(); // keys reach no window behind another
  await window.evaluate((quote) => document.querySelector("section-editor").show({ quote }), words);
  await window.comesTrue((words) => document.querySelector("section-editor").selected.text === words, words);
  await window.keyboard.press("ArrowRight");
}

async function openManuscript(window) {
  await window.goto(`${thesis}read/?section=${chapter.slug}`);
  await window.comesTrue(() => !document.querySelector(".chapter.waiting"));
  await window.comesTrue(inView, `#s-${chapter.slug} h2`);
}

const inView = (selector) => {
  const { top, bottom } = document.querySelector(selector).getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
};

student("writes words, which save themselves", async (window) => {
  await openVisual(window);
  await caretBehind(window, "fixes nitrogen");
  await window.type(" in Firefox");
  await window.comesTrue(holds, "fixes nitrogen in Firefox.");
  await saved(window);
});

student("makes bold words and a list by keyboard", async (window) => {
  await caretBehind(window, "of red alder.");
  await window.type(" It is ");
  await window.chord("Control", "b");
  await window.type("bold");
  await window.chord("Control", "b");
  await window.type(" indeed.");
  await window.keyboard.press("Enter");
  await window.type("- Ash");
  await window.keyboard.press("Enter");
  await window.type("Birch");
  await window.keyboard.press("Enter");
  await window.keyboard.press("Enter");
  await window.type("The end, see ");
  await window.comesTrue(holds, "It is \\textbf{bold} indeed.");
  await window.comesTrue(holds, "\\item Ash\n  \\item Birch\n\\end{itemize}\n\nThe end, see");
});

student("undoes and redoes", async (window) => {
  await saved(window);
  const before = await window.evaluate(latexOf);
  await window.press("Undo");
  await window.comesTrue((before) => document.querySelector("section-editor").latex !== before, before);
  await saved(window); // on a phone the buttons move when what is said about saving changes
  await window.press("Redo");
  await window.comesTrue((before) => document.querySelector("section-editor").latex === before, before);
  await window.chord("Control", "z");
  await window.comesTrue((before) => document.querySelector("section-editor").latex !== before, before);
  await window.chord("Control", "y");
  await window.comesTrue((before) => document.querySelector("section-editor").latex === before, before);
});

student("refers to a table of another chapter, in the source", async (window) => {
  await window.chord("Control", "/");
  await window.comesTrue(() => document.querySelector("section-editor").view === "source");
  await caretBehind(window, "The end, see");
  await window.type(` Table~\\ref{${table.label}}`);
  await window.comesTrue(holds, `\\ref{${table.label}}`);
});

student("comes back to the visual editor, which shows its number", async (window) => {
  await window.chord("Control", "/");
  await window.comesTrue(() => document.querySelector("section-editor").view === "visual");
  const number = await (await window.see(".visual [data-printed]")).evaluate((one) => one.textContent);
  if (!/^\d+\.1$/.test(number)) throw new Error(`The reference shows ${number}`);
});

student("adds a footnote", async (window) => {
  await caretBehind(window, "Alder");
  await window.press("Footnote");
  await window.see("[role=dialog] [contenteditable=true]");
  await window.type("Alnus, in Firefox.");
  await window.chord("Control", "Enter");
  await window.comesTrue(holds, "Alder\\footnote{Alnus, in Firefox.}");
  await saved(window);
});

student("previews the section", async (window) => {
  await window.chord("Control", "Alt", "p");
  await window.comesTrue(() => {
    const page = document.querySelector("#preview img");
    return page?.complete && page.naturalWidth > 600;
  });
  await window.comesTrue(() => {
    const { scrollWidth, clientWidth } = document.querySelector("[role=toolbar]");
    return innerWidth < 600 || scrollWidth <= clientWidth;
  });
});

student("decides a conflict of two windows", async (window, open) => {
  await window.press("Close preview");
  other = await open();
  await openVisual(other);
  await caretBehind(window, "in fourteen");
  await window.type(" or fifteen");
  await saved(window);
  await caretBehind(other, "plots of red");
  await other.type(" and black");
  await other.see("dialog#merge");
  return other;
});

student("keeps both texts of the conflict", async () => {
  await other.keyboard.press(" ");
  await other.keyboard.press("ArrowDown");
  await other.keyboard.press("ArrowDown");
  await other.press("Keep this");
  await saved(other);
  await other.comesTrue(holds, "or fifteen");
  await other.comesTrue(holds, "red and black alder");
  return other;
});

student("reads the manuscript, which is set", async (window) => {
  await other.page.close();
  await openManuscript(window);
  const found = await window.evaluate(() => {
    const place = document.querySelector("#manuscript");
    const maths = [...place.querySelectorAll("math")].map((one) => one.getBoundingClientRect());
    const [top, bottom] = [...place.querySelectorAll("mfrac > *")].map((one) => one.getBoundingClientRect());
    return {
      code: /\\[a-zA-Z]+|\\begin|[{}]/.exec(place.innerText)?.[0] ?? "",
      empty: maths.filter(({ width, height }) => !width || !height).length,
      isStacked: top.bottom <= bottom.top + 1,
    };
  });
  if (found.code || found.empty || !found.isStacked) throw new Error(`Not set: ${JSON.stringify(found)}`);
});

student("goes to a footnote", async (window) => {
  await window.click(`#s-${chapter.slug} sup.note a`);
  await window.comesTrue(() => location.hash.length > 1);
  await window.comesTrue(inView, ":target");
});

student("comes back from the footnote", async (window) => {
  await window.click(":target > a, :target > p > a");
  await window.comesTrue(inView, ":target");
  await window.comesTrue(() => document.querySelector(":target").matches("sup.note a"));
});

student("follows the reference to the table", async (window) => {
  await window.click(`#s-${chapter.slug} p a[href^="#"]`, ".1");
  await window.comesTrue(inView, `#s-${table.slug} table`);
});

student("taps a citation", async (window) => {
  await window.click("#manuscript a.cite");
  await window.see("#card a", "Open the reference");
});

student("opens the outline", async (window) => {
  await window.keyboard.press("Escape");
  if (isPhone) await window.press("Outline");
  await window.see(`#at-${chapter.slug} a`);
  return window;
});

student("goes to a heading by the outline", async (window) => {
  await window.click(`#at-${chapter.slug} a`, "Trees");
  if (isPhone) await window.comesTrue(() => !document.querySelector("#contents").matches(":popover-open"));
  await window.comesTrue(inView, `#s-${chapter.slug} h3, #s-${chapter.slug} h2`);
});

supervisor("selects words of the manuscript", async (window) => {
  await openManuscript(window);
  await window.comesTrue(() => document.querySelector("[data-comments]")?.hidden === false);
  await window.drag(`#s-${chapter.slug}`, "fixes nitrogen");
  await window.see("[data-chosen] button", "Comment");
});

supervisor("comments on them", async (window) => {
  await window.click("[data-chosen] button", "Comment");
  await window.see("#new-comment .quote", "fixes nitrogen");
  await window.type("How much?");
  await window.click("#new-comment button", "Comment");
  await window.see(".thread", "How much?");
  await window.comesTrue(() =>
    [...(CSS.highlights.get("commented") ?? [])].some((one) => String(one).includes("fixes nitrogen")),
  );
});

student("answers the comment", async (window) => {
  await openVisual(window);
  await window.click("#beside-tab-comments");
  await window.click(".thread summary", "Reply");
  await window.click(".thread textarea");
  await window.type("Much.");
  await window.click(".thread form button", "Reply");
  await window.see(".thread .reply", "Much.");
});

supervisor("reads the answer", async (window) => {
  await openManuscript(window);
  if (isPhone) await window.press("Comments");
  await window.see(".thread .reply", "Much.");
});

process.stdout.write(JSON.stringify(await walk(asked, steps)));
