"""One that succeeds: what it changes has to go back as well."""

from django.db import migrations

SQL = "UPDATE projects_project SET title = 'Changed by a migration'"


class Migration(migrations.Migration):
    dependencies = [("projects", "0001_initial")]
    operations = [migrations.RunSQL(SQL, migrations.RunSQL.noop)]
