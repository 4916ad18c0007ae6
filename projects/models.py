"""Models of users, projects, memberships, invitations and personal API tokens (SPEC P3, T1)."""

import hashlib
import secrets
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, ClassVar, Self

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import IntegrityError, OperationalError, models, transaction
from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from core.db_errors import is_deleted, is_temporary
from core.errors import Refused
from projects import rate_limits
from projects.signals import project_created, project_leaving

LOCAL_EMAIL = "local@scholium.local"  # the account of commands that name no user
DEMO_EMAIL = "demo@scholium.local"  # owns the thesis that commands call "demo"; its password is public
DELETE_ATTEMPTS = 5  # a running job may still write to a thesis that is being deleted
OFF_FOR_SITE = "Drafting is switched off on this site. You can write by hand, and insert findings and results."
OFF_FOR_THESIS = (
    "Drafting is switched off for this thesis. The owner can switch it on in the settings. "
    "You can write by hand, and insert findings and results."
)


class UserManager(BaseUserManager["User"]):
    """Creates users and finds them by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a user. With `password` None nobody can sign in until the password is reset."""
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> "User":
        """Return the user with this address, in upper or lower case.

        Addresses are stored in lower case and compared exactly. `iexact` would be unsafe: PostgreSQL treats "ſ" as
        "s", so one address could match another user's.
        """
        return self.get(email=(username or "").lower())


class User(AbstractBaseUser, PermissionsMixin):
    """A user, identified by an e-mail address; there are no user names."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=150, blank=True)
    comment_mails = models.BooleanField(default=True)  # whether new comments are mailed (sections/comment_mail.py)
    is_active = models.BooleanField(default=True)
    date_joined = models.DateTimeField(default=timezone.now)

    objects = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    def __str__(self) -> str:
        return self.name or self.email

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the user; a new password also deletes the API tokens. Sessions end by themselves.

        When Django only rehashes the same password, `_password` is None, and the tokens stay.
        """
        is_new_password = self._password is not None and not self._state.adding  # type: ignore[attr-defined]
        with transaction.atomic():
            super().save(*args, **kwargs)
            if is_new_password:
                self.api_tokens.all().delete()

    @property
    def owns_site(self) -> bool:
        """Whether this user runs the site: a superuser, or where there is none, whoever had the first account.

        The accounts of the demo and of commands never do.
        """
        people = User.objects.filter(is_active=True).exclude(email__in=[DEMO_EMAIL, LOCAL_EMAIL])
        first = people.order_by("-is_superuser", "date_joined", "pk").first()
        return first is not None and (self == first or (first.is_superuser and self.is_superuser))

    @property
    def initials(self) -> str:
        """One or two capital letters for the account button, from the name or else the address."""
        words = (self.name or self.email.split("@")[0].replace(".", " ")).split()
        return "".join(word[0] for word in [*words[:1], *words[1:][-1:]]).upper()


class ProjectQuerySet(models.QuerySet["Project"]):
    """Queries for the projects of a user."""

    def visible_to(self, user: Any) -> Self:
        """Return the projects `user` is a member of; none if not signed in. Every query starts here."""
        return self.filter(memberships__user=user) if user.is_authenticated else self.none()

    def mine(self, user: Any) -> Self:
        """Return the projects visible to `user`, last changed first, each with the user's `role`."""
        return self.visible_to(user).annotate(role=F("memberships__role")).order_by("-updated_at", "pk")

    def with_progress(self) -> Self:
        """Annotate `sections_total`, `sections_written` (with any words) and `words`, without deleted sections."""
        present = Q(sections__removed_at=None)
        return self.annotate(
            sections_total=Count("sections", filter=present),
            sections_written=Count("sections", filter=present & Q(sections__words__gt=0)),
            words=Coalesce(Sum("sections__words", filter=present), 0),
        )

    @contextmanager
    def held(self, pk: uuid.UUID) -> Iterator[None]:
        """Open a transaction that locks the project row, so that two requests cannot create the same thing twice."""
        with transaction.atomic():
            Project.objects.select_for_update(no_key=True).get(pk=pk)
            yield

    def create_for(self, user: User, **fields: Any) -> "Project":
        """Create a project owned by `user`. Receivers of `project_created` add to it (the sections of its outline).

        Raises Refused if `outline` is unknown (projects/section_templates.py).
        """
        with transaction.atomic():
            project: Project = self.create(**fields)
            project.memberships.create(user=user, role=Membership.Role.OWNER)
            project_created.send(sender=Project, project=project)
        return project


# What the pages call the rows of these relations, where it is not the name of their model.
_SHOWN_NAMES = {"context_files": "uploaded file", "citations": "work", "runs": "research run"}


class Project(models.Model):
    """A thesis: its details, settings and members."""

    class DataOpenTo(models.TextChoices):
        """Who can open datasets, uploaded files and text read from them."""

        WRITERS = "writers", "Owner and editors only"
        SUPERVISORS = "supervisors", "Supervisors, too"
        MEMBERS = "members", "All members"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    title = models.CharField(max_length=300)
    discipline = models.CharField(max_length=120, blank=True)
    degree = models.CharField(max_length=60, blank=True)
    study_design = models.CharField(max_length=120, blank=True)
    question = models.TextField(max_length=4000, blank=True)  # the thesis question; research suggests it first
    citation_style = models.CharField(max_length=120, default="apa")
    reporting_guideline = models.CharField(max_length=60, blank=True)
    default_profile = models.CharField(max_length=60, blank=True)
    outline = models.CharField(max_length=60, blank=True)  # the outline its first sections came from (SPEC T1)
    kept_private = models.TextField(blank=True)  # names and words not shared with AI, one per line (SPEC T4)
    # Who can open datasets, uploaded files and text read from them (projects/access.py).
    data_open_to = models.CharField(max_length=12, choices=DataOpenTo.choices, default=DataOpenTo.WRITERS)
    drafting_enabled = models.BooleanField(default=True)  # whether AI may draft its text (SPEC T9; projects/access.py)
    is_demo = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering = ["-updated_at"]

    def __str__(self) -> str:
        return self.title

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Delete the thesis with everything in it.

        Retries if a running job writes to the thesis at the same time.
        """
        key = self.pk
        for left in reversed(range(DELETE_ATTEMPTS)):
            try:
                with transaction.atomic():
                    list(Project.objects.select_for_update().filter(pk=key).values_list("pk"))
                    project_leaving.send(sender=Project, project=self)
                    deleted: tuple[int, dict[str, int]] = super().delete(*args, **kwargs)
                break
            except (IntegrityError, OperationalError) as error:
                self.pk = key  # Django cleared it
                if not left or not (is_deleted(error) or is_temporary(error)):
                    raise
        return deleted

    @property
    def why_not_drafting(self) -> str:
        """Why AI may not draft the text, as a sentence for the user; "" if it may. Makes no query."""
        if not settings.DRAFTING:
            return OFF_FOR_SITE
        return "" if self.drafting_enabled else OFF_FOR_THESIS

    def role_of(self, user: Any) -> "Membership.Role | None":
        """Return the role of `user` in this project, or None for non-members."""
        role = self.memberships.filter(user=user).values_list("role", flat=True).first()
        return Membership.Role(role) if role else None

    @property
    def owner(self) -> User:
        """The user who owns this project."""
        return self.memberships.select_related("user").get(role=Membership.Role.OWNER).user

    def contents(self) -> list[tuple[int, str]]:
        """Return what deleting this project would delete, as (count, verbose name) per model. Zero counts are left out.

        Uses the relations of the model, so that a model added by any app is counted too. Includes deleted sections and
        files that can still be restored.
        """
        counted = []
        for relation in self._meta.related_objects:
            model = relation.related_model
            if relation.get_accessor_name() in (
                None,
                "memberships",
                "invitations",
                "jobs",
                "passages",
                "imports",
                "text_imports",
                "supports",
                "layout",
                "ai_statement",
                "builds",
                "context_bundles",
                "key_pattern",
                "pdf_batches",
            ):
                continue
            if number := model._base_manager.filter(**{relation.field.name: self}).count():
                name = _SHOWN_NAMES.get(str(relation.get_accessor_name()))
                many = f"{name}s" if name else model._meta.verbose_name_plural
                counted.append((number, str((name or model._meta.verbose_name) if number == 1 else many)))
        return counted


class Membership(models.Model):
    """A user's role in a project."""

    class Role(models.TextChoices):
        """Roles, from most to least rights."""

        OWNER = "owner", "Owner"
        EDITOR = "editor", "Editor"
        SUPERVISOR = "supervisor", "Supervisor"
        READER = "reader", "Reader"

    # Roles an owner can give. A thesis always has exactly one owner, and ownership is not transferred.
    GRANTED: ClassVar[list[tuple[str, str]]] = [
        (Role.EDITOR.value, "Editor: can write and run research"),
        (Role.SUPERVISOR.value, "Supervisor: can read, comment and attest"),
        (Role.READER.value, "Reader: can read"),
    ]

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role.choices, default=Role.READER)
    comments_mailed_at = models.DateTimeField(null=True, blank=True)  # when a mail about comments was sent last
    first_steps_put_away = models.BooleanField(default=False)  # the list of first steps (thesis/first_steps.py)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="one_role_per_person"),
            models.UniqueConstraint(fields=["project"], condition=models.Q(role="owner"), name="one_owner_per_project"),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"

    @classmethod
    def check_assignable(cls, role: str) -> None:
        """Raise Refused unless an owner can give `role`."""
        if role not in dict(cls.GRANTED):
            raise Refused("Choose a role: editor, supervisor or reader.", field="role")

    def change_role(self, role: str) -> None:
        """Change the role of this member. Raises Refused for the owner, and for a role that cannot be given."""
        self.check_assignable(role)
        if not type(self).objects.filter(pk=self.pk).exclude(role=self.Role.OWNER).update(role=role):
            raise Refused("The role of the owner cannot be changed.", field="role", code="owner")
        self.role = role

    def end(self) -> None:
        """Remove this member from the project. Raises Refused for the owner."""
        if not type(self).objects.filter(pk=self.pk).exclude(role=self.Role.OWNER).delete()[0]:
            raise Refused("The owner cannot leave the thesis.", code="owner")


class Invitation(models.Model):
    """An invitation of an e-mail address to a thesis. Only the hash of its link is stored."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=12, choices=Membership.Role.choices)
    digest = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    mail_waits = models.BooleanField(default=False)  # until `made_by` confirms their address

    class Meta:
        ordering = ["-made_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "email"], condition=models.Q(accepted_at=None), name="one_open_invitation_per_person"
            )
        ]

    def __str__(self) -> str:
        return f"{self.email} ({self.role})"


class ApiToken(models.Model):
    """A personal token for the JSON API. Only its hash is stored; the token itself is shown once."""

    MOST = 50  # tokens per user
    SEEN_EVERY = timedelta(minutes=1)  # `last_used_at` is written at most this often, not at every call

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name

    @staticmethod
    def digest_of(token: str) -> str:
        """Return the SHA-256 hash of a token, as stored."""
        return hashlib.sha256(token.encode()).hexdigest()

    @classmethod
    def issue(cls, user: User, name: str) -> tuple["ApiToken", str]:
        """Create a token for `user` and return the row with the token to show once.

        Raises Refused beyond `MOST` and the daily limit, and if the password was changed since `user` was loaded: a
        new password ends all tokens, also those being created.
        """
        token = f"sch_{secrets.token_urlsafe(32)}"
        with transaction.atomic():
            if User.objects.select_for_update(no_key=True).get(pk=user.pk).password != user.password:
                raise Refused("Your password was changed just now. Sign in again.", field="name")
            if user.api_tokens.count() >= cls.MOST:
                raise Refused(f"You have {cls.MOST} tokens. Remove one you no longer need first.", field="name")
            rate_limits.check(rate_limits.TOKENS_MADE, user.pk, said="You have made many tokens today.", field="name")
            return cls.objects.create(user=user, name=name, digest=cls.digest_of(token)), token

    @classmethod
    def user_of(cls, token: str) -> User | None:
        """Return the user a token belongs to, or None. Marks the token as used, to the minute."""
        row = cls.objects.select_related("user").filter(digest=cls.digest_of(token), user__is_active=True).first()
        if row is None:
            return None
        now = timezone.now()
        if row.last_used_at is None or now - row.last_used_at > cls.SEEN_EVERY:
            cls.objects.filter(pk=row.pk).update(last_used_at=now)
        return row.user
