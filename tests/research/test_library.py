"""The `library` provider: full-text search over references and files (R1, X2)."""

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as checked
from hypothesis import strategies as st

from citations.importing import import_entries
from contextfiles.bind import text_of
from contextfiles.models import ContextFile
from projects.models import Project, User
from research.library import index_file, index_references, search
from research.models import Passage

pytestmark = pytest.mark.django_db


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


@given(st.text(max_size=80))
@checked(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_in_a_query_is_syntax(indexed: Project, query: str) -> None:
    search(indexed, query, files=[])
    search(indexed, f'"{query}" OR * NEAR(', files=[])
