"""Reading and digesting once per content (SPEC X2, X8)."""

from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from contextfiles.bind import Unreadable, digest_of, mark_error, mark_ready, text_of
from contextfiles.models import ContextFile, Digest, FileText
from llm.answered import Answered
from llm.roles import DigestAsked, DigestItem, FileDigest
from projects.models import Project, User
from tests.contextfiles.makers import NOTES, stored

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
        return Answered(FileDigest(items=[*items, DigestItem(kind="lead", text="Invented.", sources=["S99"])]))


def test_text_is_read_once_per_content(owner: User, project: Project) -> None:
    file = stored(project)
    text = text_of(file)
    assert text.text == NOTES.decode()
    assert text.segments[0] == {"id": "S1", "heading": "Alder", "page": None, "start": 0, "end": 7}
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
    text = await sync_to_async(text_of)(file)
    engine = CountingEngine()
    first = await digest_of(file, text, engine)
    again = await digest_of(file, text, engine)
    assert first == again
    assert len(engine.asked) == 1
    assert engine.asked[0].segments[1].text == "Alder fixes nitrogen. The soil under it held 3.4 g/kg."
    assert [item.sources for item in first] == [["notes.md::S1"], ["notes.md::S2"], ["notes.md::S3"]]
    await digest_of(file, text, CountingEngine("another-1"))
    assert await Digest.objects.acount() == 2


@pytest.mark.django_db(transaction=True)
async def test_what_no_database_can_keep_is_left_out_of_a_digest(project: Project) -> None:
    file = await sync_to_async(stored)(project)
    text = await sync_to_async(text_of)(file)
    items = await digest_of(file, text, CountingEngine(says=" It\0 grew.\ud800"))
    assert items[0].text == "# Alder It grew.\N{REPLACEMENT CHARACTER}"


@pytest.mark.django_db(transaction=True)
async def test_a_renamed_file_keeps_its_digest_under_its_new_name(project: Project) -> None:
    file = await sync_to_async(stored)(project)
    text = await sync_to_async(text_of)(file)
    engine = CountingEngine()
    await digest_of(file, text, engine)
    file.name = "renamed.md"
    assert (await digest_of(file, text, engine))[0].sources == ["renamed.md::S1"]
    assert len(engine.asked) == 1


def test_marks(project: Project) -> None:
    """X8: a file that fails is marked; reading it later clears the mark."""
    file = stored(project)
    mark_error(file, "This PDF is damaged.")
    file.refresh_from_db()
    assert (file.status, file.error) == ("error", "This PDF is damaged.")
    mark_ready(file)
    file.refresh_from_db()
    assert (file.status, file.error) == ("ready", "")


def test_marking_a_deleted_file_changes_nothing(project: Project) -> None:
    file = stored(project)
    ContextFile.objects.all().delete()
    mark_ready(file)
    assert not ContextFile.objects.exists()
