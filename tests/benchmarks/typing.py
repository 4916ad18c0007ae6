"""Typing in Chromium, in a chapter of 300 paragraphs and in one of 2,000 citations: how soon it can be typed in, and
what a key press costs (SPEC T2).

The chapter has what chapters have: two citations, a formula, a macro and a cross-reference in each paragraph,
a heading every thirty.
"""

from typing import Any

from playwright.sync_api import Page

from config.demo.install import EMAIL
from projects.models import Project, User
from tests.benchmarks.browser import in_chromium
from tests.benchmarks.figure import Figure

PARAGRAPHS, KEYS, LOADS = 300, 80, 3
CITATIONS = 2_000
OPEN, KEY, AMONG = 300.0, 16.0, 250.0  # ms
PARAGRAPH = (
    "{} trials randomised 1,703 patients \\cite{{sterne2020,horby2021}}, and by day 28\n"
    "fewer had died ($p = 0.0{}$) of \\emph{{those}} given a steroid than "
    "in \\gls{{ards}} care; the odds ratio was 0.66\n"
    "with an interval from 0.53 to 0.82~\\cite[p.~14]{{higgins2019}}, in all but one trial (Table~\\ref{{tab:all}})."
)
# When the page could be typed in, counted from when its HTML was read; and what the browser works on each key.
WATCH = """
  document.addEventListener("viewed", ({detail}) => {
    if (detail.view === "visual") window.viewedAt ??= performance.now();
  });
"""
OPENED = "window.viewedAt - performance.getEntriesByType('navigation')[0].domInteractive"
# From the key press to the end of the frame that shows it.
TIMED = """() => {
  window.keys = [];
  addEventListener("keydown", () => {
    const pressed = performance.now();
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => window.keys.push(performance.now() - pressed);
      channel.port2.postMessage(0);
    });
  }, {capture: true});
  window.edits = [];
  let begun = 0;
  addEventListener("beforeinput", () => (begun = performance.now()), {capture: true});
  document.addEventListener("edited", () => window.edits.push(performance.now() - begun));
}"""


def chapter() -> str:
    rows = [PARAGRAPH.format(number + 2, number % 9 + 1) for number in range(PARAGRAPHS)]
    return "\n\n".join(
        f"\\section{{Part {n // 30 + 1}}}\n\n{row}" if n % 30 == 0 else row for n, row in enumerate(rows)
    )


def cited() -> str:
    return "\n\n".join(f"Sentence {n} of the text \\cite{{author{n}}}, which goes on." for n in range(CITATIONS))


def measure(address: str) -> list[Figure]:
    user = User.objects.get(email=EMAIL)
    project = Project.objects.create_for(user, title="A long chapter")
    project.sections.get(slug="results").write(chapter(), based_on=0, by=user)
    project.sections.get(slug="discussion").write(cited(), based_on=0, by=user)
    with in_chromium(address) as page:
        page.add_init_script(WATCH)
        opened = sorted(open_chapter(page, f"/projects/{project.pk}/sections/results/") for _ in range(LOADS))
        keys, edits = type_in(page)
        open_chapter(page, f"/projects/{project.pk}/sections/discussion/")
        among, _ = type_in(page, CITATIONS // 2)
    project.delete()
    return [
        Figure(f"a key press among {CITATIONS:,} citations, shown (median)", among[len(among) // 2], "ms", AMONG),
        Figure(f"chapter of {PARAGRAPHS} paragraphs: editable after its HTML", opened[len(opened) // 2], "ms", OPEN),
        Figure("a key press in it, shown (median)", keys[len(keys) // 2], "ms", KEY),
        Figure("a key press in it, shown (slowest)", keys[-1], "ms", None, f"of {len(keys)}"),
        Figure("of it, from the letter to its LaTeX (median)", edits[len(edits) // 2], "ms", KEY),
    ]


def open_chapter(page: Page, path: str) -> float:
    """Milliseconds from the HTML being read until the page can be typed in."""
    page.goto(path)
    page.wait_for_selector("section-editor[view=visual]")
    page.wait_for_load_state("networkidle")
    took: float = page.evaluate(OPENED)
    return took


def type_in(page: Page, paragraph: int = PARAGRAPHS // 2) -> tuple[list[float], list[float]]:
    """Milliseconds of each key press in a paragraph, sorted: until it is shown, and until its LaTeX is known."""
    page.locator(".visual > p").nth(paragraph).click(position={"x": 5, "y": 5})
    page.evaluate(TIMED)
    for number in range(KEYS):
        page.keyboard.type("typed in the midst "[number % 19])
        page.wait_for_timeout(60)  # as a quick typist
    measured: Any = page.evaluate("[window.keys, window.edits]")
    return sorted(measured[0]), sorted(measured[1])
