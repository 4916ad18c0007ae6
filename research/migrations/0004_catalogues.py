import django.db.models.deletion
from django.db import migrations, models


def drop_calls_under_way(apps, schema_editor):
    """A call that was not answered leaves no row any more."""
    apps.get_model("research", "Step").objects.filter(finished_at=None).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("research", "0003_library_index_postgresql"),
    ]

    operations = [
        migrations.RunPython(drop_calls_under_way, migrations.RunPython.noop),
        migrations.RemoveField(model_name="run", name="reserved_calls"),
        migrations.RemoveField(model_name="run", name="reserved_tokens"),
        migrations.RemoveField(model_name="run", name="reserved_usd"),
        migrations.RemoveField(model_name="step", name="calls"),
        migrations.AlterField(model_name="step", name="finished_at", field=models.DateTimeField()),
        migrations.AlterField(model_name="step", name="response", field=models.JSONField()),
        migrations.AddField(
            model_name="source", name="citation_count", field=models.PositiveIntegerField(null=True)
        ),
        migrations.AddField(
            model_name="source",
            name="duplicate_of",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="duplicates",
                to="research.source",
            ),
        ),
        migrations.AddField(model_name="source", name="is_passage", field=models.BooleanField(default=False)),
        migrations.AddField(model_name="source", name="work", field=models.JSONField(default=dict)),
        migrations.AlterField(
            model_name="source",
            name="kind",
            field=models.CharField(
                choices=[
                    ("file", "Uploaded file"),
                    ("reference", "Reference"),
                    ("work", "Found in a catalogue"),
                    ("page", "Web page"),
                ],
                max_length=10,
            ),
        ),
    ]
