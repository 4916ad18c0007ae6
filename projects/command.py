"""For the command line: as whom it acts, on which thesis, on which database (DESIGN, "Commands")."""

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
from projects.models import Project, User

LOCAL = "local@scholium.local"


class RefusingCommand(BaseCommand):
    """A command that prints what is refused and exits with 2, or with 1 for the statuses that it `fails` with."""

    fails: tuple[int, ...] = ()

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except Refused as refused:
            raise CommandError(refused.message, returncode=1 if refused.status in self.fails else 2) from None


class ThesisCommand(RefusingCommand):
    """A command on one thesis, for a person who may read it or change it."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT_ID", help="the id of the thesis, or demo")
        parser.add_argument("--user", default="", metavar="EMAIL", help="act as this person; else as the owner")

    def to_read(self, options: dict[str, Any]) -> Project:
        """Return the thesis that is named. Raises Refused where there is none, or the person may not read it."""
        prepare_database(self.stderr)
        project = find_or_make_project(options["project"], "")
        email = options["user"]
        if email and project.role_of(_by_email(email)) is None:  # in the words of one that is not there
            raise Refused(f"There is no thesis {project.pk}.")
        return project

    def to_change(self, options: dict[str, Any]) -> tuple[Project, User]:
        """Return the thesis that is named, and who changes it. Raises Refused where there is none, or the person may not."""
        prepare_database(self.stderr)
        project = find_or_make_project(options["project"], "")
        return project, acting_user(options["user"], project)


def output_file(options: dict[str, Any], what: str) -> Path:
    """Return the file that --output names. Raises CommandError for none (`what` is to be named then), and one that cannot be."""
    output: Path | None = options["output"]
    if output is None:
        raise CommandError(f"Name {what}.", returncode=2)
    if output.is_dir() or not output.parent.is_dir():
        wrong = f"{output} is a folder." if output.is_dir() else f"There is no folder {output.parent}."
        raise CommandError(f"{wrong} Name the file to write.", returncode=2)
    return output


@contextmanager
def writing(output: Path) -> Iterator[IO[bytes]]:
    """The file to write, opened. Raises CommandError where the disk does not take what is written."""
    try:
        with output.open("wb") as out:
            yield out
    except OSError as error:
        raise CommandError(f"{output} could not be written: {error.strerror}.", returncode=1) from None


def prepare_database(stderr: Any) -> None:
    """Create the tables when the database has none yet, so that a command works on a bare machine."""
    if not MigrationExecutor(connection).loader.applied_migrations:
        stderr.write("The database is empty: creating its tables.")
        call_command("migrate", interactive=False, verbosity=0)


def local_user() -> User:
    """Return the person of this machine, for work nobody signed in for; nobody can sign in as them."""
    return User.objects.filter(email=LOCAL).first() or User.objects.create_user(LOCAL, None, name="Local user")


def person(email: str) -> User:
    """Whom a command acts as that begins something new: `email`, else the local user. Raises Refused for nobody."""
    return _by_email(email) if email else local_user()


def find_or_make_project(named: str, email: str) -> Project:
    """Return the thesis `named` (an id, or "demo"); with no name, the acting person's latest, or a new one.

    Raises Refused when there is no such thesis or no such person.
    """
    if named == "demo":
        project: Project | None = Project.objects.filter(is_demo=True).first()
        if project is None:
            raise Refused("The demo thesis is not installed: manage.py demo installs it.")
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
    """Whom a command acts as: `email`, else the owner. Raises Refused for somebody who may not write there."""
    if not email:
        return project.owner
    user = _by_email(email)
    if project.role_of(user) not in ("owner", "editor"):
        raise Refused(f"{email} may not change this thesis.")
    return user


def _by_email(email: str) -> User:
    user = User.objects.filter(email=email.lower()).first()
    if user is None:
        raise Refused(f"Nobody here has the address {email}.")
    return user
