"""The `library` provider: full-text search over a project's references and the text of its files (SPEC R1).

Everything that can be found is a row of Passage; the index over these rows belongs to the database: an FTS5 table
updated by triggers on SQLite (migration 0002), a generated column on PostgreSQL (0003). Both use the Porter stemmer,
fold diacritics and rank by bm25 (docs/decisions/library-index.md).
"""

from collections.abc import Callable, Collection, Iterable
from functools import wraps
from itertools import islice
from typing import Any, ParamSpec
from uuid import UUID

from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, connection, transaction
from django.db.models import Count, Q

from citations.models import Citation
from contextfiles.models import ContextFile, FileText
from core.fast_sql import insert
from projects.models import Project
from research.journal.provenance import digest
from research.models import Passage
from research.run_context.library_answers import words_of

WHOLE = 12  # passages: a file with at most this many is returned whole once one of them was found

_COLUMNS = (
    "project_id",
    "file_id",
    "source_id",
    "document",
    "title",
    "heading",
    "text",
    "page",
    "offset",
    "origin_hash",
    "is_lead",
)
P = ParamSpec("P")


def _twice(index: Callable[P, int]) -> Callable[P, int]:
    """Retry an indexing function once when what it indexes is deleted meanwhile (a foreign key fails)."""

    @wraps(index)
    def again(*args: P.args, **kwargs: P.kwargs) -> int:
        try:
            return index(*args, **kwargs)
        except IntegrityError:
            return index(*args, **kwargs)

    return again


@_twice
def index_references(project: Project) -> int:
    """Update the passages of the project's references in the index; return the number of references.

    Only references that changed since the last time are touched. A reference without a note has no text to cite; its
    title is indexed all the same, so that it can be found.
    """
    with Project.objects.held(project.pk):
        # Under a lock: two runs that begin together would index everything twice.
        wanted = {
            (citation.pk, digest([citation.cite_key, citation.title, citation.note])): citation
            for citation in Citation.objects.filter(project=project)
        }
        rows = Passage.objects.filter(project=project, citation__isnull=False)
        have = {pk: tuple(of) for pk, *of in rows.values_list("pk", "citation_id", "origin_hash")}
        # This also deletes the passages of a reference that was merged into another.
        rows.filter(pk__in=[pk for pk, of in have.items() if of not in wanted]).delete()
        known = set(have.values())
        Passage.objects.bulk_create(
            Passage(
                project=project,
                citation=citation,
                source_id=citation.cite_key,
                document=citation.cite_key,
                title=citation.title,
                text=citation.note,
                offset=len(citation.text_for_search) - len(citation.note),
                origin_hash=origin,
            )
            for (_, origin), citation in wanted.items()
            if (citation.pk, origin) not in known
        )
    return len(wanted)


@_twice
def index_file(file: ContextFile, text: FileText) -> int:
    """Index the segments of a file that was read; return their number. Unchanged files are left alone."""
    origin = digest([file.name, file.sha256, text.reader_version])
    with Project.objects.held(file.project_id):
        if not ContextFile.objects.filter(pk=file.pk).exists():
            return 0  # deleted while it was being read
        rows = Passage.objects.filter(project_id=file.project_id, file=file)
        if text.segments and rows.filter(origin_hash=origin).count() == len(text.segments):
            return len(text.segments)
        rows.delete()
        insert(
            Passage,
            _COLUMNS,
            (
                (
                    file.project_id,
                    file.pk,
                    f"{file.name}::{segment['id']}",
                    file.name,
                    file.name,
                    segment["heading"],
                    text.text[segment["start"] : segment["end"]],
                    segment["page"],
                    segment["start"],
                    origin,
                    bool(segment.get("is_lead")),
                )
                for segment in text.segments
            ),
        )
    return len(text.segments)


def forget_deleted(*_: Any, **__: Any) -> None:
    """Remove the words of deleted passages from the index, once the deletion is committed.

    Receiver of file_deleted and of the deletion of a thesis. Without it, FTS5 keeps the words of a deleted row until it
    happens to merge the part of the index that holds them.
    """
    if connection.vendor == "sqlite":
        transaction.on_commit(_merge_index, robust=True)


def _merge_index() -> None:
    """Merge the whole FTS5 index: 0.6 s for 30,000 passages, at once when nothing was deleted since."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO research_passage_fts(research_passage_fts) VALUES ('optimize')")


def whole_files(passages: Collection[Passage], most: int = WHOLE) -> list[Passage]:
    """Return the other passages of the files that `passages` belong to, for files of at most `most` passages.

    A short file with a hit is read whole: a sentence such as "It fell to 3.1 %" often shares no word with a query.
    """
    files = {passage.file_id for passage in passages if passage.file_id}
    if not files:
        return []
    counts = Passage.objects.filter(file__in=files).values("file").annotate(count=Count("pk"))
    of_short = Passage.objects.filter(file__in=counts.filter(count__lte=most).values("file"))
    return list(
        of_short.exclude(pk__in={passage.pk for passage in passages}).select_related("citation", "file").order_by("pk")
    )


def search(project: Project, query: str, *, files: Collection[UUID], limit: int = 20) -> list[Passage]:
    """Return the passages nearest to `query`, best first: of the project's references and of `files` only.

    `query` is words in any language and has no syntax. An empty query finds nothing.
    """
    return search_each(project, [query], files=files, limit=limit)[0]


def search_each(
    project: Project, queries: Iterable[str], *, files: Collection[UUID], limit: int = 20
) -> list[list[Passage]]:
    """Return the results of `search` for each of `queries`; the passages of all of them are fetched together."""
    found = [_ranked(project, query, files, limit) for query in queries]
    # A passage found by several queries is fetched once: its row is long.
    by_id = Passage.objects.select_related("citation", "file").in_bulk({pk for ids in found for pk in ids})
    return [[by_id[pk] for pk in ids if pk in by_id] for ids in found]


def size_of(project: Project, files: Collection[UUID]) -> int:
    """Return the number of passages of the project's references and of `files`."""
    return Passage.objects.filter(Q(file__isnull=True) | Q(file__in=files), project=project).count()


def _ranked(project: Project, query: str, files: Collection[UUID], limit: int) -> list[int]:
    if not (terms := words_of(query)):
        return []
    if connection.vendor not in _RANKED:
        raise ImproperlyConfigured(
            f"The library is searched by SQLite or PostgreSQL; {connection.vendor} has no index."
        )
    return _RANKED[connection.vendor](project, terms, files, limit)


def _by_sqlite(project: Project, terms: list[str], files: Collection[UUID], limit: int) -> list[int]:
    words = " OR ".join(f'"{term}"' for term in terms)
    chosen = {None, *(file.hex for file in files)}
    with connection.cursor() as cursor:
        cursor.execute(
            # Columns: project (a filter, no weight), title, heading, text.
            "SELECT p.id, p.file_id FROM research_passage_fts f JOIN research_passage p ON p.id = f.rowid"
            " WHERE f.research_passage_fts MATCH %s ORDER BY bm25(research_passage_fts, 0, 2.0, 1.5, 1.0), p.id",
            [f'project:"{project.pk.hex}" AND {{title heading text}}:({words})'],
        )
        return list(islice((pk for pk, file in cursor if file in chosen), limit))


# PostgreSQL's own ranks ignore how rare a word is. This is the bm25 of SQLite's index, with the length of a passage in
# bytes, which is known without reading it. Rounded, so that equal scores stay equal in any order of summation.
_BM25 = """
WITH size AS (
    SELECT count(*) AS passages, avg(octet_length(title) + octet_length(heading) + octet_length(text))::float AS bytes
    FROM research_passage
    WHERE project_id = %(project)s AND (file_id IS NULL OR file_id = ANY(%(files)s))
), hit AS (
    SELECT id, word.lexeme, octet_length(title) + octet_length(heading) + octet_length(text) AS bytes,
        2.0::float * cardinality(array_positions(word.weights, 'A'))
        + 1.5 * cardinality(array_positions(word.weights, 'B'))
        + cardinality(array_positions(word.weights, 'C')) AS hits
    FROM research_passage CROSS JOIN LATERAL unnest(words) AS word
    WHERE project_id = %(project)s AND (file_id IS NULL OR file_id = ANY(%(files)s))
        AND words @@ ({asked})
        AND word.lexeme = ANY(tsvector_to_array(to_tsvector('research_words', research_folded(%(words)s))))
), rarity AS (
    SELECT lexeme, greatest(ln((passages - count(*) + 0.5) / (count(*) + 0.5)), 0.000001)::float AS rarity
    FROM hit, size GROUP BY lexeme, passages
)
SELECT id FROM hit JOIN rarity USING (lexeme) CROSS JOIN size GROUP BY id
ORDER BY round(sum(rarity * hits * 2.2 / (hits + 1.2 * (0.25 + 0.75 * hit.bytes / size.bytes)))::numeric, 9) DESC, id
LIMIT %(limit)s
"""


def _by_postgresql(project: Project, terms: list[str], files: Collection[UUID], limit: int) -> list[int]:
    asked = " || ".join(f"phraseto_tsquery('research_words', research_folded(%(term{n})s))" for n in range(len(terms)))
    named = {f"term{n}": term for n, term in enumerate(terms)}
    with connection.cursor() as cursor:
        cursor.execute(
            _BM25.format(asked=asked),
            {"project": project.pk, "files": list(files), "words": " ".join(terms), "limit": limit, **named},
        )
        return [pk for (pk,) in cursor]


_RANKED = {"sqlite": _by_sqlite, "postgresql": _by_postgresql}
