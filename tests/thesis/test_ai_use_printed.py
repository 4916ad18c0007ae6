"""The statement on the use of AI beside the declaration, in PDF and Word:
no more is declared than the records show (SPEC T9)."""

import io
import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pypdfium2
import pytest
from docx import Document as open_docx

from projects.models import Project, User
from sections.models import Section
from tests.thesis.accepted_drafts import OWN, SECOND, accepted_draft, written
from tests.thesis.minimal_latex import needs_latex
from tests.thesis.proposals import references
from tests.thesis.test_front_matter import FACTS, page, thesis
from thesis.assembly.assemble import assemble
from thesis.authorship.statement import checks, save_statement
from thesis.front_matter.page_fields import printed
from thesis.front_matter.pages import front_pages
from thesis.latex_build.build_limits import Limits
from thesis.latex_build.run_latex import compile_latex
from thesis.manuscript import AiUse, Manuscript
from thesis.manuscript_data import manuscript_of
from thesis.models import Layout
from thesis.word.docx import docx_of_thesis

STATED = "Parts were drafted by a model.\nAbout half of them stand."
Printed = Callable[[Manuscript, Path], str]
EXCEPTED = "except for text drafted with the help of a language model as stated below"


def with_use(manuscript: Manuscript, words: str = STATED, *stands: str) -> Manuscript:
    return replace(manuscript, ai_use=AiUse(words, stands or ("model",), "saved"))


def page_text(manuscript: Manuscript, name: str) -> str:
    return "\n".join(block.text for block in page(manuscript, name).blocks)


def test_without_use_of_ai_the_forms_stay_as_they_are() -> None:
    for template in ("report", "nbems"):
        manuscript = thesis(template)
        assert "ai_use" not in printed(manuscript)
        assert all("except" not in block.text for one in front_pages(manuscript) for block in one.blocks)
    assert "is my own bona fide work, done at" in page_text(thesis(), "declaration")


def test_the_declaration_excepts_what_stands_and_the_statement_follows_it() -> None:
    manuscript = with_use(thesis())
    words = page_text(manuscript, "declaration")
    assert "is my own bona fide work" in words
    assert EXCEPTED in words
    assert words.index(EXCEPTED) < words.index("About half of them stand.") < words.index("Place:")
    assert "ai_use" not in [one.name for one in front_pages(manuscript)]  # not printed twice
    for certificate in ("guide", "head"):
        assert "except for text drafted with the help of a language model as the candidate’s" in page_text(
            manuscript, certificate
        )


@needs_latex
def test_all_who_sign_do_so_below_the_statement(tmp_path: Path) -> None:
    assert page(thesis(), "declaration").latex.count(r"\formsignatures{") == 1
    lines = "\n".join(["A line of a statement that is as long as the ones that the records give, and so goes on."] * 8)
    pages = pdf_pages(with_use(thesis(facts={**FACTS, "co_guide_name": "Dr Roe"}), lines), tmp_path)
    (declared,) = [words for words in pages if "declare that" in words]
    assert all(who in declared for who in ("Candidate", "Guide", "Co-guide", "Head of institution"))


def test_where_no_declaration_is_printed_it_has_a_page_of_its_own() -> None:
    manuscript = with_use(thesis("report"))
    assert page_text(manuscript, "ai_use").split("\n")[:2] == [
        "Statement on the use of AI",
        "Parts were drafted by a model.",
    ]
    own = with_use(thesis(front="\\section*{Declaration}\nI declare this."))
    assert [one.name for one in front_pages(own)].count("ai_use") == 1
    theirs = with_use(thesis("report", front="\\section*{Use of AI}\nSome."))
    assert "ai_use" not in printed(theirs)


def test_what_is_rewritten_is_stated_and_not_excepted() -> None:
    manuscript = replace(thesis(), ai_use=AiUse(STATED, (), "saved"))
    assert "except" not in page_text(manuscript, "declaration")
    assert "Parts were drafted by a model." in page_text(manuscript, "declaration")


def test_a_page_that_is_switched_off_is_not_referred_to() -> None:
    manuscript = with_use(thesis(pages={"ai_use": False}))
    assert "as stated below" not in page_text(manuscript, "declaration")
    assert "except for text drafted with the help of a language model," in page_text(manuscript, "declaration")
    assert "About half" not in page_text(manuscript, "declaration")


def test_what_is_looked_at_before_handing_in() -> None:
    def titles(manuscript: Manuscript) -> list[str]:
        return [check.title for check in checks(manuscript)]

    assert titles(thesis()) == titles(with_use(thesis())) == []
    assert titles(with_use(thesis(pages={"ai_use": False}))) == ["The statement on the use of AI is not printed"]
    own = with_use(thesis(front="\\section*{Declaration}\nIt is all my own."))
    assert titles(own) == ["Your own declaration may claim more than the records show"]


def test_sentences_that_the_offline_engine_put_together() -> None:
    words = page_text(with_use(thesis(), STATED, "model", "quoted"), "declaration")
    assert "a language model and for sentences of the cited works that software put together as stated below" in words


@pytest.fixture
def quoting(project: Project, owner: User) -> Section:
    """The introduction with a draft that was taken, and the thesis laid out as an NBEMS one."""
    references(project)
    Layout.objects.create(project=project, template="nbems", facts={"institution": "St Mary’s"})
    section: Section = written(project.sections.get(slug="introduction"), f"{OWN}\n", owner)
    accepted_draft(section, owner, SECOND)
    return section


def pdf_pages(manuscript: Manuscript, folder: Path) -> list[str]:
    assembled = assemble(manuscript)
    made = compile_latex(assembled.files, assembled.main, folder=folder, limits=Limits(seconds=90))
    assert made.pdf, made.log[-2000:]
    document = pypdfium2.PdfDocument(made.pdf)
    texts = (one.get_textpage().get_text_bounded() for one in document)
    return [" ".join(unicodedata.normalize("NFKC", text).split()) for text in texts]


def pdf_text(manuscript: Manuscript, folder: Path) -> str:
    return " ".join(pdf_pages(manuscript, folder))


def word_text(manuscript: Manuscript, folder: Path) -> str:
    document = open_docx(io.BytesIO(docx_of_thesis(manuscript).data))
    return " ".join(" ".join(one.text for one in document.paragraphs).split())


@pytest.mark.sample(1)
@needs_latex
@pytest.mark.django_db
@pytest.mark.parametrize(("of_nbems", "of_report"), [(word_text, pdf_text), (pdf_text, word_text)])
def test_in_pdf_and_word_of_each_template(
    quoting: Section, project: Project, owner: User, tmp_path: Path, of_nbems: Printed, of_report: Printed
) -> None:
    (tmp_path / "nbems").mkdir(mode=0o700)
    (tmp_path / "report").mkdir(mode=0o700)
    words = re.sub(r"-\s", "", of_nbems(manuscript_of(project), tmp_path / "nbems"))
    assert EXCEPTED in words
    assert "Parts of this thesis were drafted with the help of a language model." in words
    assert "“Introduction”: 18 words by claude" in words
    Layout.objects.filter(project=project).update(template="report")
    save_statement(project, owner, r"50% & \input{/etc/passwd} $x_1^2$ # {} ~ “Ω” é" + "\n\n" + "\\end{document} < >")
    words = of_report(manuscript_of(project), tmp_path / "report")
    assert r"50% & \input{/etc/passwd} $x_1^2$ # {} ~ “Ω” é" in words
    assert r"\end{document} < >" in words
    assert "Barley" in words or "barley yields more in its shade" in words
