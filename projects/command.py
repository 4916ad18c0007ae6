"""Base classes and helpers for commands: which user they act as, which thesis they use (DESIGN, "Commands")."""

from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from uuid import UUID

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from core.errors import Refused
from projects.models import DEMO_EMAIL, LOCAL_EMAIL, Project, User


class RefusingCommand(BaseCommand):
    """A command that prints a Refused error and exits with 2, or with 1 for the HTTP statuses in `fails`."""

    fails: tuple[int, ...] = ()

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except Refused as refused:
            raise CommandError(refused.message, returncode=1 if refused.status in self.fails else 2) from None


class ThesisCommand(RefusingCommand):
    """A command on one thesis, acting as a user who may read or change it."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT_ID", help="id of the thesis, or demo")
        parser.add_argument("--user", default="", metavar="EMAIL", help="act as this user (default: the owner)")

    def to_read(self, options: dict[str, Any]) -> Project:
        """Return the thesis named on the command line.

        Raises Refused if it does not exist or the user may not read it.
        """
        prepare_database(self.stderr)
        project = find_or_make_project(options["project"], "")
        email = options["user"]
        if email and project.role_of(_by_email(email)) is None:  # the same message as for a thesis that does not exist
            raise Refused(f"There is no thesis {project.pk}.")
        return project

    def to_change(self, options: dict[str, Any]) -> tuple[Project, User]:
        """Return the thesis named on the command line and the acting user.

        Raises Refused if the thesis does not exist or the user may not change it.
        """
        prepare_database(self.stderr)
        project = find_or_make_project(options["project"], "")
        return project, acting_user(options["user"], project)


def output_file(options: dict[str, Any], what: str) -> Path:
    """Return the path given as --output. Raises CommandError if it is missing or cannot be written.

    `what` describes the missing file in the message, such as "the file to write with --output".
    """
    output: Path | None = options["output"]
    if output is None:
        raise CommandError(f"Name {what}.", returncode=2)
    if output.is_dir() or not output.parent.is_dir():
        wrong = f"{output} is a folder." if output.is_dir() else f"The folder {output.parent} does not exist."
        raise CommandError(f"{wrong} Give the path of the file to write.", returncode=2)
    return output


@contextmanager
def writing(output: Path) -> Iterator[IO[bytes]]:
    """Yield `output`, opened for writing. Raises CommandError if it cannot be written."""
    try:
        with output.open("wb") as out:
            yield out
    except OSError as error:
        raise CommandError(f"{output} could not be written: {error.strerror}.", returncode=1) from None


def prepare_database(stderr: Any) -> None:
    """Create the tables of an empty database, so that commands work on a new installation."""
    if not MigrationExecutor(connection).loader.applied_migrations:
        stderr.write("The database is empty: creating its tables.")
        call_command("migrate", interactive=False, verbosity=0)


def local_user() -> User:
    """Return the user that commands act as by default. It has no password, so nobody can sign in as it."""
    found = User.objects.filter(email=LOCAL_EMAIL).first()
    return found or User.objects.create_user(LOCAL_EMAIL, None, name="Local user")


def person(email: str) -> User:
    """Return the user with `email`, or the local user if it is empty. Raises Refused if there is no such user."""
    return _by_email(email) if email else local_user()


def find_or_make_project(named: str, email: str) -> Project:
    """Return the thesis `named` (an id, or "demo"); if empty, the user's latest thesis, or a new one.

    Raises Refused if there is no such thesis or user.
    """
    if named == "demo":
        project: Project | None = Project.objects.filter(is_demo=True, memberships__user__email=DEMO_EMAIL).first()
        if project is None:
            raise Refused("The demo thesis is not installed. Install it with: manage.py demo")
        return project
    if named:
        try:
            return Project.objects.get(pk=UUID(named))
        except (ValueError, Project.DoesNotExist):
            raise Refused(f"There is no thesis {named}.") from None
    user = person(email)
    mine: Project | None = Project.objects.filter(memberships__user=user).first()
    return mine or Project.objects.create_for(user, title="Notes and questions")


def acting_user(email: str, project: Project) -> User:
    """Return the user with `email`, or the owner if it is empty. Raises Refused if the user may not edit `project`."""
    if not email:
        return project.owner
    user = _by_email(email)
    if project.role_of(user) not in ("owner", "editor"):
        raise Refused(f"{email} may not change this thesis.")
    return user


def _by_email(email: str) -> User:
    user = User.objects.filter(email=email.lower()).first()
    if user is None:
        raise Refused(f"There is no user with the address {email}.")
    return user
