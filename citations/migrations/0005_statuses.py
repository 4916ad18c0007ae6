"""Uploaded files get a status of their own; why a retracted work is cited is kept.

An entry that an earlier version made for an uploaded file is known by the reason it wrote beside "to be confirmed", which
no import can write. What a person attested since stays attested, and is told apart by its file all the same.
"""

from uuid import UUID

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

_REASON = "This is your uploaded file "


def name_files(apps, schema_editor):
    Citation = apps.get_model("citations", "Citation")
    changed = []
    for row in Citation.objects.filter(reason__startswith=_REASON).iterator(chunk_size=500):
        kept = row.csl.get("custom", {}).get("bibtex", {}) if isinstance(row.csl.get("custom"), dict) else {}
        row.file_name = str(row.csl.get("title") or row.title or row.cite_key)
        try:
            row.file_id = UUID(str(kept.get("fileid") or ""))
        except ValueError:
            row.file_id = None
        if row.status == "review":
            row.status, row.reason, row.check_due_at = "file", "", None
        changed.append(row)
    Citation.objects.bulk_update(changed, ["file_name", "file_id", "status", "reason", "check_due_at"], batch_size=200)


def files_to_confirm(apps, schema_editor):
    Citation = apps.get_model("citations", "Citation")
    for row in Citation.objects.filter(status="file").iterator(chunk_size=500):
        row.status = "review"
        row.reason = f"{_REASON}{row.file_name}. No catalogue knows it."
        row.save(update_fields=["status", "reason"])


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("citations", "0004_exchange"),
    ]

    operations = [
        migrations.AlterField(
            model_name="citation",
            name="status",
            field=models.CharField(
                choices=[
                    ("verified", "Verified"),
                    ("attested", "Attested"),
                    ("review", "To be confirmed"),
                    ("conflict", "Identifier conflict"),
                    ("not_found", "Not found"),
                    ("unresolved", "Not looked up yet"),
                    ("file", "Your file"),
                ],
                default="unresolved",
                max_length=12,
            ),
        ),
        migrations.AddField("citation", "file_name", models.TextField(blank=True, default=""), preserve_default=False),
        migrations.AddField("citation", "file_id", models.UUIDField(blank=True, null=True)),
        migrations.AddField(
            "citation", "retraction_reason", models.TextField(blank=True, default=""), preserve_default=False
        ),
        migrations.AddField(
            "citation",
            "retraction_reason_by",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField("citation", "retraction_reason_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("citation", "retraction_reason_notices", models.JSONField(default=list)),
        migrations.RunPython(name_files, files_to_confirm),
    ]
