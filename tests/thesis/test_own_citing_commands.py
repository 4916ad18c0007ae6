"""Commands that a thesis defines to cite with:
what is audited, stopped, stripped, listed and printed (SPEC C7, T5, T6)."""

import io
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from uuid import UUID

import pytest
from docx import Document as open_docx

from citations.audit.audit import Audit, AuditEntry, audit
from citations.audit.key_uses import SectionText
from latex.cite_edits import UNRESOLVED, remove_keys
from latex.cite_keys import count_cited, unfollowed
from sections.citing_text import citing_texts
from tests.thesis.manuscripts import chapter, file, imported_manuscript, native_manuscript, set_by_latex, work
from thesis.assembly.assemble import Assembled, assemble
from thesis.manuscript import Manuscript
from thesis.preflight import preflight
from thesis.preview.page_data import pages_of
from thesis.word.docx import docx_of_thesis

# How a command is defined, and how it cites the key KEY. Each is a way of its own.
WAYS = {
    "newcommand": (r"\newcommand{\see}[1]{see \cite{#1}}", r"\see{KEY}"),
    "renewcommand": (r"\newcommand{\see}{}\renewcommand*\see[2][p.~1]{\cite[#1]{#2}}", r"\see{KEY} \see[p.~2]{KEY}"),
    "providecommand": (r"\providecommand{\see}[2]{#1 \cite{#2}}", r"\see{Words}{KEY}"),
    "def": (r"\def\see#1{\cite{#1}}", r"\see{KEY}"),
    "let": (r"\let\see\cite", r"\see[p.~3]{KEY}"),
    "document": (r"\NewDocumentCommand{\see}{s O{} m}{\IfBooleanTF{#1}{\citet{#3}}{\cite[#2]{#3}}}",
        r"\see*{KEY} \see[x]{KEY}"),
    "robust": (r"\DeclareRobustCommand{\see}[1]{\textbf{\cite{#1}}}", r"\see{KEY}"),
    "chain": (r"\newcommand{\see}{\seea}\newcommand{\seea}[1]{\seeb{#1}}\newcommand{\seeb}[1]{\cite{#1}}",
        r"\see{KEY}"),
    "literal": (r"\newcommand{\see}{the trial \cite{KEY}}", r"As \see{} says"),
    "prefix": (r"\newcommand{\see}[1]{\cite{K#1}}", r"\see{EY}"),
    "csname": (r"\expandafter\def\csname see\endcsname#1{\cite{#1}}", r"\csname see\endcsname{KEY}"),
    "looking ahead": (
        (
            r"\makeatletter\def\see{\@ifnextchar[{\see@o}{\see@p}}\def\see@o[#1]#2{"
            r"\cite[#1]{#2}}\def\see@p#1{\cite{#1}}\makeatother"
        ),
        r"\see{KEY} \see[p.~4]{KEY}",
    ),
    "branches": (r"\newcommand{\see}[2][]{\ifx\relax#1\relax\cite{#2}\else\cite[#1]{#2}\fi}", r"\see{KEY}"),
    "environment": (r"\newenvironment{seen}[1]{From \cite{#1}: }{}", r"\begin{seen}{KEY}words\end{seen}"),
    "key": (r"\newcommand{\trial}{KEY}", r"\cite{\trial}"),
}  # fmt: skip
PLACES = ["section", "preamble", "package"]


def written(way: str, key: str) -> tuple[str, str]:
    definition, use = WAYS[way]
    if way == "prefix":
        return definition.replace("{K#1}", f"{{{key[0]}#1}}"), use.replace("EY", key[1:])
    return definition.replace("KEY", key), use.replace("KEY", key)


def thesis(way: str, place: str, key: str) -> Manuscript:
    """A thesis that cites `aa` plainly and `key` in the given way, defined at the given place."""
    definition, use = written(way, key)
    text = f"Plain \\cite{{aa}}. Words {use} and more.\nThe last line.\n"
    works = ["aa", "bb", "dd"]
    if place == "section":
        made = native_manuscript(f"{definition}\n{text}", works="")
    else:
        head = "\\documentclass{report}\n\\usepackage{natbib}\n"
        head += f"{definition}\n" if place == "preamble" else "\\usepackage{own}\n"
        package = f"\\NeedsTeXFormat{{LaTeX2e}}\\ProvidesPackage{{own}}\n{definition}\n\\endinput\n".encode()
        files = (
            {"own.sty": package.replace(b"\\makeatletter", b"").replace(b"\\makeatother", b"")}
            if place == "package"
            else {}
        )
        end = "\\bibliographystyle{plainnat}\\bibliography{refs}\\end{document}"
        made = imported_manuscript(
            [f"{head}\\begin{{document}}\n", 2, end], files, [chapter(2, f"\\chapter{{One}}\n{text}")], works=""
        )
    made.works.extend(work(one, "D" if one == "dd" else "A") for one in works)
    return made


def audited(manuscript: Manuscript) -> Audit:
    tiers = {"A": ("A", "verified"), "D": ("D", "not_found")}
    entries = [AuditEntry(UUID(int=at), one.key, *tiers[one.tier], False) for at, one in enumerate(manuscript.works)]
    chapters = [(one.id, one.latex) for one in manuscript.chapters]
    texts = citing_texts(chapters, manuscript.files if manuscript.is_brought else [], lambda one: one.read())
    return audit(
        entries,
        [
            SectionText(UUID(int=2) if one.section else None, one.section and "s", 2, one.path, one.latex, one.macros)
            for one in texts
        ],
    )


def blocks(manuscript: Manuscript) -> set[str]:
    found = preflight(UUID(int=7), manuscript, assemble(manuscript), audited(manuscript))
    return {one.kind for one in found if one.level == "blocks"}


def whole(made: Assembled) -> str:
    return "\n".join(data.decode() for path, data in made.files.items() if path.endswith((".tex", ".sty")))


CASES = [(way, place) for way in WAYS for place in PLACES]


@pytest.mark.sample(15)
@pytest.mark.parametrize(("way", "place"), CASES)
def test_a_work_that_is_not_proven_is_found_and_stops_the_final_export(way: str, place: str) -> None:
    found = audited(thesis(way, place, "dd"))
    assert [one.entry.key for one in found.blocking] == ["dd"]
    assert found.integrity_score < 100
    assert "unproven" in blocks(thesis(way, place, "dd"))


@pytest.mark.sample(15)
@pytest.mark.parametrize(("way", "place"), CASES)
def test_a_key_without_an_entry_is_missing(way: str, place: str) -> None:
    manuscript = thesis(way, place, "gone")
    assert [one.key for one in audited(manuscript).missing] == ["gone"]
    assert {one.key for one in assemble(manuscript).undefined} == {"gone"}
    assert "missing_key" in blocks(manuscript)


@pytest.mark.sample(15)
@pytest.mark.parametrize(("way", "place"), CASES)
def test_a_proven_work_is_among_the_references(way: str, place: str) -> None:
    manuscript = thesis(way, place, "bb")
    assert audited(manuscript).integrity_score == 100
    assert [one.key for one in audited(manuscript).orphaned] == ["dd"]
    made = assemble(manuscript)
    assert set(re.findall(r"@article\{(\w+),", made.files["references.bib"].decode())) == {"aa", "bb"}
    assert not blocks(manuscript)
    assert written(way, "bb")[1] in made.files[made.chapter_paths["id-2"]].decode()  # nothing had to change


@pytest.mark.sample(15)
@pytest.mark.parametrize(("way", "place"), CASES)
def test_what_is_not_proven_is_stripped(way: str, place: str) -> None:
    manuscript = thesis(way, place, "dd")
    made = assemble(manuscript)
    assert [one.key for one in made.stripped] == ["dd"]
    assert "dd" not in re.findall(r"@article\{(\w+),", made.files["references.bib"].decode())
    assert "% UNRESOLVED: dd" in whole(made)
    changed = assembled_again(manuscript, made)
    assert "dd" not in {one.key for one in assemble(changed).stripped}
    # The line map leads from the last line to where the person has it
    path = made.chapter_paths["id-2"]
    lines = made.files[path].decode().split("\n")
    at = next(number for number, line in enumerate(lines, 1) if "The last line." in line)
    place_of = made.place(path, at)
    assert place_of is not None
    assert "The last line." in manuscript.chapters[0].latex.split("\n")[place_of.line - 1]


def assembled_again(manuscript: Manuscript, made: Assembled) -> Manuscript:
    """The manuscript with the texts that were written."""
    latex = made.files[made.chapter_paths["id-2"]].decode()
    again = native_manuscript(latex, works="")
    again.works.extend(manuscript.works)
    if not manuscript.is_brought:
        return again
    files = {"own.sty": made.files["own.sty"]} if "own.sty" in made.files else {}
    head = made.files["main.tex"].decode().partition("\\begin{document}")[0]
    again = imported_manuscript(
        [f"{head}\\begin{{document}}", 2, "\\end{document}"], files, [chapter(2, latex)], works=""
    )
    again.works.extend(manuscript.works)
    return again


@pytest.mark.sample(1)
@pytest.mark.parametrize("way", WAYS)
def test_word_has_the_work_and_its_number(way: str) -> None:
    for place in PLACES:
        document = open_docx(io.BytesIO(docx_of_thesis(thesis(way, place, "bb")).data))
        text = "\n".join(paragraph.text for paragraph in document.paragraphs)
        assert "A trial called bb" in text, (place, text)
        assert re.search(r"[\[(\s]2[\])\s.,]", text), (place, text)
        assert "trial called dd" not in text


@pytest.mark.sample(5)
@pytest.mark.parametrize("way", WAYS)
def test_the_preview_has_the_work(way: str) -> None:
    for place in PLACES:
        shown = pages_of(thesis(way, place, "bb")).references
        assert shown is not None
        assert list(shown.works) == ["aa", "bb"], place


def every_way(place: str, tier: str) -> Manuscript:
    """A thesis that cites a work of its own in each way."""
    definitions, uses, works = [], [], [work("aa")]
    for letter, way in zip("abcdefghijklmnopqrstuvwxyz", WAYS, strict=False):
        definition, use = (one.replace("see", f"see{letter}x") for one in written(way, f"k{letter}"))
        definitions.append(definition.replace("\\trial", f"\\trial{letter}"))
        uses.append(f"Words {use.replace(chr(92) + 'trial', f'{chr(92)}trial{letter}')} and more.\n\n")
        works.append(work(f"k{letter}", tier))
    made = thesis("newcommand", place, "aa")
    definition = WAYS["newcommand"][0]
    text = made.chapters[0].latex.replace(definition, "\n".join(definitions))
    text = text.replace("\\see{aa}", "\n\n".join(uses))
    files = []
    for one in made.files:
        whole = "\n".join(definitions)
        if one.pieces is None:
            data = one.read().decode().replace(definition, whole).encode()
            files.append(one._replace(read=partial(bytes, data)))
        else:
            pieces = [
                {"text": piece["text"].replace(definition, whole)} if "text" in piece else piece for piece in one.pieces
            ]
            files.append(one._replace(pieces=pieces))
    return replace(made, chapters=[made.chapters[0]._replace(latex=text)], files=files, works=works)


@pytest.mark.long
@pytest.mark.parametrize("place", PLACES)
def test_the_pdf_has_every_work(place: str, tmp_path: Path) -> None:
    manuscript = every_way(place, "A")
    read, _ = set_by_latex(assemble(manuscript).files, tmp_path)
    for one in manuscript.works:
        assert f"A trial called {one.key}" in " ".join(read.split()), one.key
    assert "[?" not in read


@pytest.mark.long
@pytest.mark.parametrize("place", PLACES)
def test_the_pdf_of_what_was_stripped_is_made(place: str, tmp_path: Path) -> None:
    read, _ = set_by_latex(assemble(every_way(place, "D")).files, tmp_path)
    assert "A trial called aa" in " ".join(read.split())
    assert "called k" not in read
    assert "The last line." in read


@pytest.mark.parametrize(
    ("definition", "use", "name"),
    [
        (r"\def\see#1/#2.{\cite{#1}}", r"\see dd/x.", "see"),
        (r"\newcommand{\make}[1]{\expandafter\def\csname #1\endcsname##1{\cite{##1}}}", r"\make{see}\see{dd}", "make"),
        ("", r"\makeatletter\@for\k:=dd,bb\do{\cite{\k}}\makeatother", "cite"),
    ],
)
def test_what_cannot_be_followed_is_named_and_the_final_export_waits(definition: str, use: str, name: str) -> None:
    manuscript = native_manuscript(f"{definition}\nWords {use}", works="ab")
    found = audited(manuscript)
    assert [(one.name, one.line) for one in found.unfollowed] == [(name, 2)]
    assert found.integrity_score < 100
    assert "unfollowed" in blocks(manuscript)


UNSEEN = {
    "lua": r"\directlua{tex.print('\\cite{dd}')}",
    "lua file": r"\directlua{dofile('x.lua')}",
    "lua environment": "\\begin{luacode}\ntex.print('\\\\cite{dd}')\n\\end{luacode}",
    "lines of a file": r"\newread\f\openin\f=keys.txt \read\f to\k \k",
    "another escape": r"\catcode`\!=0 !cite{dd}",
    "other braces": r"\catcode`\[=1 \catcode`\]=2 \cite[dd]",
    "active": r"\catcode`\|=\active \def|#1|{\cite{#1}} |dd|",
    "tie": r"\def~#1~{\cite{#1}} ~dd~",
    "scantokens": r"\def\x{dd}\scantokens\expandafter{\x}",
    "appended": r"\newcommand{\foo}[1]{words #1}\apptocmd{\foo}{\cite{#1}}{}{} \foo{dd}",
    "patched": r"\newcommand{\foo}[1]{words #1}\patchcmd{\foo}{words}{\cite}{}{} \foo{dd}",
    "list": r"\forcsvlist{\cite}{dd,bb}",
    "list of its own": r"\newcommand{\see}[1]{\cite{#1}}\forcsvlist{\see}{dd,bb}",
    "do": r"\renewcommand*{\do}[1]{\cite{#1}}\docsvlist{dd,bb}",
    "inline map": r"\NewDocumentCommand\see{m}{\clist_map_inline:nn{#1}{\cite{##1}}}\see{dd,bb}",
    "option": r"\define@key{see}{of}{\cite{#1}}\setkeys{see}{of=dd}",
    "split": r"\NewDocumentCommand\see{>{\SplitList{;}}m}{\ProcessList{#1}{\cite}}\see{dd;bb}",
    "name": r"\def\see#1{\csname ci\letters te\endcsname{#1}}\see{dd}",
}


@pytest.mark.parametrize("way", UNSEEN)
def test_what_cites_unseen_is_named(way: str) -> None:
    manuscript = native_manuscript(f"{UNSEEN[way]} words.\n", works="")
    manuscript.works.extend(work(key, "D" if key == "dd" else "A") for key in ("bb", "dd"))
    assert audited(manuscript).unfollowed
    assert "unfollowed" in blocks(manuscript)


SEEN = {
    "appended to a heading": r"\apptocmd{\section}{\cite{dd}}{}{}",
    "hook": r"\AtBeginDocument{\nocite{dd}}",
    "paragraphs": r"\everypar={\see}\def\see{\cite{dd}}",
    "acronym": r"\newacronym{x}{X}{words \cite{dd}}\gls{x}",
    "old command": r"\let\oldcite\cite\renewcommand{\cite}[2][]{\textbf{\oldcite[#1]{#2}}}\cite{dd}",
    "two arguments": r"\newcommand{\mycite}[2]{#1 \cite{#2}}\mycite{words}{dd}",
    "expanded first": r"\newcommand{\see}[1]{\edef\x{#1}\expandafter\cite\expandafter{\x}}\see{dd}",
    "as letters": r"\newcommand{\see}[1]{\cite{\detokenize{#1}}}\see{dd}",
    "within": r"\newcommand{\make}{\newcommand{\see}[1]{\cite{##1}}}\make\see{dd}",
}


@pytest.mark.parametrize("way", SEEN)
def test_what_is_cited_in_passing_is_seen(way: str) -> None:
    manuscript = native_manuscript(f"{SEEN[way]} words.\n", works="")
    manuscript.works.append(work("dd", "D"))
    found = audited(manuscript)
    assert ([one.entry.key for one in found.blocking], found.unfollowed) == (["dd"], [])


@pytest.mark.parametrize(
    "text",
    [
        r"\directlua{tex.print(1+1)} \catcode`\_=12 \makeatletter\makeatother \let~\nobreakspace a~b",
        r"\apptocmd{\section}{\vspace{1em}}{}{}\AtBeginDocument{\hypersetup{x}}\read16 to\x \newacronym{x}{X}{words}",
        r"\let\see\whatever \see{words} \NewDocumentCommand\abs{e{^_} m}{|#2|} \footnote{\abs^{2}{x} and \cite{aa}}",
        r"\begingroup\catcode`\#=12\gdef\mark{#}\endgroup \DeclareAutoCiteCommand{x}{\footcite}{\footcites} \cite{aa}",
        "\\def\\loop#1{\\ifx#1x\\loop{#1}\\else\\loop{y}\\fi}\\loop{x} \\cite{aa}",
    ],
)
def test_what_cites_nothing_unseen_is_no_hindrance(text: str) -> None:
    manuscript = native_manuscript(text, works="")
    manuscript.works.append(work("aa"))
    found = audited(manuscript)
    assert (found.unfollowed, found.missing, found.integrity_score) == ([], [], 100)


def test_ordinary_commands_stop_nothing() -> None:
    text = (
        r"\newcommand{\ie}{i.e.}\def\pair(#1,#2){#1 and #2}\newcommand{\sref}[1]{\csname ref\endcsname{#1}}"
        r"\def\upto#1.{#1}\newcommand{\two}[2]{#1{#2}} \ie \pair(a,b) \upto x. \two{\emph}{words} \cite{a}"
    )
    found = audited(native_manuscript(text, works="a"))
    assert (found.unfollowed, found.integrity_score, found.missing) == ([], 100, [])


def test_everything_is_cited_from_the_main_file() -> None:
    manuscript = imported_manuscript(
        ["\\documentclass{report}\\begin{document}", 2, "\\nocite{*}\\bibliography{x}\\end{document}"],
        {},
        [chapter(2, "Words.")],
        works="abd",
    )
    found = audited(manuscript)
    assert found.orphaned == []
    assert [one.entry.key for one in found.blocking] == ["d"]


def test_a_package_that_nothing_loads_defines_nothing() -> None:
    manuscript = imported_manuscript(
        ["\\documentclass{report}\\begin{document}", 2, "\\end{document}"],
        {"other.sty": file("other.sty", rb"\newcommand{\see}[1]{\cite{#1}}").read()},
        [chapter(2, "\\see{important words}")],
    )
    assert audited(manuscript).missing == []


@pytest.mark.parametrize(
    "text",
    [
        r"\def\k{evil}\cite\k",
        r"\def\k{evil}\expandafter\cite\expandafter{\k}",
        r"\def\k{evil}\expandafter\citep\expandafter[p. 3]\expandafter{\k}",
        r"\csname ci\string te\endcsname{evil}",
        r"\def\x{ite}\csname c\x\endcsname{evil}",
        r"\cite\expandafter{evil}",
    ],
)
def test_a_citation_that_is_written_in_a_roundabout_way_is_seen_and_stripped(text: str) -> None:
    assert count_cited(text) == {"evil": 1}
    stripped = remove_keys(text, {"evil"})
    assert count_cited(stripped) == {}
    assert stripped.count(UNRESOLVED.format(key="evil")) == 1


def test_keys_that_commands_stand_for_are_written_out_where_one_goes() -> None:
    text = r"\def\k{evil,good}\cite[p. 3]{\k} and \cite{\k, more}"
    stripped = remove_keys(text, {"evil"}, said="")
    assert stripped == r"\def\k{evil,good}\cite[p. 3]{good} and \cite{good,more}"


def test_letters_written_as_numbers_are_named() -> None:
    assert [one.name for one in unfollowed(r"See \c^^69te{evil} and \catcode`\^^M=12.")] == ["c^^69te"]
    assert unfollowed(r"\ifx\cite\undefined x\fi") == []
