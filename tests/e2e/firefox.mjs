// Windows of Debian's Firefox for the walk of test_firefox.py, over WebDriver BiDi.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { launch } from "puppeteer-core";

const PATIENCE = 60_000; // ms for what a page or a worker has to do on a busy machine
const GRAVE = ["serious", "critical"];
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** Wait until `find` returns something, and return it. */
async function until(find, what) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await pause(100)) {
    const found = await find();
    if (found) return found;
  }
  throw new Error(`Waited in vain for ${what}`);
}

/** Start Firefox with a profile of its own, which says what a headless one lacks: a scheme, a mouse or a finger. */
function startFirefox({ firefox, dark, width }) {
  const pointer = width < 600 ? 1 : 6; // coarse; or fine and hovering
  return launch({
    browser: "firefox",
    executablePath: firefox,
    headless: true,
    protocolTimeout: 3 * PATIENCE,
    extraPrefsFirefox: {
      "layout.css.prefers-color-scheme.content-override": dark ? 0 : 1,
      "ui.primaryPointerCapabilities": pointer,
      "ui.allPointerCapabilities": pointer,
      "ui.useOverlayScrollbars": width < 600 ? 1 : 0,
    },
  });
}

/** One window of one person, who uses what stands there: `press("Save")`, `see(".thread", "Which?")`. */
class Window {
  static async open(context, { address, width, height, axe }, trouble) {
    const page = await context.newPage();
    await page.setViewport({ width, height });
    page.on("pageerror", (error) => trouble.push(`${error.message} (${page.url()})`));
    page.on("console", (said) => said.type() === "error" && trouble.push(`${said.text()} (${page.url()})`));
    page.on("response", (answer) => answer.status() >= 400 && trouble.push(`${answer.status()} ${answer.url()}`));
    await page.evaluateOnNewDocument(() =>
      addEventListener("securitypolicyviolation", (event) =>
        console.error(`Content Security Policy: ${event.violatedDirective} ${event.blockedURI}`),
      ),
    );
    return new Window(page, address, axe);
  }

  constructor(page, address, axe) {
    Object.assign(this, { page, keyboard: page.keyboard, address, axe });
  }

  goto(path) {
    return this.page.goto(this.address + path);
  }

  evaluate(...expression) {
    return this.page.evaluate(...expression);
  }

  /** Wait until `condition` is true on the page, which the browser may leave meanwhile. */
  comesTrue(condition, ...given) {
    return until(() => this.evaluate(condition, ...given).catch(() => false), `${condition} ${given}`);
  }

  /** Return what is shown at `selector` and says `words`. */
  async see(selector, words = "") {
    const find = (selector, words) =>
      [...document.querySelectorAll(selector)].find(
        (one) => one.checkVisibility({ visibilityProperty: true }) && one.textContent.includes(words),
      ) ?? null;
    const found = async () => (await this.page.evaluateHandle(find, selector, words).catch(() => null))?.asElement();
    return until(found, `${selector} with “${words}” in ${this.page.url()}`);
  }

  async click(selector, words) {
    const one = await this.see(selector, words);
    // Chapters get their height as they come into sight, which moves what is in them
    await one.evaluate(async (it) => {
      for (let before = NaN, top; before !== (top = it.getBoundingClientRect().top); before = top) {
        it.scrollIntoView({ block: "center" });
        for (let frames = 0; frames < 5; frames++) await new Promise(requestAnimationFrame);
      }
    });
    await one.click();
  }

  /** Click the button, link or tab that is announced as `name`. */
  async press(name, role = "button") {
    const shown = async () => {
      for (const one of await this.page.$$(`::-p-aria([name="${name}"][role="${role}"])`).catch(() => []))
        if (await one.isVisible()) return one;
      return null;
    };
    await (await until(shown, `the ${role} “${name}” in ${this.page.url()}`)).click();
  }

  /** Follow what leads to another page. */
  async follow(name, role = "link") {
    await Promise.all([this.page.waitForNavigation(), this.press(name, role)]);
  }

  type(words) {
    return this.keyboard.type(words);
  }

  /** Press keys together: `chord("Control", "b")`. */
  async chord(...keys) {
    for (const key of keys) await this.keyboard.down(key);
    for (const key of keys.reverse()) await this.keyboard.up(key);
  }

  /** Select `words` inside `selector` with the mouse. */
  async drag(selector, words) {
    const measure = () =>
      this.evaluate(
        (selector, words) => {
          const texts = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT);
          while (texts.nextNode() && !texts.currentNode.data.includes(words));
          const at = texts.currentNode.data.indexOf(words);
          const range = document.createRange();
          range.setStart(texts.currentNode, at);
          range.setEnd(texts.currentNode, at + words.length);
          texts.currentNode.parentElement.scrollIntoView({ block: "center" });
          const boxes = [...range.getClientRects()];
          const [first, last] = [boxes[0], boxes.at(-1)];
          return [first.left, first.top + first.height / 2, last.right, last.top + last.height / 2];
        },
        selector,
        words,
      );
    const { mouse } = this.page;
    const drag = async () => {
      const [left, top, right, bottom] = await measure(); // which moves as long as chapters get their height
      await mouse.move(left + 1, top);
      await mouse.down();
      await mouse.move(right, bottom, { steps: 4 });
      await mouse.up();
      return (await this.evaluate(() => String(getSelection()))).includes(words);
    };
    await until(drag, `${words} to be selected`);
  }

  /** What nobody may see on a page: axe's serious findings, and a page that scrolls sideways. */
  async faults() {
    if (!(await this.evaluate(() => "axe" in window))) await this.evaluate(readFileSync(this.axe, "utf8"));
    return this.evaluate(async (grave) => {
      for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish();
      const { violations } = await axe.run(document, { preload: false, resultTypes: ["violations"] });
      const wide = [...document.querySelectorAll("html, .rail, .scroll, dialog")].filter(
        (one) => one.checkVisibility() && one.scrollWidth > one.clientWidth,
      );
      return [
        ...violations
          .filter(({ impact }) => grave.includes(impact))
          .flatMap(({ id, nodes }) => nodes.map((node) => `${id} at ${node.target.join(" ")}`)),
        ...wide.map(
          (one) => `${one.tagName}.${one.className} scrolls sideways by ${one.scrollWidth - one.clientWidth} px`,
        ),
      ];
    }, GRAVE);
  }
}

/** Walk the steps one by one, each in the window of its person; return what was done, in ms, and what went wrong. */
export async function walk(asked, steps) {
  const [trouble, done, contexts, windows] = [[], [], {}, {}];
  const browser = await startFirefox(asked);
  const open = (who) => Window.open(contexts[who], asked, trouble);
  const picture = async (name, pages) => {
    for (const [number, page] of asked.pictures ? pages.entries() : [])
      await page.screenshot({ path: join(asked.pictures, `${name}${number ? ` (${number})` : ""}.png`) });
  };
  try {
    for (const who of ["student", "supervisor"]) {
      contexts[who] = await browser.createBrowserContext();
      await contexts[who].setCookie(...asked[who]);
      windows[who] = await open(who);
    }
    for (const [index, { who, what, run }] of steps.entries()) {
      const name = `${String(index + 1).padStart(2, "0")} ${who} ${what}`;
      const began = Date.now();
      await windows[who].page.bringToFront();
      try {
        const seen = (await run(windows[who], () => open(who))) ?? windows[who]; // a step may end in another window
        await picture(name, [seen.page]);
        trouble.push(...(await seen.faults()).map((fault) => `${name}: ${fault}`));
      } catch (error) {
        await picture(`${name}, failed`, await contexts[who].pages());
        throw new Error([`${name}: ${error.message}`, ...trouble].join("\n"), { cause: error });
      }
      done.push([name, Date.now() - began]);
    }
  } finally {
    await browser.close();
  }
  return { done, trouble };
}
