r"""The files of a thesis that was started in Scholium: main.tex, front/, chapters/, appendices/ (SPEC T5)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from latex.cite_keys import visible
from latex.numbering import has_chapter
from latex.printable_characters import escape_latex
from thesis.assembly.bibtex_style import Style
from thesis.front_matter.page_fields import NBEMS
from thesis.front_matter.pages import Page, contents, front_pages, single_spaced
from thesis.front_matter.preamble import preamble
from thesis.manuscript import ABSTRACT, FRONT, Chapter, Manuscript
from thesis.numbering import brings_its_number, counters_before

MAIN = "main.tex"
CHAPTERS, APPENDICES, FRONT_PAGES = "chapters", "appendices", "front"
REFERENCES = "references"
_PRINTS = re.compile(r"\\(?:bibliography(?![a-zA-Z])|printbibliography|begin\s*\{thebibliography\})")

# Commands of biblatex that natbib lacks; and \cite is \citep, as in Scholium's editor.
_COMMANDS = r"""
% Citations
\let\cite\citep
\providecommand{\parencite}{\citep}
\providecommand{\Parencite}{\Citep}
\providecommand{\autocite}{\citep}
\providecommand{\Autocite}{\Citep}
\providecommand{\smartcite}{\citep}
\providecommand{\supercite}{\citep}
\providecommand{\textcite}{\citet}
\providecommand{\Textcite}{\Citet}
\providecommand{\fullcite}{\citet}
\providecommand{\bibentry}{\citet}
\makeatletter
% What a caption cites is numbered where the caption stands, not in the list of tables
\let\scholium@starttoc\@starttoc
\let\scholium@input\@input
\renewcommand{\@starttoc}[1]{\begingroup
  \def\@input##1{\begingroup\@fileswfalse\scholium@input{##1}\endgroup}\scholium@starttoc{#1}\endgroup}
\newcommand{\scholium@foot}[2]{\footnote{\citealp[#1]{#2}}}
\def\scholium@feet#1[#2]#3{\footnote{\citealp[#1][#2]{#3}}}
\providecommand{\footcite}[1][]{\@ifnextchar[{\scholium@feet{#1}}{\scholium@foot{#1}}}
\providecommand{\scholium@cites}[2][]{\citep[#1]{#2}%
  \@ifnextchar\bgroup{ \scholium@cites}{\@ifnextchar[{ \scholium@cites}{}}}
\providecommand{\cites}{\scholium@cites}
\providecommand{\parencites}{\scholium@cites}
\providecommand{\autocites}{\scholium@cites}
\makeatother
"""


@dataclass
class NativeFiles:
    """Texts by path, and the path of each chapter by its id."""

    texts: dict[str, str] = field(default_factory=dict)
    chapter_paths: dict[str, str] = field(default_factory=dict)


def prints_references(texts: list[str]) -> bool:
    """Return whether the text itself has a command that prints the references."""
    return any(_PRINTS.search(visible(text)) for text in texts if "bibliography" in text)


def lay_out(manuscript: Manuscript, style: Style | None, only: str | None) -> NativeFiles:
    """Return the TeX files of `manuscript`. `style` None: nothing is cited. `only`: the id of a single section."""
    made = NativeFiles()
    lines = ["% Made by Scholium. How to compile it, and what is where: README.txt", ""]
    lines += [preamble(manuscript).rstrip(), _COMMANDS, "\\begin{document}"]
    lines += _whole(made, manuscript, style) if only is None else _alone(made, manuscript, style, only)
    made.texts[MAIN] = "\n".join([*lines, "", "\\end{document}", ""])
    return made


def _whole(made: NativeFiles, manuscript: Manuscript, style: Style | None) -> list[str]:
    in_front, body = _parted(manuscript.body)
    return [
        "\\frontmatter",
        *_pages(made, front_pages(manuscript)),
        *_chapters(made, (one for one in in_front if one.slug == FRONT)),
        "",
        *(page.latex.strip() for page in contents(manuscript)),
        *_chapters(made, (one for one in in_front if one.slug != FRONT)),
        "",
        "\\mainmatter",
        *_chapters(made, body),
        *_references(manuscript, style),
        *(["", "\\appendix"] if manuscript.appendices else []),
        *(line for chapter in manuscript.appendices for line in _appendix(made, manuscript, chapter)),
        "",
    ]


def _alone(made: NativeFiles, manuscript: Manuscript, style: Style | None, only: str) -> list[str]:
    """Return the lines for one section, with its number in the whole; with "Front matter" come title page and forms."""
    chapter = next(one for one in manuscript.chapters if one.id == only)
    is_appendix = chapter in manuscript.appendices
    if chapter.slug == FRONT:
        lines = ["\\frontmatter", *_pages(made, front_pages(manuscript))]
    elif chapter.slug == ABSTRACT:
        lines = ["\\frontmatter"]
    else:
        lines = [
            "\\mainmatter",
            *(["\\appendix"] if is_appendix else []),
            *counters_before(manuscript, only).settings(),
        ]
    lines += _appendix(made, manuscript, chapter) if is_appendix else _chapter(made, chapter, CHAPTERS)
    return [*lines, *_references(manuscript, style)]


def _parted(chapters: list[Chapter]) -> tuple[list[Chapter], list[Chapter]]:
    """Return the chapters before the first numbered one, which get Roman page numbers, and the rest."""
    place = next((at for at, one in enumerate(chapters) if one.slug not in (FRONT, ABSTRACT)), len(chapters))
    return chapters[:place], chapters[place:]


def _pages(made: NativeFiles, pages: list[Page]) -> list[str]:
    lines = []
    for number, page in enumerate(pages):
        path = f"{FRONT_PAGES}/{number:02d}-{page.name.replace('_', '-')}"
        made.texts[f"{path}.tex"] = page.latex
        lines.append(f"\\input{{{path}}}")
    return lines


def _chapters(made: NativeFiles, chapters: Iterable[Chapter]) -> list[str]:
    return [line for chapter in chapters for line in _chapter(made, chapter, CHAPTERS)]


def _chapter(made: NativeFiles, chapter: Chapter, folder: str) -> list[str]:
    path = f"{folder}/{chapter.number:02d}-{chapter.slug}"
    made.texts[f"{path}.tex"] = chapter.latex
    made.chapter_paths[chapter.id] = f"{path}.tex"
    return ["", *([] if has_chapter(chapter.latex) else _heading(chapter)), f"\\input{{{path}}}"]


def _appendix(made: NativeFiles, manuscript: Manuscript, chapter: Chapter) -> list[str]:
    """Return the lines for an appendix; in an NBEMS thesis, forms for patients are single spaced (rule T06)."""
    lines = _chapter(made, chapter, APPENDICES)
    if manuscript.layout.template == NBEMS and single_spaced(chapter.title):
        return ["", "\\begin{singlespace}", *lines[1:], "\\end{singlespace}"]
    return lines


def _heading(chapter: Chapter) -> list[str]:
    if chapter.slug == FRONT:
        return ["% " + " ".join(chapter.title.split()), "\\clearpage"]
    title = escape_latex(chapter.title)
    if chapter.slug == ABSTRACT:
        return [f"\\chapter*{{{title}}}", f"\\addcontentsline{{toc}}{{chapter}}{{{title}}}"]
    if brings_its_number(chapter):  # "Appendix B: Consent form" has its letter in its title
        return [
            "\\refstepcounter{chapter}",
            f"\\chapter*{{{title}}}",
            f"\\addcontentsline{{toc}}{{chapter}}{{{title}}}",
        ]
    return [f"\\chapter{{{title}}}"]


def _references(manuscript: Manuscript, style: Style | None) -> list[str]:
    if style is None or prints_references([chapter.latex for chapter in manuscript.chapters]):
        return [] if style is None else ["", f"\\bibliographystyle{{{style.name}}}"]
    return ["", "\\clearpage", f"\\bibliographystyle{{{style.name}}}", f"\\bibliography{{{REFERENCES}}}"]
