"""Who may see what: people, projects, memberships and personal API tokens (SPEC P3, T1)."""

import hashlib
import secrets
import uuid
from typing import Any, ClassVar, Self

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models, transaction
from django.utils import timezone

from projects.signals import project_created


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A new person. `password` None makes an account that nobody can sign in to until it is reset."""
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email__iexact=username)


class User(AbstractBaseUser, PermissionsMixin):
    """A person, known by an e-mail address; there are no user names."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=150, blank=True)
    is_active = models.BooleanField(default=True)
    date_joined = models.DateTimeField(default=timezone.now)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    def __str__(self) -> str:
        return self.name or self.email

    @property
    def initials(self) -> str:
        """One or two capitals for the account button: of the name, else of the address."""
        words = (self.name or self.email.split("@")[0].replace(".", " ")).split()
        return "".join(word[0] for word in [*words[:1], *words[1:][-1:]]).upper()


class ProjectQuerySet(models.QuerySet["Project"]):
    def visible_to(self, user: Any) -> Self:
        """The projects `user` is a member of; none for somebody not signed in. Every query starts here."""
        if not user.is_authenticated:
            return self.none()
        return self.filter(memberships__user=user)

    def create_for(self, user: User, **fields: Any) -> "Project":
        """A project owned by `user`, with whatever other rooms add on `project_created` (its chapters)."""
        with transaction.atomic():
            project: Project = self.create(**fields)
            project.memberships.create(user=user, role=Membership.Role.OWNER)
            project_created.send(sender=Project, project=project)
        return project


class Project(models.Model):
    """One thesis."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    title = models.CharField(max_length=300)
    discipline = models.CharField(max_length=120, blank=True)
    degree = models.CharField(max_length=60, blank=True)
    study_design = models.CharField(max_length=120, blank=True)
    citation_style = models.CharField(max_length=120, default="apa")
    reporting_guideline = models.CharField(max_length=60, blank=True)
    default_profile = models.CharField(max_length=60, blank=True)
    is_demo = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[Any] = ProjectQuerySet.as_manager()

    class Meta:
        ordering = ["-updated_at"]

    def __str__(self) -> str:
        return self.title

    def role_of(self, user: Any) -> "Membership.Role | None":
        """What `user` is in this project, or None for a stranger."""
        role = self.memberships.filter(user=user).values_list("role", flat=True).first()
        return Membership.Role(role) if role else None

    @property
    def owner(self) -> User:
        return self.memberships.select_related("user").get(role=Membership.Role.OWNER).user


class Membership(models.Model):
    class Role(models.TextChoices):
        OWNER = "owner", "Owner"
        EDITOR = "editor", "Editor"
        SUPERVISOR = "supervisor", "Supervisor"
        READER = "reader", "Reader"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role.choices, default=Role.READER)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="one_role_per_person"),
            models.UniqueConstraint(
                fields=["project"], condition=models.Q(role="owner"), name="one_owner_per_project"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"


class ApiToken(models.Model):
    """A personal token for the JSON API. Only its hash is kept; the token itself is shown once."""

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
        return hashlib.sha256(token.encode()).hexdigest()

    @classmethod
    def issue(cls, user: User, name: str) -> tuple["ApiToken", str]:
        """A new token for `user`: the row, and the token to show once."""
        token = f"sch_{secrets.token_urlsafe(32)}"
        return cls.objects.create(user=user, name=name, digest=cls.digest_of(token)), token

    @classmethod
    def user_of(cls, token: str) -> User | None:
        """The person a token belongs to, or None. Marks the token as used."""
        row = cls.objects.select_related("user").filter(digest=cls.digest_of(token), user__is_active=True).first()
        if row is None:
            return None
        cls.objects.filter(pk=row.pk).update(last_used_at=timezone.now())
        return row.user
