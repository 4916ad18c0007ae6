"""One finished run for all tests of a module, where each would otherwise conduct its own.

A module imports `finished` with `owner`, `forest`, `run` or `project`. The run is conducted in a transaction that
ends with the module; each test has one of its own within it, so what it changes is gone for the next. Other threads
and processes see nothing of it, so this is not for tests with `transaction=True`. A module whose run is another one
has a fixture `finished` of its own, with `for_all_tests`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from projects.models import Project, User
from research.models import Run
from tests.people import asha, her_thesis
from tests.research.forest_thesis import plant, researched


@contextmanager
def for_all_tests(blocker: Any) -> Iterator[User]:
    """Keep what is made in this block for all tests of a module. It begins with Asha, who has no thesis yet."""
    with blocker.unblock(), transaction.atomic():
        yield asha()
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def finished(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[UUID]:
    """The key of a run of Asha's thesis on red alder that has its report."""
    with for_all_tests(django_db_blocker) as owner:
        yield researched(plant(her_thesis(owner), owner, tmp_path_factory.mktemp("forest")), owner).pk


@pytest.fixture
def run(finished: UUID, db: None) -> Run:
    return Run.objects.select_related("job").get(pk=finished)


@pytest.fixture
def forest(finished: UUID, db: None) -> Project:
    return Project.objects.get(runs=finished)


@pytest.fixture
def project(forest: Project) -> Project:
    """For modules whose editors and readers are of this thesis; the others have an empty one beside it."""
    return forest


@pytest.fixture
def owner(finished: UUID, db: None) -> User:
    return User.objects.get(email="asha@example.org")
