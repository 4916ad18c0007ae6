r"""What is pasted or dropped into the page comes in as what a thesis is made of, and nothing else (SPEC T2)."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenWindow, Trouble
from tests.e2e.editor_pages import Desk, desk, desk_in

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="  # a red one

# As Word puts it on the clipboard: conditional comments, styles, classes, list paragraphs with their signs.
WORD = """<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word">
<head><meta name=Generator content="Microsoft Word 15"><style><!-- p.MsoNormal {margin:0cm; font-size:11pt;} --></style>
<!--[if gte mso 9]><xml><w:WordDocument><w:View>Normal</w:View></w:WordDocument></xml><![endif]--></head>
<body lang=EN-GB style='tab-interval:36.0pt'><!--StartFragment-->
<h1 style='mso-list:none'>Methods<o:p></o:p></h1>
<p class=MsoNormal style='margin-bottom:8pt'>We <b style='mso-bidi-font-weight:normal'>searched</b> for
<i>in vitro</i> work on CO<sub>2</sub> and <span style='font-size:20pt;color:red'>10<sup>3</sup></span> cells
<span class=MsoCommentReference><a class=msocomanchor href="#_msocom_1">[AB1]</a></span>at 5% cost.<o:p></o:p></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='font-family:Symbol'><span style='mso-list:Ignore'>&#183;<span
style='font:7.0pt'>&nbsp;&nbsp;</span></span></span><![endif]>First<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='text-indent:-18pt;mso-list:l0 level2 lfo1'><![if !supportLists]><span
style='mso-list:Ignore'>o<span>&nbsp;</span></span><![endif]>Inner<o:p></o:p></p>
<p class=MsoListParagraphCxSpLast style='text-indent:-18pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='mso-list:Ignore'>&#183;<span>&nbsp;</span></span><![endif]>Second<o:p></o:p></p>
<table class=MsoTableGrid border=1 style='border-collapse:collapse'><tr style='height:3pt'><td width=10
style='border:solid'>
<p class=MsoNormal><b>Drug</b></p></td><td><p class=MsoNormal>Deaths</p></td></tr>
<tr><td><p class=MsoNormal>Placebo</p></td><td><p class=MsoNormal>41</p></td></tr></table>
<div style='mso-element:comment-list'><p class=MsoCommentText>A remark that is not for the thesis</p></div>
<script>window.hurt = 1</script><img src="https://example.org/x.png" onerror="window.hurt = 2">
<!--EndFragment--></body></html>"""

DOCS = """<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1">
<p dir="ltr" style="line-height:1.38;"><span style="font-weight:700;">Bold</span><span
style="font-weight:400;"> and </span>
<span style="font-style:italic;">leaning</span></p><br />
<ul style="margin:0"><li dir="ltr"><p dir="ltr"><span>One</span></p></li><ul><li><p>Inner</p></li></ul></ul></b>"""


@pytest.fixture
def blank(shared_page: Page) -> Desk:
    made = desk_in(shared_page)
    made.open()
    made.text.click()
    return made


def paste(made: Desk, *, html: str = "", text: str = "", picture: str = "") -> None:
    """What the clipboard holds arrives in the text as the browser brings it."""
    made.page.evaluate(
        """([html, text, picture]) => {
          const data = new DataTransfer();
          if (html) data.setData("text/html", html);
          if (text) data.setData("text/plain", text);
          if (picture) {
            const bytes = Uint8Array.from(atob(picture), c => c.charCodeAt());
            data.items.add(new File([bytes], "Flow chart.png", {type: "image/png"}));
          }
          const event = new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true});
          document.querySelector(".visual").dispatchEvent(event);
        }""",
        [html, text, picture],
    )


def test_words_from_word(blank: Desk) -> None:
    paste(blank, html=WORD, text="Methods We searched")
    text = blank.text
    expect(text.locator("h3")).to_have_text("Methods")
    expect(text.locator("p strong")).to_have_text("searched")
    expect(text.locator("em")).to_have_text("in vitro")
    expect(text.locator("sub")).to_have_text("2")
    expect(text.locator("sup")).to_have_text("3")
    expect(text.locator("ul > li > p")).to_have_text(["First", "Inner", "Second"])
    expect(text.locator("ul ul li")).to_have_text("Inner")
    expect(text.locator("tr").nth(0).locator("th")).to_have_text(["Drug", "Deaths"])
    expect(text.locator("tr").nth(1).locator("td")).to_have_text(["Placebo", "41"])
    latex = blank.latex()
    for wanted in (
        r"\section{Methods}",
        r"We \textbf{searched} for \emph{in vitro} work on CO\textsubscript{2} and 10\textsuperscript{3} cells",
        r"at 5\% cost.",
        r"\begin{itemize}",
        r"Placebo & 41 \\",
    ):
        assert wanted in latex, latex
    for junk in ("Mso", "mso", "style", "AB1", "remark", "font", "\u00b7", "xml", "Word", "<"):
        assert junk not in latex, latex
    assert blank.page.evaluate("window.hurt") is None


def test_words_from_google_docs(blank: Desk) -> None:
    paste(blank, html=DOCS)
    assert blank.latex().startswith("\\textbf{Bold} and \\emph{leaning}\n")
    expect(blank.text.locator("ul ul li")).to_have_text("Inner")


def test_plain_words_come_in_as_words(blank: Desk) -> None:
    paste(blank, text="5% of 10$ & more_or_less\n\nSecond paragraph")
    blank.expect_latex("5\\% of 10\\$ \\& more\\_or\\_less\n\nSecond paragraph")


def test_latex_comes_in_as_latex(blank: Desk) -> None:
    latex = "\\subsection{Deaths}\n\nFewer died \\cite{sterne2020}.\n\n\\begin{itemize}\n  \\item One\n\\end{itemize}"
    paste(blank, text=latex)
    expect(blank.text.locator("h4")).to_have_text("Deaths")
    expect(blank.text.locator(".cite")).to_be_visible()
    expect(blank.text.locator("li")).to_have_text("One")
    assert latex in blank.latex()


def test_broken_latex_comes_in_as_words(blank: Desk) -> None:
    paste(blank, text="\\begin{itemize} \\item One")
    assert blank.page.locator("section-editor").get_attribute("view") == "visual"
    expect(blank.text).to_contain_text("\\begin{itemize} \\item One")


def test_a_piece_of_the_text_is_copied_with_what_it_holds(open_window: OpenWindow, demo: Any) -> None:
    source = "Fewer died \\cite[p.~4]{sterne2020} of \\gls{ards} at $x^2$\\footnote{Or so.}.\n"
    made = desk(open_window, demo, source)
    made.open()
    made.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    made.text.click()
    made.page.keyboard.press("ControlOrMeta+A")
    made.page.keyboard.press("ControlOrMeta+C")
    made.page.keyboard.press("ArrowRight")
    made.page.keyboard.press("Enter")
    made.page.keyboard.press("ControlOrMeta+V")
    held = source.strip()
    made.page.wait_for_function(
        "words => document.querySelector('section-editor').latex.split(words).length > 2", arg="died"
    )
    # What the bracket says is only taken over when it is plain words, as from anybody's clipboard.
    assert held in made.latex()
    assert made.latex().count("\\gls{ards}") == 2
    assert made.latex().count("$x^2$\\footnote{Or so.}") == 2


def test_a_picture_is_kept_and_put_in_as_a_figure(blank: Desk) -> None:
    blank.page.keyboard.type("Before.")
    paste(blank, picture=PIXEL)
    picture = blank.text.locator("figure img")
    expect(picture).to_be_visible(timeout=10_000)
    assert "\\includegraphics[width=\\linewidth]{" in blank.latex()
    path = blank.latex().split("\\includegraphics[width=\\linewidth]{")[1].split("}")[0]
    files = blank.page.context.request.get(f"/api/projects/{blank.project}/files").json()
    assert path in {file["path"] for file in files}
    assert blank.latex().startswith("Before.\n\n\\begin{figure}")
    blank.page.set_viewport_size({"width": 390, "height": 844})
    plate = blank.text.locator("figure .plate")
    assert plate.evaluate("one => one.scrollWidth <= one.clientWidth"), "on a phone the picture fits the page"


def test_a_picture_that_cannot_be_kept_leaves_its_place(blank: Desk, trouble: Trouble) -> None:
    trouble.expect("Failed to load resource", "503")
    blank.page.route(
        "**/api/projects/*/files",
        lambda route: route.fulfill(status=503, body="") if route.request.method == "POST" else route.continue_(),
    )
    blank.page.keyboard.type("Before.")
    paste(blank, picture=PIXEL)
    expect(blank.page.locator("#text [data-part=voice]")).to_contain_text("The picture could not be uploaded")
    expect(blank.text.locator(".plate.no-picture")).to_contain_text("figures/Flow-chart.png")
    assert "{figures/Flow-chart.png}" in blank.latex()


def test_a_long_text_is_said_before_it_is_pasted(blank: Desk) -> None:
    words = "Of the patients with shock, many had early resuscitation."
    paste(blank, html="".join(f"<p class=MsoNormal style='margin:0cm'>{n} {words}</p>" for n in range(5_500)), text="x")
    expect(blank.page.locator(".toasts")).to_contain_text("Pasting a long text.")
    expect(blank.text.locator("p").last).to_have_text(f"5499 {words}", timeout=60_000)
