"""Sources and passages say whether they are leads. Null, so that SQLite adds a column and keeps the triggers of the index."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("research", "0008_claims")]
    operations = [
        migrations.AddField("source", "is_lead", models.BooleanField(null=True)),
        migrations.AddField("passage", "is_lead", models.BooleanField(null=True)),
    ]
