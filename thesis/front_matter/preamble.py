r"""The preamble of a thesis that was started in Scholium: everything before \begin{document} (SPEC T5).

It compiles with pdflatex and the packages that every TeX Live has (latex-recommended, fonts-recommended); other
packages are loaded only when the text needs them and they are installed. The NBEMS template follows the rules T02 to
T06 of docs/nbems.md: 1-inch margins, Times 12 pt, 1.5 spacing, each chapter on a new page, no blank page, page numbers.
"""

import re
from collections.abc import Iterator

from citations.styles.formatting import style_info
from latex.printable_characters import declarations, escape_latex
from thesis.front_matter.page_fields import NBEMS, values
from thesis.manuscript import Manuscript

# Packages beyond the recommended ones, and the commands and environments that need them
_WANTED: dict[str, set[str]] = {
    "multirow": {"multirow"},
    "makecell": {"makecell", "thead"},
    "siunitx": {
        "SI", "si", "num", "qty", "unit", "ang", "SIrange", "numrange", "qtyrange", "sisetup", "SIlist", "numlist",
        "qtylist", "numproduct", "qtyproduct", "tablenum", "DeclareSIUnit",
    },
    "tfrupee": {"rupee", "textrupee"},
    "threeparttable": {"threeparttable", "tnote", "tablenotes"},
    "mhchem": {"ce"},
    "csquotes": {"enquote", "textquote", "blockquote"},
    "ulem": {"uline", "sout", "uwave"},
    "soul": {"st", "hl", "ul", "so"},
    "wrapfig": {"wrapfigure", "wraptable"},
    "adjustbox": {"adjustbox"},
    "tikz": {"tikzpicture", "tikz"},
    "xurl": {"url"},
    "bm": {"bm"},
    "pifont": {"ding"},
    "cancel": {"cancel", "bcancel", "xcancel"},
    "epigraph": {"epigraph", "epigraphs"},
    "verse": {"poemtitle", "vin"},
    "algorithm": {"algorithm"},
    "algpseudocode": {"State"},
    "algorithmic": {"STATE"},
    "multicol": {"multicols"},
    "placeins": {"FloatBarrier"},
    "pdfpages": {"includepdf"},
}  # fmt: skip
# Those that must follow hyperref
_WANTED_LAST: dict[str, set[str]] = {
    "cleveref": {
        "cref", "Cref", "crefrange", "Crefrange", "cpageref", "Cpageref", "cpagerefrange", "labelcref", "namecref",
        "nameCref", "namecrefs", "nameCrefs", "lcnamecref", "crefname", "Crefname", "crefformat",
    },
}  # fmt: skip
_OPTIONS = {"ulem": "[normalem]", "mhchem": "[version=4]"}
# Recommended packages that not every thesis needs
_RECOMMENDED: dict[str, set[str]] = {
    "subcaption": {"subcaptionbox", "subcaption", "subref", "subfigure", "subtable"},
    "pdflscape": {"landscape"},
    "rotating": {"sidewaystable", "sidewaysfigure", "rotatebox"},
    "listings": {"lstlisting", "lstinline"},
    "colortbl": {"rowcolor", "cellcolor", "columncolor"},
    "xcolor": {"textcolor", "colorbox", "definecolor", "color"},
    "verbatim": {"comment", "verbatiminput"},
    "amsthm": {"proof", "theoremstyle", "newtheorem", "qedhere"},
}
_NAMES = re.compile(r"\\(?:begin\{)?([A-Za-z]+)")
_LISTED = re.compile(r"\\begin\{(?:enumerate|itemize|description)\}\s*\[|\\setlist")

_HEAD = r"""\documentclass[12pt,a4paper,oneside,openany]{book}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{textcomp}
\usepackage{mathptmx}
\usepackage{courier}
\usepackage{amsmath,amssymb}
\usepackage[margin=%(margin)s]{geometry}
\usepackage{graphicx}
\usepackage{array,calc,longtable,tabularx,booktabs}
\usepackage[font=small,labelfont=bf]{caption}
\usepackage{float}
\usepackage{setspace}
\IfFileExists{microtype.sty}{\usepackage{microtype}}{}
"""

_CITED = r"""\usepackage[%(natbib)s]{natbib}
\usepackage[hidelinks,unicode]{hyperref}
\hypersetup{pdftitle={%(title)s},pdfauthor={%(author)s}}
"""

_SHAPE = r"""
%% Spacing, and a little give so that long words do not run into the margin
\onehalfspacing
\setlength{\emergencystretch}{3em}
\raggedbottom
\widowpenalty=10000
\clubpenalty=10000
\pagestyle{plain}
\setcounter{tocdepth}{2}
\setcounter{secnumdepth}{3}

%% A chapter begins at the top of its page
\makeatletter
\renewcommand{\@makechapterhead}[1]{%%
  {\parindent\z@\raggedright\normalfont\Large\bfseries
   \ifnum\c@secnumdepth>\m@ne\if@mainmatter\thechapter\quad\fi\fi #1\par\nobreak\vskip 18\p@}}
\renewcommand{\@makeschapterhead}[1]{%%
  {\parindent\z@\raggedright\normalfont\Large\bfseries #1\par\nobreak\vskip 18\p@}}
\renewcommand{\section}{\@startsection{section}{1}{\z@}{-3.0ex plus -1ex minus -.2ex}{1.5ex plus .2ex}%%
  {\normalfont\large\bfseries}}
\renewcommand{\subsection}{\@startsection{subsection}{2}{\z@}{-2.5ex plus -1ex minus -.2ex}{1ex plus .2ex}%%
  {\normalfont\normalsize\bfseries}}
\makeatother
\renewcommand{\contentsname}{Contents}
\renewcommand{\listtablename}{List of tables}
\renewcommand{\listfigurename}{List of figures}
\renewcommand{\bibname}{References}
\renewcommand{\bibsection}{\chapter*{\bibname}\addcontentsline{toc}{chapter}{\bibname}}

%% A picture without a size of its own is never wider or higher than the page
\makeatletter
\newcommand{\fitwidth}{\ifdim\Gin@nat@width>\linewidth\linewidth\else\Gin@nat@width\fi}
\newcommand{\fitheight}{\ifdim\Gin@nat@height>0.85\textheight 0.85\textheight\else\Gin@nat@height\fi}
\let\setpicture\includegraphics
\DeclareRobustCommand{\includegraphics}{\@ifnextchar[{\setpicture}{\@ifstar{\setpicture*}%%
  {\setpicture[width=\fitwidth,height=\fitheight,keepaspectratio]}}}
\makeatother

%% Commands that texts from elsewhere use, and signs by the names that small packages give them
\providecommand{\degree}{\ensuremath{^{\circ}}}
\providecommand{\celsius}{\degree C}
\providecommand{\euro}{\texteuro}
\providecommand{\rupee}{Rs.}
\providecommand{\textrupee}{\rupee}
\providecommand{\tightlist}{\setlength{\itemsep}{0pt}\setlength{\parskip}{0pt}}
\providecommand{\pandocbounded}[1]{#1}

%% The title page and the forms
\newenvironment{formtitle}[1]%%
  {\clearpage\thispagestyle{#1}\begingroup\setlength{\parindent}{0pt}\centering\singlespacing}%%
  {\par\vfill\endgroup\clearpage}
\newenvironment{formpage}{\begingroup\setlength{\parindent}{0pt}\setlength{\parskip}{0.4em}}{\clearpage\endgroup}
\newcommand{\formgap}{\par\vspace*{1.5em plus 1fill}}
\newcommand{\formname}[1]{{\LARGE\bfseries\setstretch{1.15} #1\par}}
\newcommand{\formstrong}[1]{{\large\bfseries #1\par}\vspace{0.3em}}
\newcommand{\formline}[1]{{#1\par}\vspace{0.3em}}
\newcommand{\formblank}{\rule[-0.2ex]{4cm}{0.4pt}}
\newcommand{\formheading}[1]{\chapter*{#1}\pdfbookmark[0]{#1}{#1}}
\newcommand{\formsigned}[3]{\begin{minipage}[t]{#1\linewidth}\raggedright\singlespacing\rule{\linewidth}{0.4pt}\par
  {#2\par}{\small #3\par}\end{minipage}}
\newcommand{\formsignature}[2]{\par\vspace{3.2em}\noindent\hspace*{0.45\linewidth}\formsigned{0.55}{#1}{#2}\par}
\newcommand{\formsignatures}[4]{\par\vspace{3.2em}\noindent\formsigned{0.46}{#1}{#2}\hfill\formsigned{0.46}{#3}{#4}\par}
\newenvironment{abbreviations}%%
  {\begingroup\singlespacing\setlength{\LTleft}{0pt}\setlength{\LTright}{0pt}\renewcommand{\arraystretch}{1.25}%%
   \begin{longtable}{@{}>{\bfseries\raggedright\arraybackslash}p{0.24\linewidth}%%
     >{\raggedright\arraybackslash}p{0.7\linewidth}@{}}}%%
  {\end{longtable}\endgroup}
"""

_LETTERS = r"""
% Letters beyond those that pdflatex knows
\makeatletter
\newcommand{\DeclareLetter}[2]{\DeclareUnicodeCharacter{#1}{\texorpdfstring{#2}{\unichar{"#1}}}}
% These have no sign in the font: an error is better than a black box
\newcommand{\DeclareMissing}[2]{\DeclareUnicodeCharacter{#1}{%%
  \@latex@error{Unicode character \detokenize{#2} (U+#1)^^J not set up for use with LaTeX}\@eha}}
\DeclareMissing{014A}{Ŋ}\DeclareMissing{014B}{ŋ}\DeclareMissing{0237}{ȷ}
\makeatother
"""


def preamble(manuscript: Manuscript) -> str:
    r"""Return the lines before \begin{document} for a thesis that was started in Scholium, with a final line break."""
    text = "\n".join(chapter.latex for chapter in manuscript.chapters)
    return "".join(
        [
            _HEAD % {"margin": "1in" if manuscript.layout.template == NBEMS else "2.5cm"},
            *_packages(text),
            _CITED
            % {
                "natbib": natbib_options(manuscript.style),
                "title": escape_latex(manuscript.title),
                "author": escape_latex(values(manuscript)["author"]),
            },
            *_loaded(_WANTED_LAST, text),
            _SHAPE.replace("%%", "%"),
            _LETTERS.replace("%%", "%"),
            declarations(_texts(manuscript)),
            "\n",
        ]
    )


def natbib_options(style: str) -> str:
    """Return the options of natbib for the CSL style `style`: by numbers, or by author and year."""
    return "authoryear,round" if style_info(style).cites.startswith("author") else "numbers,square,sort&compress"


def _packages(text: str) -> Iterator[str]:
    used = set(_NAMES.findall(text))
    for package, names in _RECOMMENDED.items():
        if used & names:
            yield f"\\usepackage{{{package}}}\n"
    yield from _loaded(_WANTED, text)
    if _LISTED.search(text):
        yield _if_installed("enumitem")


def _loaded(packages: dict[str, set[str]], text: str) -> Iterator[str]:
    """Yield the lines that load those of `packages` whose commands or environments `text` uses."""
    used = set(_NAMES.findall(text))
    yield from (_if_installed(package) for package, names in packages.items() if used & names)


def _if_installed(package: str) -> str:
    return f"\\IfFileExists{{{package}.sty}}{{\\usepackage{_OPTIONS.get(package, '')}{{{package}}}}}{{}}\n"


def _texts(manuscript: Manuscript) -> Iterator[str]:
    """Yield all text that is printed, for the special characters in it."""
    yield from (manuscript.title, manuscript.layout.acknowledgements, manuscript.layout.abbreviations)
    yield from (manuscript.ai_use.statement, *values(manuscript).values())
    for chapter in manuscript.chapters:
        yield from (chapter.title, chapter.latex)
    for work in manuscript.works:
        yield str(work.csl)
