"""What the offline engine makes of findings and references: their own sentences, one after the other (SPEC T3).

It writes nothing of its own. With no finding chosen it looks for sentences that fit in the abstracts and notes of the
references chosen, or of all of them.
"""

from collections.abc import Iterable

from citations.models import Citation
from llm.offline.write import assist
from llm.roles import AssistAsked, DraftAsked, DraftFinding, Passage
from projects.models import Project
from research.nearest import nearness
from research.search.library import index_references, search
from sections.models import Section
from text.sentences import sentences
from thesis.models import Draft
from thesis.prompts import section_kind

LABELLED = "The offline engine wrote no sentence of its own: these are the words of findings and references. Read them as quotations."
OF_EACH = 2  # sentences of a reference that a person chose
_PASSAGES = 20
NOTHING = (
    "Nothing was drafted: no finding was chosen, and no abstract or note of a reference fits. Choose findings of a run, or "
    "say in the instructions what the text is to be about."
)


def asked_of(project: Project, section: Section, draft: Draft, findings: Iterable[tuple[str, str]]) -> DraftAsked:
    """What the offline engine is asked: to put together `findings` (what each says, the key to cite).

    Without findings: sentences of references that fit. There may be none.
    """
    found = [DraftFinding(content=says, cite_key=key) for says, key in findings]
    question = _question(project, section, draft)
    if not found:
        found = _of_chosen(project, draft, question) if draft.cite_keys else _of_library(project, question)
    return DraftAsked(section_title=section.title, instructions=draft.instructions, findings=found)


def _question(project: Project, section: Section, draft: Draft) -> str:
    title = section.title if section_kind(section) == "other" else ""
    return " ".join(filter(None, [title, draft.instructions or project.question or project.title]))


def _of_chosen(project: Project, draft: Draft, question: str) -> list[DraftFinding]:
    """The sentences of each chosen reference that come nearest to `question`, its first ones where none does."""
    rows = Citation.objects.filter(project=project, cite_key__in=draft.cite_keys).exclude(note="")
    by_key = {row.cite_key: row.note for row in rows}
    found = []
    for key in draft.cite_keys:
        said = [one.text for one in sentences(by_key.get(key, ""))]
        scores = nearness(question, said) if said else []
        best = sorted(sorted(range(len(said)), key=lambda place: -scores[place])[:OF_EACH])
        found += [DraftFinding(content=said[place], cite_key=key) for place in best]
    return found


def _of_library(project: Project, question: str) -> list[DraftFinding]:
    index_references(project)
    passages = [
        Passage(source_id=row.citation.cite_key, document=row.document, title=row.title, text=row.text)
        for row in search(project, question, files=(), limit=_PASSAGES)
        if row.citation and row.text.strip()
    ]
    answer = assist(AssistAsked(question=question, passages=passages))
    return [DraftFinding(content=one.text, cite_key=one.source_id) for one in answer.sentences]
