"""One that fails; where SCHOLIUM_TEST_WRITES names a SQLite file, after somebody else has written into it."""

import os
import sqlite3
from contextlib import closing

from django.db import migrations


def fail(apps, schema_editor):
    if database := os.environ.get("SCHOLIUM_TEST_WRITES"):
        with closing(sqlite3.connect(database)) as other, other:
            other.execute("UPDATE sections_section SET latex = 'Typed meanwhile' WHERE slug = 'introduction'")
    apps.get_model("projects", "Project").objects.create(pk="no id")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("failing", "0001_first")]
    operations = [migrations.RunPython(fail, migrations.RunPython.noop)]
