"""Checks before a thesis is submitted: what blocks the final export, looks wrong, or is missing (SPEC C2, T5).

`preflight` is pure: it gets the thesis as values, the result of assembling it, and the audit of its citations. None of
its findings stops a build or a draft export; `blocking` returns those that stop the final export.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from django.urls import reverse
from django.utils.text import get_text_list

from citations.audit.audit import Audit, CitedEntry, MissingKey, audit_project
from citations.audit.key_uses import Use
from citations.models import Citation
from projects.models import Project

if TYPE_CHECKING:
    from thesis.assembly.assemble import Assembled
    from thesis.front_matter.page_fields import Unfilled
    from thesis.front_matter.word_limits import Limit
    from thesis.manuscript import Chapter, Manuscript

Level = Literal["blocks", "warns", "notes"]

_S = Citation.Status
# What stops the final export: the kind of finding, the rest of its title, what it means, and the text of the link
_BLOCKS = {
    "not_checkable": (
        "unproven",
        "cannot be looked up",
        "Its entry has neither a title nor an identifier, so it is left out of the PDF.",
        "Open it",
    ),
    _S.CONFLICT: (
        "conflict",
        "conflicts with its record",
        "Its identifier describes another work, so it is left out of the PDF.",
        "Compare the two",
    ),
    _S.NOT_FOUND: (
        "unproven",
        "was not found",
        "No registry knows it. It is left out of the PDF until it is verified, and its place is marked in the source.",
        "Open it",
    ),
    _S.REVIEW: (
        "review",
        "needs to be confirmed",
        "A record was found that may be this work. Somebody has to confirm it.",
        "Compare the two",
    ),
}
_UNRESOLVED = {
    "failed": "could not be looked up, because a registry did not answer",
    "being_looked_up": "is being looked up",
    "not_looked_up": "has not been looked up yet",
}
# Places on the page of a citation
_ANCHORS = {"Compare the two": "#why", "Give a reason": "#retraction", "Add an author": "#file"}
_WORDS_A_PAGE = 300  # on a page with wide margins and 1.5 spacing, as an estimate when there is no PDF
_NAMED = 3  # sections named in a sentence


class Finding(NamedTuple):
    """A problem or note. `act` is the text of the link to `href`; `line` counts from 1, 0 when there is none.

    `section` is the id of its section, "" for the whole thesis, and `slug` that section's name in URLs.
    """

    level: Level
    kind: str
    title: str
    said: str
    section: str = ""
    slug: str = ""
    line: int = 0
    href: str = ""
    act: str = ""


def preflight(
    project_id: Any,
    manuscript: "Manuscript",
    assembled: "Assembled",
    audited: Audit,
    *,
    pages: Mapping[str, int] | None = None,
    limits: "Sequence[Limit]" = (),
    unfilled: "Sequence[Unfilled]" = (),
) -> list[Finding]:
    """Return all findings, those that block first, each kind in the order of the text.

    `project_id` is for URLs only. `pages` are the numbers of pages in the last good PDF by the id of the section, and
    under "" of the whole thesis; `limits` are the template's rules on length, `unfilled` the empty fields of the title
    page and the forms.
    """
    seen = _Seen(project_id, manuscript.chapters)
    found = [
        *seen.citations(audited, assembled),
        *seen.structure(assembled),
        *seen.empty(manuscript.chapters),
        *(one for limit in limits for one in seen.limit(limit, manuscript.chapters, pages or {})),
        *seen.forms(unfilled),
        *seen.letters(manuscript),
        *seen.ai_use(manuscript),
    ]
    return sorted(found, key=lambda one: ("blocks", "warns", "notes").index(one.level))


def check_project(project: Project, audited: Audit | None = None) -> list[Finding]:
    """Return the findings of `preflight` for a project, in a constant number of queries.

    `audited` is passed by callers that have read the audit already.
    """
    from thesis.assembly.assemble import assemble
    from thesis.front_matter.page_fields import unfilled
    from thesis.front_matter.word_limits import limits
    from thesis.latex_build.build_job import last_good
    from thesis.manuscript_data import manuscript_of

    manuscript = manuscript_of(project)
    build = last_good(project)
    pages = {**build.page_counts, "": build.pages} if build else {}
    return preflight(
        project.pk,
        manuscript,
        assemble(manuscript),
        audited or audit_project(project),
        pages=pages,
        limits=limits(manuscript),
        unfilled=() if manuscript.is_brought else unfilled(manuscript),  # it has its own front matter then
    )


def blocking(project: Project) -> list[Finding]:
    """Return what stops the final export of `project`: citations (C2), missing pictures, unclosed environments."""
    return [one for one in check_project(project) if one.level == "blocks"]


class _Seen:
    """Maker of the findings of one thesis, with its section names and URLs."""

    def __init__(self, project_id: Any, chapters: "Sequence[Chapter]") -> None:
        self.project_id = project_id
        self.by_id = {chapter.id: chapter for chapter in chapters}

    # Citations: C2's table

    def citations(self, audited: Audit, assembled: "Assembled") -> Iterator[Finding]:
        """Yield the findings on citations: unverified, missing, retracted, or without an author."""
        for cited in audited.blocking:
            entry = cited.entry
            judged = _S.CONFLICT if entry.status == _S.CONFLICT else _S.NOT_FOUND
            why = "not_checkable" if entry.standing == "not_checkable" else judged
            yield self._cited(cited, "blocks", *_BLOCKS[why])
        yield from self.unfollowed(audited)
        lines = {one.key: (str(one.section), one.line) for one in reversed(assembled.undefined)}
        for missing in audited.missing:
            yield self._missing(missing, lines.get(missing.key))
        for cited in audited.unproven:
            if cited.entry.status == _S.REVIEW:
                yield self._cited(cited, "blocks", *_BLOCKS[_S.REVIEW])
            else:
                said = "It is in the PDF, but the final export is blocked until it has been looked up."
                yield self._cited(cited, "blocks", "unchecked", _UNRESOLVED[cited.entry.standing], said, "Open it")
        yield from self.demo(audited)
        yield from map(self._retracted, audited.retracted)
        for cited in audited.files:
            if cited.entry.is_anonymous:
                said = "It is an uploaded file, and the list of references has no author for it."
                yield self._cited(cited, "warns", "file", "has no author", said, "Add an author")

    def demo(self, audited: Audit) -> Iterator[Finding]:
        """Yield one finding for all works that were checked with the demo catalogue only."""
        if count := len(audited.demo):
            title = f"{count:,} cited work{' was' if count == 1 else 's were'} checked with the demo catalogue only"
            said = (
                "No registry was asked. They are in the PDF, but the final export is blocked until they are looked up."
            )
            href = f"{reverse('citations:list', args=[self.project_id])}?show=demo"
            yield Finding("blocks", "demo", title, said, href=href, act="Look them up")

    def _retracted(self, cited: CitedEntry) -> Finding:
        if reason := cited.entry.reason:
            said = f"Why it is cited{f' ({reason.by})' if reason.by else ''}: “{reason.text}”"
            return self._cited(cited, "notes", "retracted", "is retracted, and cited for a reason", said, "Open it")
        said = "Give a reason for citing it, or remove it from the text."
        return self._cited(cited, "blocks", "retracted", "is retracted", said, "Give a reason")

    def unfollowed(self, audited: Audit) -> Iterator[Finding]:
        """Yield a finding for each command whose citations cannot be read from the text."""
        for one in audited.unfollowed:
            said = (
                f"{_where([one.used_in])} Its citations cannot be determined: {one.why}. Use \\cite instead, or define "
                "it with \\newcommand and plain arguments."
            )
            title = f"Scholium cannot tell what the command \\{one.name} cites"
            yield self._at("blocks", "unfollowed", title, said, one.used_in.section_id or "", one.line)

    def _cited(self, cited: CitedEntry, level: Level, kind: str, is_what: str, said: str, act: str) -> Finding:
        href = reverse("citations:detail", args=[self.project_id, cited.entry.id]) + _ANCHORS.get(act, "")
        return Finding(
            level, kind, f"{cited.entry.key} {is_what}", f"{_where(cited.used_in)} {said}", href=href, act=act
        )

    def _missing(self, missing: MissingKey, at: tuple[str, int] | None) -> Finding:
        title = f"{missing.key} is not in the list of citations"
        if missing.alike:
            hint = f"Did you mean {missing.alike}? Case matters."
        elif at is None:  # its entry is in the BibTeX trailer of a section
            hint = "Its BibTeX is only at the end of a section. Add it to the citations, so that it is checked."
        else:
            hint = "Add it to the citations, or cite another key."
        said = f"{_where(missing.used_in)} {hint}"
        if at is not None and at[0] in self.by_id:
            return self._at("blocks", "missing_key", title, said, *at)
        href = reverse("citations:add", args=[self.project_id])
        return Finding("blocks", "missing_key", title, said, href=href, act="Add it")

    # Errors in LaTeX

    def structure(self, assembled: "Assembled") -> Iterator[Finding]:
        """Yield missing pictures, unclosed environments and braces, and unknown and duplicate labels."""
        for gone in assembled.missing_pictures:
            why = gone.why or "No file of this thesis has this name."
            said = f"{why} Upload it again under this name, or remove it from the text."
            yield self._at("blocks", "picture", f"The picture {gone.path} is missing", said, gone.section, gone.line)
        for left in assembled.unclosed:
            level: Level = "warns" if left.is_brace else "blocks"  # a definition may hold a single brace
            yield self._at(level, "unclosed", left.title, left.advice, left.section, left.line)
        told = set()
        for loose in assembled.loose_refs:
            if (loose.label, loose.section) in told:
                continue
            told.add((loose.label, loose.section))
            said = f"It would be printed as “??”: the text has no \\label{{{loose.label}}}."
            title = f"The label {loose.label} does not exist"
            yield self._at("warns", "loose_ref", title, said, loose.section, loose.line)
        for double in assembled.doubled_labels:
            said = "References to it point to the last one only. Rename one of them."
            title = f"The label {double.label} is used more than once"
            yield self._at("warns", "doubled_label", title, said, double.section, double.line)

    # Chapters

    def empty(self, chapters: "Sequence[Chapter]") -> Iterator[Finding]:
        """Yield the sections without text."""
        for chapter in chapters:
            if not chapter.words and chapter.slug != "front-matter":
                said = "It is printed as a heading with nothing below it."
                yield self._at("warns", "empty", f"“{chapter.title}” is empty", said, chapter.id)

    def limit(self, limit: "Limit", chapters: "Sequence[Chapter]", pages: Mapping[str, int]) -> Iterator[Finding]:
        """Yield the advice on length, with its source, if the thesis or section breaks `limit`."""
        held = [one for one in chapters if limit.slug in ("", one.slug)]
        words = sum(one.words for one in held)
        if not words:
            return
        counted = pages.get(held[0].id if limit.slug else "") if limit.unit == "pages" else words
        has = -(-words // _WORDS_A_PAGE) if counted is None else counted
        over = limit.most is not None and has > limit.most
        if not over and (limit.least is None or has >= limit.least):
            return
        what = f"“{held[0].title}”" if limit.slug else "The thesis"
        has_so_many = f"{'has about' if counted is None else 'has'} {has:,} {limit.unit[: None if has != 1 else -1]}"
        bound = f"at most {limit.most:,}" if over else f"at least {limit.least:,}"
        said = f"{limit.words} Rule {limit.rule}, {limit.certainty}: {limit.source}."
        section = held[0].id if limit.slug else ""
        level: Level = "warns" if over else "notes"
        yield self._at(level, "length", f"{what} {has_so_many}; {bound} are recommended", said, section)

    def forms(self, unfilled: "Sequence[Unfilled]") -> Iterator[Finding]:
        """Yield the empty fields of the title page and the forms."""
        href = reverse("thesis:layout", args=[self.project_id])
        for fact in unfilled:
            said = f"A line to fill in by hand is printed instead: {fact.printed}."
            yield Finding("notes", "form", f"{fact.label} is not filled in", said, href=href, act="Fill it in")

    def letters(self, manuscript: "Manuscript") -> Iterator[Finding]:
        """Yield the advice on text of the title page, the forms and the statement that cannot be printed as it is."""
        from thesis.layout import advice

        for one in [] if manuscript.is_brought else advice(manuscript):
            href = reverse("thesis:ai_use" if one.field == "ai_use" else "thesis:layout", args=[self.project_id])
            yield Finding("warns", "form", "Check a field of the forms", one.said, href=href, act="Open it")

    def ai_use(self, manuscript: "Manuscript") -> Iterator[Finding]:
        """Yield the problems of the statement on the use of AI and of the declaration."""
        from thesis.authorship.statement import checks

        for one in checks(manuscript):
            href = reverse(one.page, args=[self.project_id])
            yield Finding("warns", "ai_use", one.title, one.said, href=href, act=one.act)

    def _at(self, level: Level, kind: str, title: str, said: str, section: Any = "", line: int = 0) -> Finding:
        """Return a finding in a section, with a link to it."""
        chapter = self.by_id.get(str(section))
        if chapter is None:
            return Finding(level, kind, title, said)
        href = reverse("sections:section", args=[self.project_id, chapter.slug])
        act = f"Go to line {line:,}" if line else "Open it"
        return Finding(
            level, kind, title, said, chapter.id, chapter.slug, line, f"{href}?line={line}" if line else href, act
        )


def _where(used: Iterable[Use]) -> str:
    """Return a sentence that names the sections: "Cited in “Introduction” and “Results”."."""
    names = [use.name for use in used]
    if len(names) > _NAMED + 1:
        names = [*names[:_NAMED], f"{len(names) - _NAMED} more sections"]
    return f"Cited in {get_text_list(names, 'and') or 'the whole text'}."
