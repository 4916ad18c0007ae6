import pytest
from django.contrib.auth.management import create_permissions
from django.contrib.contenttypes.management import create_contenttypes
from django.db.models.signals import post_migrate

from tests.cast import editor, outsider, owner, project, reader, supervisor

__all__ = ["editor", "outsider", "owner", "project", "reader", "supervisor"]


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> None:
    """The database, where emptying the tables after a test no longer writes the permissions anew.

    Django does that after each `transaction=True`, for every model, and takes thirty times as long for it as for
    the emptying. Nothing here asks for permissions or content types.
    """
    assert post_migrate.disconnect(create_permissions, dispatch_uid="django.contrib.auth.management.create_permissions")
    assert post_migrate.disconnect(create_contenttypes)
