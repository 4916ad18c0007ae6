"""The counters of earlier runs count works, as all pages do: a file once, however many of its passages were found."""

from django.db import migrations
from django.db.models import Count


def count_works(apps, schema_editor):
    Run, Source, Finding, Job = (
        apps.get_model(*name.split("."))
        for name in ("research.Run", "research.Source", "research.Finding", "jobs.Job")
    )
    works = Count("document", distinct=True)
    with_findings = Count("source__document", distinct=True)
    for run_id, job_id in Run.objects.values_list("pk", "job_id").iterator():
        counters = Job.objects.filter(pk=job_id).values_list("counters", flat=True).first()
        if not counters or "sources" not in counters:
            continue
        found = Source.objects.filter(run=run_id, duplicate_of=None, is_passage=False).aggregate(n=works)["n"]
        kept = Finding.objects.filter(run=run_id, is_superseded=False).aggregate(n=with_findings)["n"]
        counters |= {"sources": found, "kept": kept, "set_aside": max(0, found - kept)}
        Job.objects.filter(pk=job_id).update(counters=counters)


class Migration(migrations.Migration):
    dependencies = [("research", "0011_deleted_files"), ("jobs", "0001_initial")]

    operations = [migrations.RunPython(count_works, migrations.RunPython.noop)]
