"""Entries that the older rule has proven are looked up once more.

That rule called an entry proven when three in five of its authors were in the record, and said that all agreed where
venue, pages or authors did not. A registry that cannot be reached leaves an entry as it is, and is asked again.
"""

from django.db import migrations
from django.utils import timezone


def look_up_again(apps, schema_editor):
    proven = apps.get_model("citations", "Citation").objects.filter(status="verified", check_due_at=None)
    proven.exclude(claimed={}).update(check_due_at=timezone.now())


class Migration(migrations.Migration):
    dependencies = [("citations", "0005_statuses")]
    operations = [migrations.RunPython(look_up_again, migrations.RunPython.noop)]
