"""Flow 22: from a file of data to a sentence, a table and a figure in the PDF, with real R (SPEC N1 to N4)."""

import csv
import math
import random
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from io import StringIO
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pypdfium2 import PdfDocument

from analysis.r_client import local_service
from tests.e2e.axe import serious
from tests.e2e.conftest import PATIENT, OpenWindow, Server, serving, signed_in_at
from tests.e2e.editor_pages import desk

pytestmark = [
    pytest.mark.r,
    pytest.mark.skipif(not local_service.is_r_installed(), reason="R is not installed: docker/setup test adds it"),
]
HEADER = (
    "id", "group", "age", "sex", "bmi", "diabetes", "apache2", "crp", "ventilated", "los_days", "time_days", "died",
    "fièvre_°C", "data_origin",
)  # fmt: skip
QUESTION = "How long until death, in the two groups?"


def cohort(patients: int = 120) -> bytes:
    """An invented cohort of intensive care: numbers, kinds, a yes or no, times, a name beyond ASCII, missing cells."""
    chance = random.Random(20200902)
    out = StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(HEADER)
    for number in range(1, patients + 1):
        steroid = number % 2
        apache = round(chance.gauss(17, 5))
        dies = math.ceil(chance.expovariate(0.02 * math.exp(0.06 * (apache - 17) - 0.5 * steroid)))
        time = min(dies, 28)
        cells = [
            f"S{number:03d}", "steroid" if steroid else "control", round(chance.gauss(62, 12)),
            chance.choice(["male", "female"]),
            f"{chance.gauss(29, 5):.1f}", chance.choice(["yes", "no"]), apache, round(math.exp(chance.gauss(4.7, 0.5))),
            chance.choice(["yes", "no"]), time + 3, time, int(dies <= 28), f"{chance.gauss(38, 0.7):.1f}", "invented",
        ]  # fmt: skip
        if number % 30 == 0:
            cells[4] = cells[7] = ""
        rows.writerow(cells)
    return out.getvalue().encode()


@pytest.fixture(scope="module")
def computing(tmp_path_factory: pytest.TempPathFactory, static: Any) -> Iterator[Server]:
    """A Scholium with an R of its own."""
    folder = tmp_path_factory.mktemp("computing")
    with (
        local_service.start(log=folder / "r.log") as r,
        serving(folder, static, R_PLUMBER_URLS=",".join(r.urls), R_PLUMBER_TOKEN=r.token) as running,
    ):
        yield running


@pytest.fixture
def server(computing: Server) -> Server:
    return computing


@pytest.fixture(scope="module")
def signed_in(browser: Browser, computing: Server) -> Any:
    return signed_in_at(browser, computing)


def upload_cohort(page: Page, project: str) -> None:
    """Upload the cohort and confirm what its columns mean."""
    page.goto(f"/projects/{project}/data/add/")
    page.get_by_label("Drop a file here").set_input_files(
        {"name": "cohort.csv", "mimeType": "text/csv", "buffer": cohort()}
    )
    page.get_by_role("button", name="Upload").click()
    confirm = page.get_by_role("button", name=re.compile("^Confirm"))
    expect(confirm).to_be_visible(timeout=PATIENT)
    expect(page.get_by_label("Type of group")).to_have_value("groups")
    page.get_by_label("Type of apache2").select_option(label="Steps of a scale, as numbers")
    confirm.click()
    expect(page.get_by_role("link", name="New analysis").first).to_be_visible()


def ask(page: Page, project: str) -> None:
    """Answer the wizard, up to the advice."""
    page.goto(f"/projects/{project}/analyses/new/")
    page.get_by_label("Your question, in your own words").fill(QUESTION)
    page.keyboard.press("Tab")
    expect(page.get_by_role("radio", name=re.compile("How long until it happens"))).to_be_checked()
    page.get_by_label("Time in the study").select_option(label="time_days")
    expect(page.locator("#variables .wrong")).to_have_text("Whether it happened is missing.")
    page.get_by_label("Whether it happened").select_option(label="died")
    expect(page.locator("#advice")).to_contain_text(
        "A Kaplan-Meier curve shows the share of people still without the event over time."
    )
    by = page.get_by_role("checkbox", name="group", exact=True)
    by.press("Space")
    expect(by).to_be_focused()  # the keyboard goes on where it was
    expect(page.locator("#advice")).to_contain_text(
        "A Kaplan-Meier curve for each group of “group”, with the log-rank test"
    )
    expect(page.locator("#advice")).to_contain_text("To account for other variables as well: Cox regression.")


@pytest.mark.long
def test_from_a_file_to_the_pdf(open_window: OpenWindow, signed_in: Any) -> None:
    made = desk(open_window, signed_in, "Of 120 patients, all were followed.\n")
    page = made.page
    upload_cohort(page, made.project)
    ask(page, made.project)

    # Another answer on a variable changes the advice, and back
    level = page.get_by_label("group is")
    level.select_option("numeric")
    expect(page.locator("#advice h3").first).to_have_text("Cox regression")
    page.get_by_label("group is").select_option("nominal")
    expect(page.locator("#advice h3").first).to_have_text("Kaplan-Meier survival")
    page.get_by_label("Times at which").fill("14 28")
    page.get_by_label("group is").select_option("ordinal")
    expect(page.locator("#variables")).to_contain_text("Chosen here, for this question.")
    expect(page.get_by_label("Times at which")).to_have_value(
        "14 28"
    )  # typed, and not touched by what was answered since
    page.wait_for_load_state("networkidle")
    assert serious(page) == []

    # The result: a sentence, a figure, what was checked, the script
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url(re.compile(r"/analyses/[0-9a-f-]{36}/$"))
    sentence = page.locator("blockquote.sentence p").first
    expect(sentence).to_contain_text("log-rank", ignore_case=True, timeout=PATIENT)
    said = sentence.inner_text()
    expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()
    figure = page.locator("figure img").first
    figure.scroll_into_view_if_needed()
    page.wait_for_function("image => image.complete && image.naturalWidth > 100", arg=figure.element_handle())
    assert serious(page) == []
    wide = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    plate = page.locator("figure .plate").first
    assert plate.evaluate("plate => plate.scrollWidth <= plate.clientWidth")  # the chart is as wide as the phone
    large = page.locator("figure .plate a").first.get_attribute("href")
    assert large
    expect(page.request.get(large)).to_be_ok()  # a tap opens it on its own
    if wide:
        page.set_viewport_size(wide)

    # Into Results, as a proposal that is taken
    page.get_by_role("link", name=re.compile("^Insert into a section")).click()
    page.get_by_label("Section").select_option(value=made.path.rstrip("/").rpartition("/")[2])
    for box in page.get_by_role("group", name="Parts of the result").get_by_role("checkbox").all():
        box.check()
    expect(page.locator("#coming").get_by_label("LaTeX")).to_contain_text(r"\includegraphics")
    page.get_by_role("button", name="Insert as a proposal").click()
    page.wait_for_url("**?beside=draft")
    proposal = page.locator("draft-proposal").first
    assert "includegraphics" not in made.stored()
    proposal.get_by_role("button", name=re.compile("^Accept( all)?$")).click()
    expect(page.locator("#save")).to_contain_text("Saved ")
    latex = made.stored()
    assert "Of 120 patients" in latex
    assert r"\includegraphics" in latex
    assert r"\toprule" in latex

    if shutil.which("latexmk"):
        printed = built(page, made.project)
        assert squeezed("Of 120 patients, all were followed.") in printed
        assert squeezed(said)[:60] in printed


def built(page: Page, project: str) -> str:
    """The text of the PDF without blanks, hyphens and maths signs, which TeX sets its own way."""
    page.goto(f"/projects/{project}/build/")
    expect(page.get_by_role("heading", name="Before you hand it in")).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#built")).to_contain_text("The PDF is ready.", timeout=PATIENT)
    address = page.locator("aside").get_by_role("link", name="Download").first.get_attribute("href") or ""
    data = page.context.request.get(address).body()
    with closing(PdfDocument(data)) as pdf:
        return squeezed(" ".join(one.get_textpage().get_text_bounded() for one in pdf))


def squeezed(text: str) -> str:
    return re.sub(r"[\W_]", "", text)
