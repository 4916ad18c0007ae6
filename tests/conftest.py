import gc
import shutil

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

# Rooms whose files take long for their few tests, which conduct runs, start processes or wait; the longest first.
LONG = ("research_model", "research", "jobs", "config", "sources", "llm_model")

settings.load_profile("short")


def pytest_configure(config: pytest.Config) -> None:
    config.option.loadscopereorder = False  # pytest-xdist would begin with the files of the most tests


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests marked `long` only where they are asked for (`make test-long`, or `-m long`), and long files first, so that
    none is left to one process at the end while the others are idle."""
    if "long" not in config.option.markexpr.replace("not long", ""):
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("long")])
        items[:] = [item for item in items if not item.get_closest_marker("long")]
    items.sort(key=lambda item: LONG.index(room) if (room := item.path.parent.name) in LONG else len(LONG))


def pytest_collection_finish() -> None:
    """What was imported stays: without this, each full collection of garbage looks through all of it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """The database of this process begins as a copy of the one that is migrated already (on PostgreSQL it is migrated
    here)."""
    if connection.vendor == "sqlite":
        shutil.copyfile(template(), connection.settings_dict["TEST"]["NAME"])


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    return True


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> None:
    """The database, where emptying the tables after a test no longer writes the permissions anew.

    Django does that after each `transaction=True`, for every model, and takes thirty times as long for it as for
    the emptying. Nothing here asks for permissions or content types.
    """
    assert post_migrate.disconnect(create_permissions, dispatch_uid="django.contrib.auth.management.create_permissions")
    assert post_migrate.disconnect(create_contenttypes)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many numbers of R were compared with known ones, or with what their own script gives (tests/analysis/r)."""
    reports = [report for report in terminalreporter.getreports("") if report.when == "teardown"]
    compared = sum(value for report in reports for name, value in report.user_properties if name == "oracle_values")
    if compared:
        terminalreporter.write_line(f"{compared} expected values of R compared.")
