"""Reading and digesting once per content (SPEC X2, X8)."""

from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from contextfiles.ingest import (
    MOST,
    PART_CHARACTERS,
    digest_part,
    mark_read,
    number_of_parts,
    personal_counts_of,
    stored_text_of,
)
from contextfiles.models import ContextFile, Digest, FileText
from contextfiles.passages import Unreadable
from llm.result import EngineResult
from llm.roles import DigestAsked, DigestItem, FileDigest
from projects.models import Project, User
from tests.contextfiles.make_files import NOTES, stored, text_of

pytestmark = pytest.mark.postgres


class CountingEngine:
    """Answers each digest with one item per passage, one that names a passage which is not there, and counts."""

    label = "Counting engine"

    def __init__(self, name: str = "counting-1", says: str = "") -> None:
        self.name, self.says = name, says
        self.asked: list[DigestAsked] = []

    async def ask(self, asked: Any, **_: Any) -> Any:
        self.asked.append(asked)
        items = [
            DigestItem(kind="fact", text=segment.text + self.says, sources=[segment.id, "S99"])
            for segment in asked.segments
        ]
        return EngineResult(FileDigest(items=[*items, DigestItem(kind="lead", text="Invented.", sources=["S99"])]))


def test_text_is_read_once_per_content(owner: User, project: Project) -> None:
    file = stored(project)
    text = text_of(file)
    assert text.text == NOTES.decode()
    assert text.segments[0] == {"id": "S1", "heading": "Alder", "page": None, "start": 0, "end": 7, "is_lead": True}
    Path(file.blob.path).unlink()
    assert text_of(file) == text
    assert FileText.objects.count() == 1


def test_the_same_bytes_read_as_another_format_are_another_text(project: Project) -> None:
    file = stored(project)
    text_of(file)
    file.format = "txt"
    assert text_of(file).segments[0]["heading"] == ""


def test_a_lost_blob_is_unreadable(project: Project) -> None:
    file = stored(project)
    Path(file.blob.path).unlink()
    with pytest.raises(Unreadable, match="upload it again"):
        text_of(file)


@pytest.mark.django_db(transaction=True)
async def test_a_digest_is_asked_for_once(project: Project) -> None:
    file = await sync_to_async(stored)(project)
    await sync_to_async(text_of)(file)
    engine = CountingEngine()
    first = await digest_part(file, engine, 0, 1)
    again = await digest_part(file, engine, 0, 1)
    assert first == again
    assert len(engine.asked) == 1
    assert engine.asked[0].segments[1].text == "Alder fixes nitrogen. The soil under it held 3.4 g/kg."
    assert [item.sources for item in first] == [["notes.md::S1"], ["notes.md::S2"], ["notes.md::S3"]]
    await digest_part(file, CountingEngine("another-1"), 0, 1)
    assert await Digest.objects.acount() == 2


@pytest.mark.django_db(transaction=True)
async def test_what_no_database_can_keep_is_left_out_of_a_digest(project: Project) -> None:
    file = await sync_to_async(stored)(project)
    await sync_to_async(text_of)(file)
    items = await digest_part(file, CountingEngine(says=" It\0 grew.\ud800"), 0, 1)
    assert items[0].text == "# Alder It grew.\N{REPLACEMENT CHARACTER}"


@pytest.mark.django_db(transaction=True)
async def test_a_renamed_file_keeps_its_digest_under_its_new_name(project: Project) -> None:
    file = await sync_to_async(stored)(project)
    await sync_to_async(text_of)(file)
    engine = CountingEngine()
    await digest_part(file, engine, 0, 1)
    file.name = "renamed.md"
    assert (await digest_part(file, engine, 0, 1))[0].sources == ["renamed.md::S1"]
    assert len(engine.asked) == 1


def test_marks(project: Project) -> None:
    """X8: a file that fails is marked; reading it later clears the mark."""
    file = stored(project)
    mark_read(file, "This PDF is damaged.")
    file.refresh_from_db()
    assert (file.status, file.error) == ("error", "This PDF is damaged.")
    mark_read(file)
    file.refresh_from_db()
    assert (file.status, file.error) == ("ready", "")


def test_marking_a_deleted_file_changes_nothing(project: Project) -> None:
    file = stored(project)
    ContextFile.objects.all().delete()
    mark_read(file)
    assert not ContextFile.objects.exists()


LONG = "".join(f"Plot {n} held {n}.5 g of nitrogen in each kilogram of its soil.\n\n" for n in range(5_000)).encode()


@pytest.mark.django_db(transaction=True)
async def test_a_long_text_is_digested_in_parts(project: Project) -> None:
    """Each part is a question of its own, of the passages in it alone, and is kept by itself."""
    file = await sync_to_async(stored)(project, "long.txt", LONG)
    text = await sync_to_async(text_of)(file)
    parts = number_of_parts(text)
    assert parts == 3
    engine = CountingEngine()
    items = [await digest_part(file, engine, part, parts) for part in range(parts)]
    asked = [segment for one in engine.asked for segment in one.segments]
    assert [segment.id for segment in asked] == [row["id"] for row in text.segments], "all of it, once, in order"
    lengths = [sum(len(segment.text) for segment in one.segments) for one in engine.asked]
    assert max(lengths) < PART_CHARACTERS
    assert max(lengths) - min(lengths) < 5_000, "of about the same length"
    assert [await digest_part(file, engine, part, parts) for part in range(parts)] == items
    assert len(engine.asked) == parts
    assert {row.part for row in [row async for row in Digest.objects.all()]} == {0, 1, 2}


@pytest.mark.django_db(transaction=True)
async def test_notes_are_short_and_not_too_many(project: Project) -> None:
    """X6: no note carries more than 180 characters of a file, whatever an engine says."""
    data = "".join(f"## {n}\n\nAlder {n} grew.\n\n" for n in range(MOST + 9)).encode()
    file = await sync_to_async(stored)(project, "many.md", data)
    await sync_to_async(text_of)(file)
    items = await digest_part(file, CountingEngine(says=" and so on" * 50), 0, 1)
    assert len(items) == MOST
    assert all(len(item.text) <= 180 and item.text.endswith("…") for item in items)


def test_personal_data_is_counted_once_per_content(project: Project) -> None:
    """X2: counts only, kept with the text; looked for again where a text is from before anybody looked."""
    file = stored(project, "accounts-and-members.md", b"Write to ada@example.org or to bo@example.org.\n")
    text = text_of(file)
    assert text.personal == {"email": 2}
    assert "ada@" not in str(text.personal)
    FileText.objects.update(personal=None)
    kept = stored_text_of(file, loads=False)
    assert kept is not None
    assert personal_counts_of(kept) == {"email": 2}
    assert FileText.objects.get().personal == {"email": 2}
