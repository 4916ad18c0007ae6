"""Leaving out the list of references that a reference manager made in a Word file, entry by entry (SPEC T2, C10).

Scholium prints the list itself, from the citations. An entry is left out only where it is certainly one of the cited
works; any other, such as a work that is in the list without a citation, stays in the text as a typed entry.
"""

import re
from collections import Counter
from collections.abc import Sequence

from citations.formats.csl import surname_of, year_of
from citations.formats.reading import Csl
from citations.formats.word_citations import without_markup
from latex.headings import plain
from sections.word_mark_signs import BEGIN, END, LIST_BEGIN, LIST_END, mark, marks, read_mark
from text.reference_lists import is_list_heading
from thesis.importing.word_citations_and_comments import NAMES, WordContent, letters, without_marks

_ENVIRONMENT = r"\{(?:quote|enumerate|itemize)\}"


def without_own_list(latex: str, word: WordContent) -> str:
    """Return the LaTeX of a document without the listed entries that are cited.

    The heading of a list goes with its last entry. All entries stay where a citation could not be read: its work may
    only be there.
    """
    works = {repr(work.entry.csl): work.entry.csl for cited in word.works.values() for work in cited}
    cited = set[int]() if word.broken else cited_entries([one["text"] for one in word.entries], list(works.values()))
    out = mark(word.base, LIST_END, 0)
    begin, end, comment = (marks(word.base, *kinds).pattern for kinds in ((LIST_BEGIN,), (LIST_END,), (BEGIN, END)))

    def entry(found: re.Match[str]) -> str:
        is_cited = read_mark(found[1], word.base)[1] in cited
        return out if is_cited else marks(word.base, LIST_BEGIN, LIST_END).sub("", found[0])

    def heading(found: re.Match[str]) -> str:
        return out if is_list_heading(without_marks(plain(found[1]), word)) else found[0]

    latex = re.sub(rf"(?:{comment})*({begin}).*?{end}(?:{comment})*", entry, latex, flags=re.DOTALL)
    latex = re.sub(rf"\\item\s*{out}\s*", "", latex)
    latex = re.sub(
        rf"\\begin{_ENVIRONMENT}(?:\s|{out}|\\setcounter\{{enum[iv]+\}}\{{\d+\}})*\\end{_ENVIRONMENT}", out, latex
    )
    latex = re.sub(
        rf"\\(?:chapter|(?:sub)*section)\*?\{{([^{{}}]*)\}}(?:\\label\{{[^{{}}]*\}})?\s*(?:{out}\s*)+"
        r"(?=\\[a-z]*(?:chapter|section)|\Z)",
        heading,
        latex,
    )
    for name, count in Counter(NAMES[word.entries[number]["manager"]] for number in cited).items():
        entries = "1 entry" if count == 1 else f"{count:,} entries"
        left_out = f"{entries} of the list of references that {name} made {'is' if count == 1 else 'are'} not imported"
        word.came.append(f"{left_out} as text: Scholium prints the list from the citations.")
    for number, one in enumerate(word.entries):
        if word.works and not word.broken and number not in cited:
            why = "No citation in the text is certainly this work, so it stays in the text as it was."
            word.tell(f"Entry of the list by {NAMES[one['manager']]}", one["text"], "", why)
    return re.sub(rf"(?<=\n)(?:{out}\s*)+|{out}", "", latex)


def cited_entries(entries: Sequence[str], works: Sequence[Csl]) -> set[int]:
    """Return the numbers of those entries of a list that are certainly one of the works, each work once."""
    texts = [letters(text) for text in entries]
    pairs = []
    for at, csl in enumerate(works):
        name, year, title = (
            letters(surname_of(csl)),
            str(year_of(csl) or ""),
            letters(without_markup(csl.get("title", ""))),
        )
        more = [letters(str(csl.get(field, ""))) for field in ("volume", "issue", "DOI")]
        for number, text in enumerate(texts):
            has_title, has_name, has_year = (bool(part) and part in text for part in (title, name, year))
            if has_name + has_year + has_title >= 2 or (has_title and not (name or year)):
                score = 4 * has_title + 2 * has_year + sum(bool(part) and part in text for part in more)
                pairs.append((-score, len(text), number, at))
    found, used = dict[str, int](), set[int]()
    for _, _, number, at in sorted(pairs):
        # A list for each chapter may have an entry twice, letter for letter.
        if at not in used and texts[number] not in found:
            found[texts[number]] = at
            used.add(at)
    return {number for number, text in enumerate(texts) if text in found}
