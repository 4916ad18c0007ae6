"""The `library` provider: full-text search over references and files (R1, X2)."""

import threading

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from citations.importing.file_import import import_entries
from citations.models import Citation
from contextfiles.models import ContextFile
from projects.models import Project, User
from research.models import Passage
from research.search.library_index import index_file, index_references, search
from tests.contextfiles.make_files import text_of
from tests.examples import examples
from tests.servers.processes import until

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def indexed(forest: Project) -> Project:
    index_references(forest)
    for file in forest.context_files.all():
        index_file(file, text_of(file))
    return forest


def found(project: Project, query: str, **options: object) -> list[str]:
    files = [file.pk for file in project.context_files.all()]
    return [passage.source_id for passage in search(project, query, **{"files": files, **options})]  # type: ignore[arg-type]


def test_words_are_found_by_their_stem_in_text_heading_and_title(indexed: Project) -> None:
    assert found(indexed, "leach")[0] == "nitrate.md::S1"
    assert "rossi1999" in found(indexed, "mixed stand"), "a reference without a note is found by its title"
    assert found(indexed, "randomised") == ["alder.md::S3"]
    assert "binkley2003" in found(indexed, "growing Douglas-fir")


def test_only_the_chosen_files_and_this_thesis_are_searched(indexed: Project, outsider: User) -> None:
    chosen = indexed.context_files.get(name="nitrate.md")
    assert {i for i in found(indexed, "soil nitrogen alder", files=[chosen.pk]) if "::" in i} == {"nitrate.md::S1"}
    other = Project.objects.create_for(outsider, title="Other")
    assert search(other, "soil nitrogen", files=[file.pk for file in ContextFile.objects.all()]) == []


def test_a_changed_reference_is_indexed_anew_and_an_unchanged_one_left(indexed: Project) -> None:
    before = Passage.objects.get(project=indexed, source_id="rossi1999").pk
    citation = indexed.citations.get(cite_key="binkley2003")
    citation.note = "Lupins were sown."
    citation.save()
    index_references(indexed)
    assert found(indexed, "lupin") == ["binkley2003"]
    assert Passage.objects.get(project=indexed, source_id="rossi1999").pk == before
    citation.delete()
    index_references(indexed)
    assert found(indexed, "lupin") == []


@pytest.mark.django_db(transaction=True)
def test_a_reference_deleted_while_it_is_indexed_is_left_out(indexed: Project) -> None:
    changed = indexed.citations.get(cite_key="rossi1999")
    Citation.objects.filter(pk=changed.pk).update(note="Lupins were sown.")
    fresh = Citation.objects.create(project=indexed, cite_key="fresh", title="Lupins")

    def index() -> None:
        index_references(indexed)
        connection.close()

    thread = threading.Thread(target=index)
    with transaction.atomic():
        list(Passage.objects.select_for_update().filter(citation=changed))  # what stands in the way of the other
        thread.start()
        until(waits_for_us, 10, "the index to wait for this transaction")
        Citation.objects.filter(pk=fresh.pk).delete()  # not by its own `delete`, which waits for the index to end
    thread.join()
    assert found(indexed, "lupin") == ["rossi1999"]


def waits_for_us() -> bool:
    if connection.vendor == "sqlite":  # there nobody else writes until this transaction ends
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0])


def test_deleting_a_file_takes_its_passages_out_of_the_index(indexed: Project) -> None:
    files = [file.pk for file in indexed.context_files.all()]
    indexed.context_files.get(name="nitrate.md").delete()
    assert search(indexed, "leaching", files=files) == []


def test_indexing_twice_changes_nothing(indexed: Project) -> None:
    rows = set(Passage.objects.values_list("pk", flat=True))
    index_references(indexed)
    for file in indexed.context_files.all():
        index_file(file, text_of(file))
    assert set(Passage.objects.values_list("pk", flat=True)) == rows


def test_import_brings_more_to_find(indexed: Project) -> None:
    import_entries(indexed, "@misc{k, title={Beech}, note={Beech roots reached 2 m.}, author={Ek, A}}")
    index_references(indexed)
    assert found(indexed, "beech") == ["k"]


def passages(project: Project, *texts: str, title: str = "") -> None:
    """Passages of one reference's notes, called "p1", "p2" ... in the order given."""
    citation = Citation.objects.create(project=project, cite_key="notes")
    Passage.objects.bulk_create(
        Passage(
            project=project,
            citation=citation,
            source_id=f"p{number}",
            document="notes",
            title=title,
            text=text,
            offset=0,
            origin_hash="",
        )
        for number, text in enumerate(texts, start=1)
    )


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Méthodes de fixation", "methodes"),
        ("The methodes of old", "MÉTHODES"),
        ("Angstro\N{COMBINING DIAERESIS}m", "ångström"),
        ("Große Bäume", "große"),
        ("Почвы богаты азотом", "АЗОТОМ"),
        ("ПОЧВЫ", "почвы"),
        ("alder/beech stands", "beech"),
        ("see notes.md (p.4)", "notes"),
        ("“alder”—beech", "alder"),
        ("the stand's age", "stand's"),
        ("fixed N2, not NO3", "no3"),
        ("the whole of it", "the"),  # no word is too common to be searched for
        ("mixing of stands", "mixed"),
    ],
)
def test_how_a_word_is_written_does_not_matter(project: Project, text: str, query: str) -> None:
    passages(project, "nothing of the kind was here", text)
    assert found(project, query)[0] == "p2"


@pytest.mark.parametrize("query", ["fir Douglas", "Douglas fir", "douglas-fir"])
def test_words_with_a_hyphen_stand_side_by_side(project: Project, query: str) -> None:
    passages(project, "Fir trees. Douglas planted them.", "Douglas-fir grows.", "Pine grows.")
    assert set(found(project, query)) == ({"p2"} if "-" in query else {"p1", "p2"})


def test_the_best_come_first_and_equals_in_their_order(project: Project) -> None:
    filler = "Some other words that stand here so that the passage has a length like all of them."
    passages(
        project,
        f"Growth. {filler}",
        f"Growth, growth and growth again. {filler}",
        f"Lupins. {filler}",
        f"Growth. {filler}",
        f"Growth. {filler} {filler}",
        *[f"Growth of trees. {filler}" for _ in range(3)],
        *[filler for _ in range(20)],
    )
    # A rare word weighs more than a common one, two more than one, often more than once, short more than long.
    assert found(project, "lupin growth")[:2] == ["p3", "p2"]
    assert found(project, "growth of trees")[:7] == ["p6", "p7", "p8", "p2", "p1", "p4", "p5"]
    assert found(project, "growth", limit=3) == ["p2", "p1", "p4"]


def test_a_title_weighs_more_than_a_text(project: Project) -> None:
    passages(project, "Lupins were sown.", *["Alders were sown." for _ in range(5)])
    Passage.objects.filter(source_id="p5").update(title="Lupins")
    Passage.objects.filter(source_id="p4").update(heading="Lupins")
    assert found(project, "lupin") == ["p5", "p4", "p1"]


@pytest.mark.long
def test_a_passage_of_any_length_can_be_kept(project: Project) -> None:
    """A database may have room for a part of such words only."""
    passages(project, f"Alder. {' '.join(f'{number:x}' for number in range(400_000))}", "y" * 3_000_000)
    assert found(project, "alder") == ["p1"]


def test_a_query_of_any_length_is_answered(indexed: Project) -> None:
    assert found(indexed, "leaching " + "a-" * 100_000)[0] == "nitrate.md::S1"


@given(st.text(max_size=80))
@examples(80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_in_a_query_is_syntax(indexed: Project, query: str) -> None:
    search(indexed, query, files=[])
    search(indexed, f'"{query}" OR * NEAR(', files=[])
