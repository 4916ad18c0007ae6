"""The list of 2,000 references in Chromium: the longest task of the browser while somebody opens, filters, ticks and
looks them up, and how soon the palette (Ctrl+K) shows its places there (SPEC C9)."""

from collections.abc import Callable
from functools import partial
from statistics import median

from playwright.sync_api import Page

from config.demo.install import EMAIL
from projects.models import User
from tests.benchmarks.browser import in_chromium
from tests.benchmarks.cite import REFERENCES, large
from tests.benchmarks.figure import Figure
from tests.benchmarks.reading import WATCH

TASK, TIMES = 50.0, 3  # ms; goes, of which the median counts
QUIET = 1_500  # ms after which nothing more comes
SETTLED = """
  window.settled = 0;
  document.addEventListener("htmx:afterSettle", ({target}) => { if (target.id === "rows") window.settled++; });
"""
# From the key to the frame with the palette's places
PALETTE = """() => {
  window.opened = [];
  const found = document.querySelector("#palette-found");
  let pressed = 0;
  addEventListener("keydown", (event) => { if (event.key === "k") pressed = performance.now(); }, {capture: true});
  new MutationObserver(() => {
    if (pressed && found.querySelector("[role=option]"))
      requestAnimationFrame(() => {
        if (pressed) window.opened.push(performance.now() - pressed);
        pressed = 0;
      });
  }).observe(found, {childList: true});
}"""


def measure(address: str) -> list[Figure]:
    user = User.objects.get(email=EMAIL)
    project = large(user)
    with in_chromium(address) as page:
        page.add_init_script(WATCH)
        started = _longest(page, lambda: page.goto("/"))
        opened = [_longest(page, lambda: page.goto(f"/projects/{project.pk}/citations/")) for _ in range(1 + TIMES)]
        page.evaluate(SETTLED)
        filtered = [max(_longest(page, partial(_settle, page, step)) for step in _FILTERS) for _ in opened]
        palette = _palette(page)
        ticked = _longest(page, lambda: _tick(page))
        checked = _longest(page, lambda: _look_up(page))
        page.locator("#check").get_by_role("button", name="Stop").click()
        page.locator("#check-act", has_text="Stop").wait_for(state="detached")
    project.delete()
    return [
        Figure("home page, the first in a browser just started: longest task", started, "ms"),
        Figure(f"list of {REFERENCES:,} references, from there: longest task", opened[0], "ms", TASK),
        Figure("the same, opened again", median(opened[1:]), "ms", TASK, f"median of {TIMES}"),
        Figure(
            "the same, filtered and sorted in five steps", median(filtered), "ms", TASK, f"median of {len(filtered)}"
        ),
        Figure("the same, all ticked", ticked, "ms", TASK),
        Figure("the same, all looked up, until the page shows it", checked, "ms", TASK),
        Figure("palette there, from the key to its list", median(palette), "ms", TASK, f"median of {TIMES}"),
    ]


def _longest(page: Page, act: Callable[[], object]) -> float:
    """Return the longest task from here until the page has been quiet for a while; 0 where none takes 50 ms."""
    page.evaluate("window.tasks?.splice(0)")
    act()
    page.wait_for_load_state("load")
    page.wait_for_timeout(QUIET)
    longest: float = page.evaluate("Math.max(0, ...tasks)")
    return longest


def _settle(page: Page, step: Callable[[Page], object]) -> None:
    """Take a step and wait until its rows are there."""
    before = page.evaluate("window.settled")
    step(page)
    page.wait_for_function("before => window.settled > before", arg=before)


_FILTERS: list[Callable[[Page], object]] = [
    lambda page: page.fill("#q", "alder"),
    lambda page: page.fill("#q", "part 19"),
    lambda page: page.fill("#q", ""),
    lambda page: page.select_option("#sort", "key"),
    lambda page: page.select_option("#sort", ""),
]


def _look_up(page: Page) -> None:
    with page.expect_navigation(wait_until="load"):
        page.locator(".bulk-bar").get_by_role("button", name="Look up", exact=True).click()


def _tick(page: Page) -> None:
    page.locator("[data-tick-all]").click()
    page.locator("[data-tick-beyond]").click()


def _palette(page: Page) -> list[float]:
    page.evaluate(PALETTE)
    for number in range(1 + TIMES):
        page.keyboard.press("ControlOrMeta+k")
        page.wait_for_function("number => window.opened.length > number", arg=number)
        page.keyboard.press("Escape")
        page.wait_for_timeout(100)
        page.evaluate("document.querySelector('#palette-found').replaceChildren()")
    measured: list[float] = page.evaluate("window.opened")
    return measured[1:]
