r"""Writing as on a page, with LaTeX kept exactly below it (SPEC T2; the flows 1, 8 and 9 of the editor, toolbar and keyboard)."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.axe import serious
from tests.e2e.conftest import OpenWindow, Trouble
from tests.e2e.editor_pages import Desk, desk, desk_in, headers

CHAPTER = r"""\section{Mortality at 28 days}\label{sec:death}

Seven trials randomised 1,703 patients \cite{sterne2020}. % check the number
Deaths were fewer
with steroids: 222 of 678, \emph{RECOVERY} among them.

Two reports of benefit in \gls{ards} point the same way, as does \SI{40}{\percent} of our own.

\begin{tikzpicture}[scale=2]
  \draw (0,0) -- (1,1); % kept exactly as written
\end{tikzpicture}

The odds ratio was $0.66$ (see Table~\ref{tab:deaths}).

\begin{equation}
  \hat\theta = \frac{\sum_i w_i y_i}{\sum_i w_i}
\end{equation}

\begin{itemize}
  \item Dexamethasone
  \item Hydrocortisone
\end{itemize}

\begin{table}[htbp]
  \centering
  \caption{Deaths at 28 days by drug.}
  \label{tab:deaths}
  \begin{tabular}{lrr}
    \toprule
    Drug & Trials & Deaths \\
    \midrule
    Dexamethasone & 3 & 166 \\
    Hydrocortisone & 3 & 43 \\
    \bottomrule
  \end{tabular}
\end{table}

\begin{figure}[htbp]
  \centering
  \includegraphics[width=0.8\textwidth]{figures/forest.png}
  \caption{Death at 28 days in seven trials.}
  \label{fig:forest}
\end{figure}

That is all\footnote{So far.}.
"""


@pytest.fixture
def results(shared_page: Page) -> Desk:
    made = desk_in(shared_page, CHAPTER)
    made.open()
    return made


@pytest.fixture
def blank(shared_page: Page) -> Desk:
    made = desk_in(shared_page)
    made.open()
    made.text.click()
    return made


def changed(words: str, to: str) -> str:
    assert CHAPTER.count(words) == 1
    return CHAPTER.replace(words, to)


def tool(page: Page, name: str) -> Any:
    return page.get_by_role("toolbar", name="Editing").get_by_role("button", name=name, exact=True)


# Flow 1: a thesis from the template is written in


def test_a_new_thesis_is_written_in_and_saved(blank: Desk) -> None:
    page = blank.page
    page.keyboard.type("Aim")
    page.get_by_label("Kind of paragraph").select_option("Heading")
    page.keyboard.press("Enter")
    page.keyboard.type("Deaths fell by 5% & costs too.")
    blank.expect_latex("\\section{Aim}\n\nDeaths fell by 5\\% \\& costs too.")
    page.keyboard.press("ControlOrMeta+S")
    expect(page.locator("#save")).to_contain_text("Saved", timeout=10_000)
    assert blank.stored() == "\\section{Aim}\n\nDeaths fell by 5\\% \\& costs too."
    page.reload()
    expect(blank.text.locator("h3")).to_have_text("Aim")


def test_a_text_that_is_only_looked_at_is_not_changed(results: Desk) -> None:
    assert results.latex() == CHAPTER
    results.text.click()
    results.page.keyboard.press("ControlOrMeta+/")
    results.page.wait_for_selector("section-editor[view=source]")
    assert results.latex() == CHAPTER
    results.page.keyboard.press("ControlOrMeta+/")
    results.page.wait_for_selector("section-editor[view=visual]")
    assert results.latex() == CHAPTER


def test_mixed_line_endings_stay_in_the_source(open_window: OpenWindow, demo: Any) -> None:
    text = "One.\r\nTwo.\n\nThree.\rFour.\n"
    made = desk(open_window, demo, text)
    made.open()
    made.text.click()
    made.page.keyboard.press("ControlOrMeta+/")
    made.page.wait_for_selector("section-editor[view=source]")
    made.open("source")
    expect(made.page.locator("#save")).to_contain_text("Saved")
    made.page.wait_for_timeout(300)  # in which a text that is not the one that was sent would be found
    assert made.latex() == text
    expect(made.page.locator("#save")).to_contain_text("Saved")


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_line_endings_stay(open_window: OpenWindow, demo: Any, ending: str) -> None:
    text = CHAPTER.replace("\n", ending)
    made = desk(open_window, demo, text)
    made.open()
    made.caret_after("Deaths were fewer")
    made.page.keyboard.type(" by far")
    made.expect_latex(text.replace("Deaths were fewer", "Deaths were fewer by far"))


# Flow 8: around what only LaTeX understands


def test_words_around_a_macro_change_and_nothing_else(results: Desk) -> None:
    page = results.page
    expect(results.text.locator(".raw").filter(has_text="\\gls{ards}")).to_be_visible()
    results.caret_after("point the same")
    page.keyboard.type(" old")
    results.expect_latex(changed("point the same", "point the same old"))
    results.caret_after("Deaths were")
    page.keyboard.type(" much")
    results.expect_latex(changed("point the same", "point the same old").replace("Deaths were", "Deaths were much"))
    page.keyboard.press("ControlOrMeta+Z")
    results.expect_latex(changed("point the same", "point the same old"))
    page.keyboard.press("ControlOrMeta+Z")
    results.expect_latex(CHAPTER)


def test_a_macro_is_selected_before_it_is_deleted_and_can_be_edited(results: Desk) -> None:
    page = results.page
    results.caret_after("point")
    for _ in range(len(" point")):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Backspace")
    assert results.latex() == CHAPTER
    expect(results.text.locator(".raw.ProseMirror-selectednode")).to_have_text("\\gls{ards}")
    page.keyboard.press("Enter")
    sheet = page.get_by_role("dialog", name="LaTeX, kept exactly as written")
    sheet.get_by_label("LaTeX").fill(r"\glspl{ards}")
    page.keyboard.press("Escape")
    results.expect_latex(changed(r"\gls{ards}", r"\glspl{ards}"))
    expect(results.text).to_be_focused()


def test_typing_while_a_drawing_is_selected_leaves_it_alone(results: Desk) -> None:
    results.caret_after("of our own.")
    results.page.keyboard.press("ArrowRight")
    expect(results.text.locator(".raw-block.ProseMirror-selectednode")).to_have_count(1)
    results.page.keyboard.type("After it.")
    results.expect_latex(changed("\\end{tikzpicture}\n\n", "\\end{tikzpicture}\n\nAfter it.\n\n"))


def test_a_drawing_is_kept_and_edited_in_its_place(results: Desk) -> None:
    page = results.page
    block = results.text.locator(".raw-block")
    expect(block.locator("pre")).to_contain_text("\\draw (0,0) -- (1,1); % kept exactly as written")
    block.click()
    box = block.get_by_role("textbox")
    expect(box).to_be_focused()
    box.press("ControlOrMeta+End")
    box.press("ArrowUp")
    box.press("End")
    page.keyboard.type("\n  \\draw (1,1) -- (2,0);")
    page.keyboard.press("Escape")
    results.expect_latex(changed("% kept exactly as written", "% kept exactly as written\n  \\draw (1,1) -- (2,0);"))


# Flow 9: broken LaTeX


def test_broken_latex_opens_in_source_and_as_a_page_once_it_is_whole(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, "Before.\n\n\\begin{itemize}\n\\item One\n\nAfter.\n")
    made.open("source")
    page = made.page
    banner = page.get_by_role("status").filter(has_text="itemize")
    expect(banner).to_contain_text("3")
    assert made.latex() == "Before.\n\n\\begin{itemize}\n\\item One\n\nAfter.\n"
    page.get_by_role("button", name="Visual", exact=True).click()
    expect(page.locator("section-editor")).to_have_attribute("view", "source")
    page.locator("section-editor").evaluate(
        "editor => editor.replace(editor.latex.replace('One\\n', 'One\\n\\\\end{itemize}\\n'))"
    )
    page.get_by_role("button", name="Visual", exact=True).click()
    expect(page.locator("section-editor")).to_have_attribute("view", "visual")
    expect(made.text.locator("li")).to_have_text("One")


def test_a_very_long_text_opens_in_source_and_says_why(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, "Long words of a long text. " * 16_000)
    made.open("source")
    expect(made.page.locator("[data-part=banner]")).to_contain_text("longer than 400,000 characters")


# What is shown


def test_the_text_stands_as_it_is_printed(results: Desk) -> None:
    text = results.text
    expect(text.locator("h3")).to_have_text("Mortality at 28 days")
    expect(text.locator("em")).to_have_text("RECOVERY")
    expect(text.locator(".maths .katex")).to_have_count(1)
    expect(text.locator(".math-block .katex-display")).to_be_visible()
    expect(text.locator("li")).to_have_text(["Dexamethasone", "Hydrocortisone"])
    expect(text.locator("th")).to_have_text(["Drug", "Trials", "Deaths"])
    expect(text.locator(".table-caption")).to_have_text("Deaths at 28 days by drug.")
    expect(text.locator("figcaption")).to_have_text("Death at 28 days in seven trials.")
    expect(text.locator(".plate.no-picture")).to_contain_text("figures/forest.png")
    expect(text.locator(".footnote")).to_be_visible()


def test_arabic_and_hindi_run_their_own_way(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, "النتائج في المرضى\n\nपरिणाम अच्छे रहे।\n")
    made.open()
    ways = made.text.locator("p").evaluate_all("rows => rows.map(row => getComputedStyle(row).direction)")
    assert ways == ["rtl", "ltr"]
    made.caret_after("المرضى")
    made.page.keyboard.insert_text(" كانت")
    made.expect_latex("النتائج في المرضى كانت\n\nपरिणाम अच्छे रहे।\n")


# Toolbar and keyboard


def test_bold_and_italic(blank: Desk) -> None:
    page = blank.page
    page.keyboard.type("One two three")
    blank.select("three")
    tool(page, "Bold").click()
    expect(tool(page, "Bold")).to_have_attribute("aria-pressed", "true")
    blank.expect_latex("One two \\textbf{three}")
    page.keyboard.press("ControlOrMeta+B")
    page.keyboard.press("ControlOrMeta+I")
    blank.expect_latex("One two \\emph{three}")
    expect(tool(page, "Italic")).to_have_attribute("aria-pressed", "true")


def test_the_toolbar_by_arrow_keys(blank: Desk) -> None:
    page = blank.page
    tool(page, "Visual").focus()
    page.keyboard.press("ArrowRight")
    expect(tool(page, "Source")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Kind of paragraph")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(tool(page, "Bold")).to_be_focused()
    page.keyboard.press("Home")
    expect(tool(page, "Visual")).to_be_focused()
    stops = page.locator("[role=toolbar] :is(button, select):visible").evaluate_all(
        "all => all.filter(one => one.tabIndex === 0).length"
    )
    assert stops == 1


def test_a_list_by_the_button_and_by_typing(blank: Desk) -> None:
    page = blank.page
    page.keyboard.type("- Dexamethasone")
    page.keyboard.press("Enter")
    page.keyboard.type("Hydrocortisone")
    blank.expect_latex("\\begin{itemize}\n  \\item Dexamethasone\n  \\item Hydrocortisone\n\\end{itemize}")
    tool(page, "List").click()
    page.keyboard.type(".")
    assert "Hydrocortisone." in blank.latex()
    expect(blank.text.locator("li")).to_have_count(1)


# A page that is busy now and then: what the browser tells of caret and layout comes late.
BUSY = """() => {
  const busy = () => {
    const until = performance.now() + Math.random() * 40;
    while (performance.now() < until);
    setTimeout(busy, Math.random() * 20);
  };
  busy();
}"""


def test_the_first_letter_of_a_new_block_stays_first_on_a_busy_page(blank: Desk) -> None:
    page = blank.page
    page.evaluate(BUSY)
    for _ in range(12):
        page.keyboard.type("- Dexa")
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        page.keyboard.type("Deaths")
        assert blank.latex() == "\\begin{itemize}\n  \\item Dexa\n\\end{itemize}\n\nDeaths"
        page.keyboard.press("ControlOrMeta+A")
        page.keyboard.press("Backspace")


def test_dollars_become_maths_and_prices_do_not(blank: Desk) -> None:
    page = blank.page
    page.keyboard.type("It cost 5$ and 10$ each; $x^2$ grew")
    expect(blank.text.locator(".maths .katex")).to_have_count(1)
    blank.expect_latex("It cost 5\\$ and 10\\$ each; $x^2$ grew")


def test_two_hyphens_become_a_dash_and_backspace_takes_it_back(blank: Desk) -> None:
    blank.text.click()
    blank.page.keyboard.type("Days 1--28")
    blank.expect_latex("Days 1–28")
    blank.page.keyboard.type(" --")
    blank.page.keyboard.press("Backspace")
    blank.page.keyboard.type("x")
    blank.expect_latex("Days 1–28 -{}-x")


def test_maths_is_edited_with_a_preview(results: Desk) -> None:
    page = results.page
    results.text.locator(".maths").click()
    sheet = page.get_by_role("dialog", name="Maths")
    box = sheet.get_by_label("LaTeX of the formula")
    expect(box).to_have_value("0.66")
    box.fill(r"\frac{1}{2")
    expect(sheet.locator(".wrong")).to_contain_text("cannot be drawn")
    box.fill(r"\frac{1}{2}")
    expect(sheet.locator(".preview .katex")).to_be_visible()
    page.keyboard.press("Escape")
    results.expect_latex(changed("$0.66$", r"$\frac{1}{2}$"))
    expect(results.text).to_be_focused()


def test_maths_that_cannot_be_drawn_is_kept(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, r"A $\frobnicate{x}$ here." + "\n")
    made.open()
    expect(made.text.locator(".maths[data-wrong]")).to_have_text(r"\frobnicate{x}")
    made.caret_after("A")
    made.page.keyboard.type("n odd")
    made.expect_latex(r"An odd $\frobnicate{x}$ here." + "\n")


def test_a_footnote_is_put_in_and_edited(blank: Desk) -> None:
    page = blank.page
    page.keyboard.type("Fewer died.")
    tool(page, "Footnote").click()
    page.get_by_role("dialog", name="Footnote").get_by_label("Text of the footnote").fill(r"In \emph{most} trials.")
    page.keyboard.press("ControlOrMeta+Enter")
    page.keyboard.type(" So we hold.")
    blank.expect_latex(r"Fewer died.\footnote{In \emph{most} trials.} So we hold.")


def test_a_table_is_filled_and_grows(blank: Desk) -> None:
    page = blank.page
    page.keyboard.type("See below.")
    page.keyboard.press("Enter")
    tool(page, "Table").click()
    for words in ("Drug", "Trials", "Deaths", "Dexamethasone", "3", "166"):
        page.keyboard.type(words)
        page.keyboard.press("Tab")
    tool(page, "Change the table").click()
    page.get_by_role("button", name="Add a row below").click()
    expect(blank.text.locator("tr")).to_have_count(4)
    tool(page, "Change the table").click()
    page.get_by_role("button", name="Remove this column").click()
    expect(blank.text.locator("tr").first.locator("th")).to_have_text(["Trials", "Deaths"])
    latex = blank.latex()
    assert re.search(r"Trials & Deaths \\\\", latex), latex
    assert re.search(r"3 & 166 \\\\", latex), latex


def test_one_cell_of_a_table_is_changed(results: Desk) -> None:
    results.caret_after("166")
    results.page.keyboard.type("/459")
    results.expect_latex(changed("166", "166/459"))


def test_a_caption_is_typed_in(results: Desk) -> None:
    results.caret_after("Death at 28 days in seven trials")
    results.page.keyboard.type(", pooled")
    results.expect_latex(changed("in seven trials.", "in seven trials, pooled."))


def test_a_paragraph_is_split_and_joined(results: Desk) -> None:
    page = results.page
    results.caret_after("The odds ratio was")
    page.keyboard.press("Enter")
    assert "The odds ratio was\n\n" in results.latex()
    page.keyboard.press("Backspace")
    page.wait_for_timeout(100)
    assert results.latex().replace("was$", "was $") == CHAPTER or results.latex() == CHAPTER


def test_the_next_section_by_key(results: Desk) -> None:
    page = results.page
    results.caret_after("Deaths were")
    page.keyboard.press("Alt+ArrowDown")
    page.wait_for_url("**/sections/discussion/")
    page.wait_for_selector("section-editor[view=visual]")
    page.keyboard.press("Alt+ArrowUp")
    page.wait_for_url("**/sections/results/")


def test_the_view_is_remembered(results: Desk) -> None:
    page = results.page
    tool(page, "Source").click()
    page.wait_for_selector("section-editor[view=source]")
    page.reload()
    page.wait_for_selector("section-editor[view=source]")
    tool(page, "Visual").click()
    page.wait_for_selector("section-editor[view=visual]")
    page.reload()
    page.wait_for_selector("section-editor[view=visual]")


def test_what_is_typed_while_the_source_is_fetched_is_in_it(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, CHAPTER)
    held: list[Route] = []
    made.page.route("**/latex-source*.js", lambda route: held.append(route))
    made.open()
    made.caret_after("The odds ratio")
    made.page.keyboard.press("ControlOrMeta+/")
    made.page.keyboard.type("s of all")
    made.page.keyboard.press("ControlOrMeta+/")  # back again, before it came
    made.page.keyboard.press("ControlOrMeta+/")
    made.page.keyboard.type(" seven")
    held[0].continue_()
    made.page.wait_for_selector("section-editor[view=source]")
    made.expect_latex(changed("The odds ratio", "The odds ratios of all seven"))


def test_a_source_that_cannot_be_fetched_is_the_plain_box(open_window: OpenWindow, demo: Any, trouble: Trouble) -> None:
    trouble.expect("net::ERR_FAILED")
    text = CHAPTER.replace("fewer\n", "fewer\r\n")
    made = desk(open_window, demo, text)
    made.page.route("**/latex-source*.js", lambda route: route.abort())
    made.open()
    made.text.click()
    made.page.keyboard.press("ControlOrMeta+/")
    box = made.page.get_by_role("textbox", name="as LaTeX")
    expect(box).to_be_focused()
    made.expect_latex(text)
    made.page.keyboard.press("ControlOrMeta+End")
    made.page.keyboard.type("More.")
    made.expect_latex(f"{text}More.")


def test_replacing_keeps_the_caret_and_is_one_step_back(results: Desk) -> None:
    page = results.page
    results.caret_after("The odds ratio")
    page.locator("section-editor").evaluate(
        """editor => editor.replace(editor.latex.replace("Seven trials", "Eight trials"), {undoable: true})"""
    )
    page.keyboard.type("s")
    results.expect_latex(changed("Seven trials", "Eight trials").replace("The odds ratio", "The odds ratios"))
    page.keyboard.press("ControlOrMeta+Z")
    page.keyboard.press("ControlOrMeta+Z")
    results.expect_latex(CHAPTER)


def test_comments_are_painted_and_stay_with_their_words(results: Desk) -> None:
    page = results.page
    start = CHAPTER.index("222 of 678")
    remark = {"body": "Which trials?", "start": start, "end": start + len("222 of 678")}
    answer = page.request.post(f"/api/sections/{results.section}/comments", data=remark, headers=headers(page.context))
    assert answer.status == 201, answer.text()
    results.open()
    painted = results.text.locator("[data-comment]")
    expect(painted).to_have_text("222 of 678")
    results.caret_after("Seven")
    page.keyboard.type(" or more")
    expect(painted).to_have_text("222 of 678")


def test_nothing_serious_for_axe(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, CHAPTER)
    made.open()
    page = made.page
    expect(made.text.locator(".math-block .katex")).to_be_visible()
    found = serious(page)
    made.text.locator(".maths").click()
    assert found + serious(page) == []


def test_a_phone_has_all_tools_and_does_not_scroll_sideways(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, CHAPTER, viewport={"width": 390, "height": 844}, has_touch=True)
    made.open()
    page = made.page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    boxes = [one.bounding_box() for one in page.locator("[role=toolbar] button[data-act]").all()]
    edges = sorted((box["x"], box["x"] + box["width"]) for box in boxes if box)
    assert all(after[0] > before[1] for before, after in zip(edges, edges[1:], strict=False))
