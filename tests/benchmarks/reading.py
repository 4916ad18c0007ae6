"""Reading a thesis of 120 pages in Chromium, its comments, and finding and replacing words in it (SPEC G1, T2)."""

import re
from functools import partial
from statistics import median
from typing import Any

import httpx
from playwright.sync_api import Page

from config.demo.install import EMAIL
from projects.models import Project, User
from sections.models import Comment, Section
from tests.benchmarks.browser import in_chromium, over_http
from tests.benchmarks.figure import Figure, seconds, typical
from tests.benchmarks.printing import made_thesis

COMMENTS, WORDS, TIMES = 2_000, 5_000, 3
STEP, PAUSE = 700, 40  # pixels of a turn of the wheel, ms between two
WATCH = """
  window.tasks = [];
  new PerformanceObserver(list => tasks.push(...list.getEntries().map(({duration}) => duration)))
    .observe({type: "longtask", buffered: true});
"""
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
AT_END = """() => {
  const box = document.querySelector('[data-reading]');
  return box.scrollTop + box.clientHeight >= box.scrollHeight - 5 && !document.querySelector('.chapter.waiting');
}"""


def measure(address: str) -> list[Figure]:
    user = User.objects.get(email=EMAIL)
    project = made_thesis(user)
    cases = Project.objects.create_for(user, title="One long paragraph")
    cases.sections.get(slug="results").write("mild cases, ".join(["Of many "] * WORDS), based_on=0, by=user)
    with over_http(address) as client:
        figures = [*_comments(client, project), *_find(client, project)]
    with in_chromium(address) as page:
        figures += [*_read(page, project), *_replace(page, cases)]
    with over_http(address) as client:
        figures += _after_an_edit(client, project)
    project.delete()
    cases.delete()
    return figures


def _read(page: Page, project: Project) -> list[Figure]:
    """From the click to the first screen, and what the browser works while somebody scrolls to the end at once."""
    page.add_init_script(WATCH)
    painted, while_scrolling = [], []
    for _ in range(1 + TIMES):
        page.goto(f"/projects/{project.pk}/read/", wait_until="commit")
        page.wait_for_selector(".chapter p")
        page.wait_for_function(f"{PAINTED} > 0")
        painted.append(float(page.evaluate(PAINTED)))
        page.mouse.move(600, 400)
        page.evaluate("tasks.length = 0")
        while not page.evaluate(AT_END):
            page.mouse.wheel(0, STEP)
            page.wait_for_timeout(PAUSE)
        while_scrolling.append(float(page.evaluate("Math.max(0, ...tasks)")))
    return [
        Figure("manuscript of 120 pages: first screen, nothing rendered before", painted[0], "ms", 500),
        Figure("the same, rendered before", median(painted[1:]), "ms", 500, f"median of {TIMES}"),
        Figure("longest task while scrolling as it loads, first time", while_scrolling[0], "ms", 50),
        Figure("the same, rendered before", median(while_scrolling[1:]), "ms", 50, f"median of {TIMES}"),
    ]


def _comments(client: httpx.Client, project: Project) -> list[Figure]:
    section: Section = project.sections.order_by("number")[0]
    step = len(section.latex) // COMMENTS
    rows = [
        Comment(
            section=section,
            author=project.owner,
            body=f"Comment {number}",
            quote=section.latex[number * step : number * step + 30],
            start=number * step,
            version=section.version,
        )
        for number in range(COMMENTS)
    ]
    Comment.objects.bulk_create(rows)
    path = f"/projects/{project.pk}/sections/{section.slug}/comments/"
    took = typical(lambda: client.get(path).raise_for_status(), TIMES)
    return [Figure(f"{COMMENTS:,} comments in a section, response", took * 1000, "ms", 300, f"median of {TIMES}")]


def _after_an_edit(client: httpx.Client, project: Project) -> list[Figure]:
    """A chapter of 20 pages, read again after a sentence was added to it."""
    section: Section = project.sections.order_by("number")[2]
    took = []
    for number in range(TIMES):
        section.write(f"{section.latex}\n\nOne sentence more, {number}.", based_on=section.version, by=project.owner)
        section.refresh_from_db()
        path = f"/projects/{project.pk}/read/{section.slug}/"
        took.append(seconds(partial(client.get, path, headers={"HX-Request": "true"})))
    return [
        Figure("manuscript: a chapter of 20 pages after an edit", median(took) * 1000, "ms", 300, f"median of {TIMES}")
    ]


def _find(client: httpx.Client, project: Project) -> list[Figure]:
    path = f"/projects/{project.pk}/find/"
    took = typical(lambda: client.get(path, params={"words": "mortality"}).raise_for_status(), TIMES)
    page = client.get(path, params={"words": "mortality"})
    form = {"words": "mortality", "new": "deaths", "csrfmiddlewaretoken": client.cookies["csrftoken"], "listed": "0"}
    seen = re.findall(r'name="seen" value="([^"]+)"', page.text)
    sent = client.build_request(
        "POST", f"{path}replace/", data=form | {"seen": seen}, headers={"Referer": f"{page.url}"}
    )
    replaced = seconds(lambda: client.send(sent))
    assert "deaths" in project.sections.order_by("number")[0].latex
    return [
        Figure("a word found in the whole thesis", took * 1000, "ms", 500, f"median of {TIMES}"),
        Figure("it replaced everywhere, as one change", replaced * 1000, "ms", 1000),
    ]


def _replace(page: Page, project: Project) -> list[Figure]:
    """All of a word in one paragraph of the visual editor, until it is replaced in the LaTeX too."""
    page.goto(f"/projects/{project.pk}/sections/results/")
    page.wait_for_selector("section-editor[view=visual]")
    page.wait_for_load_state("networkidle")
    page.locator(".visual").click()
    page.keyboard.press("ControlOrMeta+H")
    page.get_by_role("textbox", name="Find", exact=True).fill("mild")
    page.get_by_role("textbox", name="Replace with").fill("severe")
    page.wait_for_function("/of/.test(document.querySelector('[data-find=count]').textContent)")
    page.evaluate(
        "window.begun = performance.now();"
        "document.addEventListener('edited', () => (window.replacedAfter = performance.now() - begun), {once: true})"
    )
    page.get_by_role("button", name="Replace all").click()
    page.wait_for_function("window.replacedAfter > 0", timeout=120_000)
    took: Any = page.evaluate("replacedAfter")
    assert page.evaluate("document.querySelector('section-editor').latex.split('severe').length") == WORDS
    return [Figure(f"{WORDS - 1:,} words replaced in one paragraph of the visual editor", took, "ms", 1000)]
