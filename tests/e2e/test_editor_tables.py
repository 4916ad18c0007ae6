"""Tables in the visual editor: inserted by size, changed by keyboard and pointer, as Scholium and students write them
(SPEC T2)."""

from typing import Any

from playwright.sync_api import expect

from tests.e2e.axe import serious
from tests.e2e.conftest import OpenWindow
from tests.e2e.editor_pages import Desk, desk
from tests.e2e.editor_texts import blank, tool

__all__ = ["blank"]

ROWS = "\n".join(rf"Site {row} & {row} & {row}.5 \\" for row in range(40))
LONG = rf"""\begin{{longtable}}{{lrr}}
\caption{{Caries by site}}\label{{tab:caries}}\\
\toprule
Site & n & Mean \\
\midrule
\endfirsthead
\toprule
Site & n & Mean \\
\midrule
\endhead
\bottomrule
\endfoot
{ROWS}
\end{{longtable}}
{{\footnotesize SD: standard deviation.\par}}
"""
MERGED = r"""\begin{table}[htbp]
\centering
\caption{Deaths}
\begin{threeparttable}
\begin{tabular}{l>{\raggedright\arraybackslash}p{3cm}rr}
\toprule
\multirow{2}{*}{Arm} & \multirow{2}{*}{Why} & \multicolumn{2}{c}{Deaths} \\
\cmidrule(lr){3-4}
 & & n & \% \\
\midrule
Drug & R\&D \verb|a&b| & 3 & 4.0 \\
\addlinespace
Placebo & & 9 & 12.0 \\
\bottomrule
\end{tabular}
\begin{tablenotes}
\item[a] Lost.
\item[b] Found.
\end{tablenotes}
\end{threeparttable}
\end{table}
"""


def test_a_table_by_keyboard_alone(blank: Desk) -> None:
    """Also where the next frame is long in coming, as on a busy machine: no letter is lost after a menu."""
    page = blank.page
    page.evaluate("() => { window.requestAnimationFrame = (act) => setTimeout(() => act(performance.now()), 400); }")
    tool(page, "Table").focus()
    page.keyboard.press("Enter")
    for key in ("ArrowLeft", "ArrowUp", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.get_by_role("button", name="Insert a table of 2 rows, 2 columns")).to_be_focused()
    assert serious(page) == []
    page.keyboard.press("Enter")
    for words in ("a", "b", "1 & 2", "50%"):
        page.keyboard.type(words)
        page.keyboard.press("Tab")
    page.keyboard.type("new")  # Tab in the last cell added a row
    tool(page, "Change the table").focus()
    page.keyboard.press("Enter")
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Add a column to the left")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.type("er")
    expect(blank.text.locator("td", has_text="newer")).to_be_visible()
    latex = blank.latex()
    for line in ("\\begin{tabular}{lll}", " & 1 \\& 2 & 50\\% \\\\", " & newer &  \\\\"):
        assert line in latex, latex
    page.keyboard.press("ControlOrMeta+Z")
    page.keyboard.press("ControlOrMeta+Z")
    assert "\\begin{tabular}{ll}" in blank.latex()


def test_rows_and_columns_by_the_handles(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, MERGED)
    made.open()
    cell = made.text.locator("td", has_text="Placebo")
    cell.hover()
    made.page.get_by_role("button", name="Change this row").click()
    made.page.get_by_role("button", name="Add a row above").click()
    made.expect_latex(MERGED.replace("4.0 \\\\\n", "4.0 \\\\\n &  &  &  \\\\\n"))
    made.page.keyboard.press("ControlOrMeta+Z")
    cell.hover()
    made.page.get_by_role("button", name="Add a column at the end").click()
    assert "p{3cm}rrl}" in made.latex()
    made.page.keyboard.press("ControlOrMeta+Z")
    made.expect_latex(MERGED)


def test_a_long_table_is_a_table(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, LONG)
    made.open()
    expect(made.text.locator("tr")).to_have_count(41)
    expect(made.text.locator(".table-caption")).to_have_text("Caries by site")
    expect(made.text.locator(".table-notes")).to_have_text("SD: standard deviation.")
    made.caret_after("Mean")
    made.page.keyboard.type(" (SD)")
    made.expect_latex(LONG.replace("& Mean", "& Mean (SD)"))
    made.text.locator(".table-notes").click()
    made.page.keyboard.type(' n is "all".')
    made.page.keyboard.press("Escape")
    made.expect_latex(LONG.replace("& Mean", "& Mean (SD)").replace("deviation.", "deviation. n is “all”."))


def test_merged_cells_and_notes_are_edited_as_words(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, MERGED)
    made.open()
    expect(made.text.locator("th[colspan='2']")).to_have_text("Deaths")
    expect(made.text.locator("th[rowspan='2']")).to_have_text(["Arm", "Why"])
    made.text.locator("th[colspan='2']").click()
    made.page.keyboard.press("End")
    made.page.keyboard.type(", all")
    changed = MERGED.replace("{c}{Deaths}", "{c}{Deaths, all}")
    made.expect_latex(changed)
    made.text.locator(".table-notes").click()
    sheet = made.page.get_by_role("dialog", name="Table")
    expect(sheet.get_by_role("textbox", name="Note a")).to_be_focused()
    made.page.keyboard.type(" 5%")
    made.page.keyboard.press("Enter")
    made.expect_latex(changed.replace("Lost.", "Lost. 5\\%"))


def test_a_table_and_a_list_in_a_cell_are_set_and_stay_as_written(open_window: OpenWindow, demo: Any) -> None:
    cells = r"""\begin{tabular}{lp{6cm}}
Steroid & \begin{tabular}{lr} Men & 12 \\ Women & $14$ \\ \end{tabular} \\
Control & \begin{itemize}  \item first \item second \emph{point} \end{itemize} \\
\end{tabular}
"""
    made = desk(open_window, demo, cells)
    page = made.page
    made.open()
    inner = made.text.locator("td .raw table")
    expect(inner.get_by_role("row")).to_contain_text(["Men12", "Women"])
    expect(inner.locator(".katex")).to_have_count(1)
    points = made.text.locator("td .raw ul > li")
    expect(points).to_have_text(["first", "second point"])
    assert serious(page) == []
    made.caret_after("Steroid")
    page.keyboard.type("s")
    made.expect_latex(cells.replace("Steroid", "Steroids"))
    points.first.click()
    sheet = page.get_by_role("dialog", name="LaTeX, kept exactly as written")
    box = sheet.get_by_role("textbox")
    expect(box).to_have_value(r"\begin{itemize}  \item first \item second \emph{point} \end{itemize}")
    box.fill(r"\begin{itemize}\item only\end{itemize}")
    page.keyboard.press("Escape")
    expect(points).to_have_text(["only"])
    made.expect_latex(
        cells.replace("Steroid", "Steroids").replace(
            r"\begin{itemize}  \item first \item second \emph{point} \end{itemize}",
            r"\begin{itemize}\item only\end{itemize}",
        )
    )
