import gc
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

import pytest
from django.contrib.auth.management import create_permissions
from django.contrib.contenttypes.management import create_contenttypes
from django.db import connection
from django.db.models.signals import post_migrate
from hypothesis import settings

from tests import examples as examples  # registers the profiles
from tests.people import editor, outsider, owner, project, reader, supervisor
from tests.template_database import template

__all__ = ["editor", "outsider", "owner", "project", "reader", "supervisor"]

# Folders in the order of how long a file of theirs takes; those that are not named follow.
SLOW = ("research_model", "upgrade", "research", "jobs", "config", "analysis.r", "thesis", "analysis", "sources")

settings.load_profile("short")


def pytest_configure(config: pytest.Config) -> None:
    config.option.loadscopereorder = False  # pytest-xdist would start with the files that have the most tests


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Leave out tests marked `long` unless `-m long` or `make test-long` asks for them, and run slow folders first.

    Otherwise one process would still run a slow file at the end while the others are idle.
    """
    _sample(items)
    yield
    if "long" not in config.option.markexpr.replace("not long", ""):
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("long")])
        items[:] = [item for item in items if not item.get_closest_marker("long")]
    items.sort(key=lambda item: SLOW.index(folder) if (folder := _folder(item)) in SLOW else len(SLOW))


def _sample(items: Iterable[pytest.Item]) -> None:
    """Mark as `long` what a test marked `sample(n)` does beyond n of its parameters, spread evenly over all of them."""
    tests = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sample"):
            tests[item.nodeid.partition("[")[0]].append(item)
    for same in tests.values():
        (number,) = cast(pytest.Mark, same[0].get_closest_marker("sample")).args
        kept = {place * len(same) // number for place in range(number)}
        for place, item in enumerate(same):
            if place not in kept:
                item.add_marker("long")


def _folder(item: pytest.Item) -> str:
    return ".".join(item.path.relative_to(Path(__file__).parent).parts[:-1])


def pytest_collection_finish() -> None:
    """Exclude what was imported so far from garbage collection, which would search all of it each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """Copy the migrated template database for this process (SQLite only; a PostgreSQL database is migrated here)."""
    if connection.vendor == "sqlite":
        shutil.copyfile(template(), connection.settings_dict["TEST"]["NAME"])


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    return True


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> None:
    """Set up the database so that flushing it after a test does not create permissions and content types again.

    Django creates them after each test with `transaction=True`, for every model, which takes thirty times as long as
    the flush. No test uses them.
    """
    assert post_migrate.disconnect(create_permissions, dispatch_uid="django.contrib.auth.management.create_permissions")
    assert post_migrate.disconnect(create_contenttypes)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many numbers of R were compared with known values or with the output of their script."""
    reports = [report for report in terminalreporter.getreports("") if report.when == "teardown"]
    compared = sum(value for report in reports for name, value in report.user_properties if name == "oracle_values")
    if compared:
        terminalreporter.write_line(f"{compared} expected values of R compared.")
