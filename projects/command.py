"""For the command line: as whom it acts, on which thesis, on which database (DESIGN, "Commands")."""

from typing import Any
from uuid import UUID

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from core.errors import Refused
from projects.models import Project, User

LOCAL = "local@scholium.local"


def prepare_database(stderr: Any) -> None:
    """Create the tables when the database has none yet, so that a command works on a bare machine."""
    executor = MigrationExecutor(connection)
    if executor.loader.applied_migrations:
        return
    stderr.write("The database is empty: creating its tables.")
    call_command("migrate", interactive=False, verbosity=0)


def local_user() -> User:
    """The person of this machine, for work nobody signed in for; nobody can sign in as them."""
    return User.objects.filter(email=LOCAL).first() or User.objects.create_user(LOCAL, None, name="Local user")


def person(email: str) -> User:
    """Whom a command acts as that begins something new: `email`, else the local user. Raises Refused for nobody."""
    return _by_email(email) if email else local_user()


def find_or_make_project(named: str, email: str) -> Project:
    """The thesis `named` (an id, or "demo"); with no name, the acting person's latest, or a new one.

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


def check_member(email: str, project: Project) -> None:
    """Raises Refused when `email` is given and is nobody who may read `project`, in the words of one that is not there."""
    if email and project.role_of(_by_email(email)) is None:
        raise Refused(f"There is no thesis {project.pk}.")


def _by_email(email: str) -> User:
    user = User.objects.filter(email=email.lower()).first()
    if user is None:
        raise Refused(f"Nobody here has the address {email}.")
    return user
