"""Methods of the studies behind the findings, taken from their own texts (SPEC R15).

The engine reads each text by itself. A note counts only if code finds its quote in the stored text, and its figures in
the quote, as with findings. If a text describes several studies, code also finds out which of them the quote is about
(llm/offline/study_detection.py) and leaves out notes for which that is uncertain. There is no quality score, since
nobody could verify it.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

from asgiref.sync import sync_to_async

from core.concurrency import gather_all
from core.grouping import grouped
from llm.offline.study_detection import OWN, Studies, studies_in
from llm.roles import AssessAsked, Assessment, MethodField, MethodNote
from research.journal.provenance import digest
from research.models import Finding, Run, Source
from research.plurals import counted
from research.run_context.run_context import RunContext
from research.search.hits import short_names_of
from text.stemming import numbers

MOST = 30  # studies of a run that are assessed
READ = 8_000  # characters of a study that are read
LEAST = 200  # characters: a shorter text says nothing about methods
SEVERAL = ("limitations_noted", "potential_biases")  # fields that can have more than one note
METHOD_LABELS: dict[MethodField, str] = {
    "study_design": "design",
    "sample_size": "sample size",
    "sample_description": "sample",
    "effect_size": "effect",
    "statistical_significance": "significance",
    "limitations_noted": "limitations",
    "potential_biases": "biases",
}


@dataclass(frozen=True)
class Study:
    """A work or file that findings are based on. `stands` is its main row, `rows` its stored texts in order, `text`
    their first READ characters.
    """

    stands: Source
    rows: list[Source]
    is_abstract: bool

    @cached_property
    def text(self) -> str:
        """Return the text that the engine reads."""
        return "\n\n".join(row.text for row in self.rows)[:READ]

    @property
    def key(self) -> str:
        """Return the key of its step; it changes with the text, since another text has to be assessed again."""
        return f"methods/{digest([self.stands.document, self.text])[:16]}"

    @property
    def is_new(self) -> bool:
        """Return whether this text has no stored assessment yet."""
        return bool(self.stands.assessment.get("text_hash") != digest(self.text))


async def assess_methods(inquiry: RunContext) -> None:
    """Assess the methods of the studies that the findings are based on, if the profile asks for it.

    Studies with most findings come first. Each assessment is stored with the main row of its work, and made again only
    if more of its text is stored. Studies that are not assessed are reported. Raises what asking the engine raises.
    """
    if not inquiry.profile.enable_methodology_assessment:
        return
    studies = await sync_to_async(studies_of)(inquiry.run)
    long = [study for study in studies if len(study.text) >= LEAST]
    await gather_all(_assess(inquiry, study) for study in long[:MOST] if study.is_new)
    left = [
        *((study, f"Its text has fewer than {LEAST} characters.") for study in studies if len(study.text) < LEAST),
        *((study, f"Only the {MOST} studies with the most findings are assessed.") for study in long[MOST:]),
    ]
    if left := [(study, why) for study, why in left if study.is_new]:
        key = f"methods/left/{digest([study.key for study, _ in left])[:16]}"
        await inquiry.once(key, lambda: _left_out(inquiry, left))


def studies_of(run: Run) -> list[Study]:
    """Return the works and files that findings of `run` are based on, those with most findings first; no web pages.

    Retracted works are left out, since they are no evidence.
    """
    retracted = set(run.sources.filter(retracted=True).values_list("document", flat=True))
    spans = run.findings.filter(is_superseded=False).values_list("source__document", "source_id", "start", "end")
    findings = Counter(document for document, *_ in spans.distinct() if document not in retracted)
    sources = run.sources.filter(document__in=list(findings)).exclude(is_lead=True).order_by("source_id")
    rows = grouped((row.document, row) for row in sources)
    ranked = sorted(findings, key=lambda document: (-findings[document], document))
    return [study for document in ranked if (study := _study(rows.get(document, [])))]


def _study(rows: list[Source]) -> Study | None:
    """Return the study that has the texts `rows`; None for a web page."""
    if rows[0].kind == Source.Kind.FILE:
        pieces = sorted(rows, key=lambda row: (row.offset, row.source_id))
        return Study(pieces[0], pieces, is_abstract=False)
    stands = next((row for row in rows if row.duplicate_of_id is None and not row.is_passage), None)
    if stands is None or stands.kind == Source.Kind.PAGE:
        return None
    passages = sorted((row for row in rows if row.is_passage), key=lambda row: (row.offset, row.source_id))
    records = [row for row in rows if not row.is_passage and row.text]
    # Catalogues have the same abstract, some only a part of it: the longest is used.
    records.sort(key=lambda row: (len(row.text), row.source_id))
    return Study(stands, [*records[-1:], *passages], is_abstract=not passages)


async def _assess(inquiry: RunContext, study: Study) -> None:
    asked = AssessAsked(
        title=study.stands.title,
        authors=short_names_of(study.stands.csl),
        year=study.stands.year,
        text=study.text,
        is_abstract=study.is_abstract,
        is_file=study.stands.kind == Source.Kind.FILE,
    )
    # Asked even when the time for research is up, since the report has a table of the answers.
    await inquiry.ask(study.key, asked, lambda answer: _record(inquiry, study, answer), even_late=True)


def locate_quote(note: MethodNote, study: Study) -> dict[str, Any] | None:
    """Return `note` with the position of its quote, {said, quote, source_id, page, start, end}; None if it is invalid.

    A note is invalid if its quote is not in the text, or if it has figures that its quote does not have. `start` and
    `end` are in characters of the row's stored text.
    """
    said = " ".join(note.said.split())
    if not said or not note.quote.strip() or note.quote not in study.text or not numbers(said) <= numbers(note.quote):
        return None
    for row in study.rows:
        start = row.text.find(note.quote)
        if start >= 0:
            place = {"source_id": row.source_id, "page": row.page, "start": start, "end": start + len(note.quote)}
            return {"said": said, "quote": note.quote, **place}
    return None  # the quote spans two stored texts


def checked(answer: Assessment, study: Study) -> dict[str, Any]:
    """Return an assessment for storage: each field with its valid note or None; a list of notes for those of SEVERAL.

    These fields are about the text's own study; `studies` has the same for each other study that the text describes,
    with its name there (`study`) and `key`. `dropped` counts invalid notes and notes whose study is uncertain. From an
    abstract alone, or without notes, the confidence is low whatever the engine says.
    """
    studies = studies_in(study.text)
    kept = {OWN: _nothing()}
    dropped = 0
    for note in answer.notes:
        found, of = locate_quote(note, study), _study_of(note, study.text, studies)
        if found is None or of is None:
            dropped += 1
            continue
        fields = kept.setdefault(of, _nothing())
        if note.field in SEVERAL:
            fields[note.field] += [found] if found not in fields[note.field] else []
        else:
            fields[note.field] = fields[note.field] or found
    others = [{"study": studies.names[key], "key": key, **kept[key]} for key in studies.names if key in kept]
    is_low = study.is_abstract or not any(any(fields.values()) for fields in kept.values())
    return {
        **kept[OWN],
        "studies": others,
        "confidence": "low" if is_low else answer.confidence,
        "based_on": "abstract" if study.is_abstract else "stored text",
        "characters": len(study.text),
        "dropped": dropped,
        "text_hash": digest(study.text),
    }


def _nothing() -> dict[str, Any]:
    return {field: [] if field in SEVERAL else None for field in get_args(MethodField)}


def _study_of(note: MethodNote, text: str, studies: Studies) -> str | None:
    """Return the study that a note's quote is about; None if that is ambiguous or the note names another study."""
    found: set[str | None] = set()
    start = text.find(note.quote)
    while start >= 0 and note.quote:
        found.add(studies.at(start, start + len(note.quote)))
        start = text.find(note.quote, start + len(note.quote))
    key = found.pop() if len(found) == 1 else None
    if key in (None, OWN) or not note.study.strip():
        return key
    name = studies.names[str(key)]
    return key if note.study == name or _words(note.study) & _words(name) else None


def _words(name: str) -> set[str]:
    """Return the words of a study's name that distinguish it from others."""
    plain = {"the", "a", "an", "study", "trial", "cohort", "experiment", "et", "al"}
    return set(re.findall(r"\w+", name.casefold())) - plain


def _record(inquiry: RunContext, study: Study, answer: Assessment) -> None:
    kept = checked(answer, study)
    Source.objects.filter(pk=study.stands.pk).update(assessment=kept)
    told = [name for field, name in METHOD_LABELS.items() if any(part[field] for part in [kept, *kept["studies"]])]
    what = f"its text states {', '.join(told)}" if told else "its text does not state any"
    sentence = f"Methods of “{study.stands.title[:200]}”: {what}. Confidence {kept['confidence']}."
    if kept["studies"]:
        sentence += f" It also describes {', '.join(part['study'] for part in kept['studies'])}."
    if kept["dropped"]:
        sentence += (
            f" {counted(kept['dropped'], 'note')} left out: the quote is not in the text, or its study is uncertain."
        )
    inquiry.say("supervision", "method_assessed", sentence, {"source_id": study.stands.public_id, **kept})


def _left_out(inquiry: RunContext, left: list[tuple[Study, str]]) -> None:
    for study, why in left:
        Source.objects.filter(pk=study.stands.pk).update(
            assessment={"not_assessed": why, "text_hash": digest(study.text)}
        )
        sentence = f"The methods of “{study.stands.title[:200]}” were not assessed. {why}"
        inquiry.log("supervision", "method_not_assessed", sentence, {"source_id": study.stands.public_id, "why": why})
    inquiry.tell(
        "method_not_assessed",
        f"The methods of {counted(len(left), 'source')} were not assessed.",
        summary="Details",
        lines=[f"{study.stands.title[:200]}: {why}" for study, why in left],
    )


def assessed(run: Run) -> list[Source]:
    """Return the rows with a stored assessment, or with the reason for none, sorted by the name of their study."""
    rows = run.sources.exclude(assessment={}).defer("text")
    return sorted(rows, key=lambda row: (label_of(row).casefold(), row.document))


def label_of(row: Source) -> str:
    """Return the short name of the study: "Binkley and Senock (2003)", or its title or the file's name."""
    authors = short_names_of(row.csl)
    return f"{authors} ({row.year or 'n.d.'})" if authors else row.title


def studies_of_row(row: Source) -> list[tuple[str, dict[str, Any]]]:
    """Return the studies that the text of `row` describes, each with its name and its assessment.

    The text's own study comes first; it is left out if the text only describes other studies.
    """
    kept = row.assessment
    shared = {name: value for name, value in kept.items() if name not in get_args(MethodField) and name != "studies"}
    others = [(f"{part['study']}, in {label_of(row)}", {**shared, **part}) for part in kept.get("studies", [])]
    if others and not has_methods(kept):
        return others
    return [(label_of(row), {name: value for name, value in kept.items() if name != "studies"}), *others]


def has_methods(kept: dict[str, Any]) -> bool:
    """Return whether an assessment has any note on the methods."""
    return any(kept.get(field) for field in METHOD_LABELS)


def method_of(assessment: dict[str, Any], finding: Finding) -> str:
    """Return design and sample of the study that `finding` is about: "randomised trial; 120 plots", or "" (R15)."""
    kept = assessment
    if others := assessment.get("studies"):
        key = studies_in(finding.source.text).at(finding.start, finding.end)
        kept = assessment if key == OWN else next((part for part in others if part["key"] == key), {})
    return "; ".join(kept[field]["said"] for field in ("study_design", "sample_size") if kept.get(field))


def methods_as_data(run: Run) -> list[dict[str, Any]]:
    """Return the assessments for the structured output: [{source_id, study, title, study_design, ..., confidence}]."""
    return [
        {"source_id": row.public_id, "title": row.title, **kept, "study": label}
        for row in assessed(run)
        for label, kept in studies_of_row(row)
    ]
