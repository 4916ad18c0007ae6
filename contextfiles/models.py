"""Uploaded files, the text read from them, and the notes (digest) made of that text (SPEC X1, X2)."""

import uuid
from typing import Any

from django.db import models

from projects.models import Project, User


def stored_at(file: "ContextFile", name: str) -> str:
    """Return the storage path of the uploaded bytes: made of ids only, so that no user input becomes part of a path."""
    return f"files/{file.project_id}/{file.pk}"


class ContextFile(models.Model):
    """An uploaded file. Only its size and first bytes are read until a research run uses it (X1)."""

    class Status(models.TextChoices):
        STORED = "stored", "Stored, not read yet"
        READY = "ready", "Read"
        ERROR = "error", "Could not be read"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="context_files")
    name = models.CharField(max_length=255)
    blob = models.FileField(upload_to=stored_at, max_length=200)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    format = models.CharField(max_length=12)  # "md", "pdf" ...: contextfiles.formats
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.STORED)
    error = models.TextField(blank=True)
    uploaded_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True)
    uploaded_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["uploaded_at", "name"]

    def __str__(self) -> str:
        return self.name

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Delete the file, after waiting until no run indexes files of its project."""
        with Project.objects.held(self.project_id):
            return super().delete(*args, **kwargs)


class FileText(models.Model):
    """The text of a file, stored by content: two files with the same bytes and format are read once.

    `segments` are the citable passages "S1", "S2" ..., in order: [{id, heading, page, start, end}] with
    character offsets into `text` and pages counted from 1 (null where the format has none).
    """

    sha256 = models.CharField(max_length=64)
    format = models.CharField(max_length=12)
    reader_version = models.PositiveSmallIntegerField()
    text = models.TextField()
    segments = models.JSONField(default=list)
    # Possible personal data by kind: {"email": 2}; null until the text was searched for it (X2).
    personal = models.JSONField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sha256", "format", "reader_version"], name="one_text_per_content")
        ]

    def __str__(self) -> str:
        return f"{self.format} {self.sha256[:8]}"


class Digest(models.Model):
    """The notes that a language model took from a file's text: items {kind, text, sources ["S3"], why_relevant}.

    Stored by content and engine, so an unchanged file is never digested twice (X2). A text too long for one request is
    digested in parts, counted from 0.
    """

    sha256 = models.CharField(max_length=64)
    engine = models.CharField(max_length=80)
    part = models.PositiveSmallIntegerField(default=0)
    items = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sha256", "engine", "part"], name="one_digest_per_part")]

    def __str__(self) -> str:
        return f"{self.engine} {self.sha256[:8]}"


class ContextBundle(models.Model):
    """The content of the files selected for one run, fixed when the run starts (SPEC X3). Its id is session_context_id.

    `files` are {id, name, sha256, format, status, error, segments, personal, items, summary}, in order; `items` is the
    number of notes in the file's digest. `aggregate_digest` holds the notes of all files that the run works with,
    `routing_index` is {claims: [{text, sources}], tags, entities, sources}. `revision` is a hash of this content: the
    same files, read by the same reader version, have the same revision.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="context_bundles")
    revision = models.CharField(max_length=64)
    files = models.JSONField(default=list)
    aggregate_digest = models.JSONField(default=list)
    routing_index = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.revision[:8]} of {self.project_id}"


class NodeContextSlice(models.Model):
    """The notes that one question of a run gets from its files (SPEC X3, X4); `node_id` is its number: "1.2"."""

    class Mode(models.TextChoices):
        ROOT = "root", "Everything"
        ROUTED = "routed", "Chosen for this question"
        INHERITED = "inherited", "As its question above has it"
        FALLBACK = "fallback", "Chosen by words in common"

    bundle = models.ForeignKey(ContextBundle, on_delete=models.CASCADE, related_name="slices")
    node_id = models.CharField(max_length=20)
    mode = models.CharField(max_length=9, choices=Mode.choices)
    selection_reason = models.TextField(blank=True)
    selected_items = models.JSONField(default=list)  # [{kind, text, sources, why_relevant}]
    coverage_note = models.TextField(blank=True)  # the part of the question that no item covers
    dropped_items_count = models.PositiveIntegerField(default=0)  # items of the parent question that were left out

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["bundle", "node_id"], name="one_slice_per_node")]

    def __str__(self) -> str:
        return f"{self.node_id} ({self.mode})"
