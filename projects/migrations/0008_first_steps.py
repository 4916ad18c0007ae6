from django.db import migrations, models


class Migration(migrations.Migration):
    """Theses that exist already do not show the list of first steps; it can be brought back in their settings."""

    dependencies = [("projects", "0007_comment_mails")]

    operations = [
        migrations.AddField("membership", "first_steps_put_away", models.BooleanField(default=True)),
        migrations.AlterField("membership", "first_steps_put_away", models.BooleanField(default=False)),
    ]
