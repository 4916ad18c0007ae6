"""Citing in the section editor: chips on the page (visual view), the list at the caret, the source (SPEC C8, T2)."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.cite_pages import (
    BOX,
    KEY,
    RETRACTED,
    Desk,
    cite,
    expect_text,
    inserted,
    panel,
    paste,
    project_of,
    saved,
    serious,
    text,
)
from tests.e2e.cite_windows import LIST, PAGE, SELECTED, SOURCE, add, add_many, chips, desk, source, window, write
from tests.e2e.conftest import PATIENT

__all__ = ["desk", "source", "window"]


def test_a_pasted_doi_is_a_chip_at_once_and_solid_once_proven(window: Page) -> None:
    page = window
    page.keyboard.type("Fewer died .")
    page.keyboard.press("ArrowLeft")
    cite(page, "https://www.nejm.org/doi/full/10.1056/NEJMoa1705716?utm_source=mail")
    expect(chips(page)).to_have_count(1)
    key = inserted(page, "Fewer died KEY.")
    expect(page.locator(PAGE)).to_be_focused()
    chip = page.locator(f"{PAGE} .cite[data-key='{key}']")
    expect(chip).to_have_attribute("data-tier", "a", timeout=PATIENT)
    expect(chip).to_have_text(re.compile("^Annane 2018, tier A"))
    expect(chip).not_to_have_class(re.compile("pulses"))
    expect(panel(page, "Annane 2018")).to_contain_text("DOI and title", timeout=PATIENT)
    page.keyboard.type(" Next")
    expect_text(page, f"Fewer died \\cite{{{key}}} Next.")
    saved(page)
    page.reload()
    expect_text(page, f"Fewer died \\cite{{{key}}} Next.")
    expect(chips(page)).to_have_attribute("data-tier", "a")


def test_a_paper_that_is_cited_under_its_pmid_keeps_its_key(window: Page) -> None:
    page = window
    cite(page, "PMID: 29490185")
    key = inserted(page)
    expect(chips(page).first).to_have_attribute("data-tier", "a", timeout=PATIENT)
    page.keyboard.type(" and ")
    cite(page, "10.1056/NEJMoa1705716")
    assert inserted(page, "KEY and KEY") == key
    expect(chips(page)).to_have_count(2)
    expect(page.locator("#cited li a")).to_have_count(1)


def test_three_at_once_with_a_page_are_one_group(window: Page) -> None:
    page = window
    page.keyboard.press("Control+Shift+C")
    paste(page, "10.1056/NEJMoa1705716\n10.1136/bmj.l4898\nhttps://doi.org/10.1038/415530a\n")
    expect(page.locator("[data-part=tray] .cite")).to_have_count(3)
    page.locator("#cite-locator").focus()
    page.keyboard.type("14-16")
    page.keyboard.press("Enter")
    expect_text(page, re.compile(rf"^\\cite\[pp\.~14--16\]\{{{KEY},{KEY},{KEY}\}}$"))
    expect(page.locator(f"{PAGE} .cites")).to_have_count(1)
    expect(page.locator(f"{PAGE} .cites")).to_contain_text("pp.\u00a014–16")
    for chip in chips(page).all():
        expect(chip).to_have_attribute("data-tier", "a", timeout=PATIENT)


SLOW_DELETION = """() => {
  const real = window.fetch;
  window.fetch = async (address, how) => {
    if (how?.method === "DELETE") await new Promise((go) => setTimeout(go, 1500));
    return real(address, how);
  };
}"""


def test_a_retracted_work_asks_and_its_chip_says_so(window: Page) -> None:
    page = window
    page.keyboard.type("As was said ")
    cite(page, RETRACTED.doi or "")
    question = page.get_by_role("dialog", name="This work was retracted")
    expect(question).to_contain_text("Retraction, reported by the publisher, 2020")
    # Whoever cites again at once waits until the work that was not wanted is removed, however long that takes.
    page.evaluate(SLOW_DELETION)
    page.keyboard.press("Escape")
    expect(question).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator(PAGE)).to_be_focused()
    assert text(page).rstrip() == "As was said"
    page.keyboard.type("here ")
    cite(page, RETRACTED.doi or "")
    expect(question).to_be_visible(timeout=PATIENT)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(chips(page)).to_have_count(1)
    expect(chips(page)).to_have_attribute("data-tier", "retracted", timeout=PATIENT)
    expect(chips(page)).to_contain_text("retracted")
    # From the library it asks too.
    page.keyboard.type(" and @mehra")
    expect(page.locator(f"{LIST} [role=option]").first).to_contain_text("Cardiovascular Disease")
    page.keyboard.press("Enter")
    expect(question).to_be_visible(timeout=PATIENT)
    page.keyboard.press("Escape")
    expect(page.locator(PAGE)).to_be_focused()
    expect(chips(page)).to_have_count(1)
    assert text(page).endswith("@mehra")


def test_an_at_sign_opens_the_library_at_the_caret(window: Page) -> None:
    page = window
    (key,) = add(page, "10.1056/NEJMoa1705716")
    page.keyboard.type("Write to a@b or see @")
    expect(page.locator(LIST)).to_be_visible()
    expect(page.locator(f"{LIST} [role=option]").first).to_contain_text(key)
    page.keyboard.type("fludro")
    first = page.locator(f"{LIST} [role=option]").first
    expect(first).to_contain_text("Fludrocortisone")
    expect(first).to_have_attribute("aria-selected", "true")
    expect(page.locator(PAGE)).to_have_attribute("aria-activedescendant", "cite-inline-0")
    page.keyboard.press("Enter")
    expect(page.locator(LIST)).to_be_hidden()
    expect_text(page, f"Write to a@b or see \\cite{{{key}}}")
    page.keyboard.type(", @fludro")
    expect(first).to_contain_text("Fludrocortisone")
    page.keyboard.press("Escape")
    expect(page.locator(LIST)).to_be_hidden()
    page.keyboard.type(" on")
    expect(page.locator(LIST)).to_be_hidden()
    expect_text(page, f"Write to a@b or see \\cite{{{key}}}, @fludro on")
    page.keyboard.press("ControlOrMeta+Z")
    assert "\\cite" in text(page)


def test_the_first_keys_have_their_rows_among_thousands(window: Page, desk: Desk) -> None:
    page = window
    add_many(desk, page, 2_000)
    page.keyboard.type("@")
    rows = page.locator(f"{LIST} [role=option]")
    expect(rows).to_have_count(9)
    page.keyboard.type("a")
    expect(rows.first).to_be_visible()


def test_what_the_library_has_not_is_searched_for_in_the_dialog(window: Page) -> None:
    page = window
    page.keyboard.type("So @copper oxide rectifier")
    expect(page.locator(LIST)).to_contain_text("Search PubMed and Crossref for “copper oxide rectifier”")
    page.keyboard.press("Enter")
    expect(page.locator(BOX)).to_be_focused()
    expect(page.locator(BOX)).to_have_value("copper oxide rectifier")
    page.keyboard.press("Escape")
    expect(page.locator(PAGE)).to_be_focused()
    expect_text(page, "So @copper oxide rectifier")
    page.keyboard.type("s")
    page.keyboard.press("Backspace")
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.type("So @copper oxide rectifier")
    expect(page.locator(LIST)).to_contain_text("copper oxide rectifier")
    page.keyboard.press("Enter")
    expect(page.locator("#cite-found [role=option]").filter(has_text="Brattain")).to_be_visible()
    page.keyboard.press("Enter")
    expect_text(page, re.compile(rf"^So \\cite\{{{KEY}\}}$"))


def test_a_cite_command_can_be_typed_on_the_page(window: Page) -> None:
    page = window
    (key,) = add(page, "10.1056/NEJMoa1705716")
    page.keyboard.type("See \\citep[see][p. 3]{fludro")
    expect(page.locator(f"{LIST} [role=option]").first).to_contain_text(key)
    page.keyboard.press("Enter")
    expect_text(page, f"See \\citep[see][p. 3]{{{key}}}")
    page.keyboard.type(" and \\cite{nobody1999}")
    expect_text(page, f"See \\citep[see][p. 3]{{{key}}} and \\cite{{nobody1999}}")
    unknown = page.locator(f"{PAGE} .cite[data-key=nobody1999]")
    expect(unknown).to_have_attribute("data-tier", "missing")
    expect(unknown).to_contain_text("not in your references")


def test_the_card_of_a_chip_by_keyboard(window: Page) -> None:
    page = window
    first, second = add(page, "10.1056/NEJMoa1705716", "10.1136/bmj.l4898")
    write(page, f"Deaths fell \\cite{{{first},{second}}} at last.\n")
    expect(chips(page)).to_have_count(2)
    page.keyboard.press("ControlOrMeta+Home")
    for _ in range(3 * len("Deaths fell ")):
        if page.locator(SELECTED).count():
            break
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(40)
    expect(page.locator(SELECTED)).to_have_count(1)
    page.keyboard.press("Enter")
    card = page.get_by_role("dialog", name="Citation")
    expect(card).to_contain_text("Fludrocortisone", timeout=PATIENT)
    expect(card.get_by_role("link", name=f"Why this tier? {first}, in a new tab")).to_have_attribute(
        "href", re.compile(rf"/projects/{project_of(page)}/citations/[\w-]+/#why$")
    )
    assert serious(page) == []
    page.emulate_media(color_scheme="light")
    expect(card.get_by_label("Page or other locator")).to_be_focused()
    page.keyboard.type("14")
    page.keyboard.press("Enter")
    expect(card).to_be_hidden()
    expect(page.locator(PAGE)).to_be_focused()
    expect_text(page, f"Deaths fell \\cite[p.~14]{{{first},{second}}} at last.\n")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(SELECTED)).to_have_count(1)
    page.keyboard.press("Enter")
    card.get_by_role("button", name=f"Remove {first}").focus()
    page.keyboard.press("Enter")
    expect_text(page, f"Deaths fell \\cite[p.~14]{{{second}}} at last.\n")
    expect(page.locator(PAGE)).to_be_focused()
    page.keyboard.type(",")  # behind the chip, not in its place
    expect_text(page, f"Deaths fell \\cite[p.~14]{{{second}}}, at last.\n")
    page.keyboard.press("Backspace")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(SELECTED)).to_have_count(1)
    cite(page, "10.1056/NEJMoa1705716")  # the chip is selected: the key joins it
    expect_text(page, f"Deaths fell \\cite[p.~14]{{{second},{first}}} at last.\n")
    page.keyboard.press("ControlOrMeta+Z")
    expect_text(page, f"Deaths fell \\cite[p.~14]{{{second}}} at last.\n")


def test_backspace_selects_a_chip_before_it_deletes_it(window: Page) -> None:
    page = window
    (key,) = add(page, "10.1056/NEJMoa1705716")
    page.keyboard.type("A @fludro")
    expect(page.locator(f"{LIST} [role=option]").first).to_contain_text("Fludrocortisone")
    page.keyboard.press("Enter")
    expect_text(page, f"A \\cite{{{key}}}")
    page.keyboard.press("Backspace")
    expect(page.locator(f"{PAGE} .cites.ProseMirror-selectednode")).to_have_count(1)
    expect_text(page, f"A \\cite{{{key}}}")
    page.keyboard.press("Backspace")
    expect(chips(page)).to_have_count(0)


def test_the_braces_in_the_source_offer_the_library_and_join_keys(source: Page) -> None:
    page = source
    (key,) = add(page, "10.1056/NEJMoa1705716")
    page.keyboard.type("Fewer died \\cite{fludro")
    option = page.get_by_role("option", name="Fludrocortisone")
    expect(option).to_be_visible()
    page.keyboard.press("Enter")
    expect_text(page, f"Fewer died \\cite{{{key}}}")
    page.keyboard.press("ArrowLeft")
    cite(page, "10.1136/bmj.l4898")
    expect_text(page, re.compile(rf"^Fewer died \\cite\{{{re.escape(key)},{KEY}\}}$"))
    page.keyboard.type(" and \\cite{ab")
    expect(page.get_by_role("option", name="Search PubMed and Crossref")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("option", name="Search PubMed and Crossref")).to_be_hidden()
    assert text(page).endswith(" and \\cite{ab")
    page.keyboard.type("c")
    page.keyboard.press("End")
    expect(page.get_by_role("option", name="Search PubMed and Crossref")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(BOX)).to_have_value("abc")
    page.keyboard.press("Escape")
    expect(page.locator(SOURCE)).to_be_focused()
    assert text(page).endswith(" and \\cite{abc")


def test_both_views_show_the_same_citation(window: Page) -> None:
    page = window
    (key,) = add(page, "10.1056/NEJMoa1705716")
    write(page, f"Deaths fell \\cite{{{key}}}.\n")
    page.keyboard.press("Control+/")
    expect(page.locator(SOURCE)).to_contain_text(f"\\cite{{{key}}}")
    page.locator("[data-cites]").click()
    paste(page, "10.1136/bmj.l4898")
    page.keyboard.press("Enter")
    expect_text(page, re.compile(rf"\\cite\{{{KEY}\}}.*\\cite\{{{KEY}\}}|\\cite\{{{KEY},{KEY}\}}", re.DOTALL))
    expect(page.locator(SOURCE)).to_be_focused()
    page.keyboard.press("Control+/")
    expect(chips(page)).to_have_count(2)
    expect(page.locator("#cited li a")).to_have_count(2)


# From the key press until the browser has drawn what it made; and what it takes to lay out the whole page anew, as the
# browser does whenever a font arrives, with the list of what is cited and without.
TIMED = """() => {
  window.frames_ = [];
  document.addEventListener("keydown", () => {
    const begun = performance.now();
    requestAnimationFrame(() => setTimeout(() => window.frames_.push(performance.now() - begun)));
  }, true);
}"""
LAID_OUT = """() => {
  let spacing = 0;
  const once = () => {
    document.documentElement.style.letterSpacing = `${++spacing / 1000}px`;
    const begun = performance.now();
    document.body.offsetHeight;
    return performance.now() - begun;
  };
  const least = () => Math.min(once(), once(), once());
  const all = least();
  document.getElementById("cited").hidden = true;
  const rest = least();
  document.getElementById("cited").hidden = false;
  document.documentElement.style.letterSpacing = "";
  return [all, rest];
}"""


@pytest.mark.long
def test_two_thousand_citations_in_one_section_stay_quick(window: Page, desk: Desk) -> None:
    page = window
    add_many(desk, page, 2_000)
    latex = "\n\n".join(f"Sentence {n} of the text \\cite{{author{n}}}, which goes on." for n in range(2_000)) + "\n"
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/chips" in request.url else None)
    write(page, latex)
    expect(page.locator(f"{PAGE} .cite[data-key=author1999]")).to_have_text(
        re.compile("Author1999 2018, tier A"), timeout=PATIENT
    )
    assert len(asked) <= 2
    expect(page.locator("#cited li")).to_have_count(2_000, timeout=PATIENT)
    page.keyboard.press("ControlOrMeta+Home")
    page.evaluate(TIMED)
    page.keyboard.type("quick words", delay=120)
    took: list[float] = page.evaluate("window.frames_")
    assert sorted(took)[len(took) // 2] < 5_000, took  # milliseconds; about 20 where nothing else runs
    page.keyboard.press("Control+/")
    expect(page.locator(SOURCE)).to_be_visible(timeout=PATIENT)
    assert text(page) == f"quick words{latex}"
    all_of_it, rest = page.evaluate(LAID_OUT)
    assert all_of_it < 10 * rest, (all_of_it, rest)  # 40 times, for seconds, as one list of 2,000 rows


@pytest.mark.long
def test_axe_with_chips_and_the_list_open(window: Page) -> None:
    page = window
    first, _second = add(page, "10.1056/NEJMoa1705716", RETRACTED.doi or "")
    write(page, f"Deaths fell \\cite{{{first},nobody1999}} at last, as \\citet[p.~3]{{{_second}}} says.\n")
    expect(chips(page)).to_have_count(3)
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type(" See @fl")
    expect(page.locator(f"{LIST} [role=option]").first).to_contain_text("Fludrocortisone")
    assert serious(page) == []


@pytest.mark.long
def test_axe_in_the_source_with_find_and_keys_open(source: Page) -> None:
    page = source
    (key,) = add(page, "10.1056/NEJMoa1705716")
    page.keyboard.type("% a comment\nFewer $x_1$ died \\cite{fl")
    expect(page.get_by_role("option", name=key)).to_be_visible()
    assert serious(page) == []
    page.keyboard.press("Enter")
    page.keyboard.press("ControlOrMeta+F")
    expect(page.get_by_role("textbox", name="Find")).to_be_focused()
    page.keyboard.type("died")
    page.keyboard.press("Tab")
    assert serious(page) == []
    page.keyboard.press("Escape")
    expect(page.locator(SOURCE)).to_be_focused()
