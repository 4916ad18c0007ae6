"""A file of 10,000 references comes in, and 100 references are printed in a style (SPEC C10, C12).

No pages: what a worker does for the import, on the database of the benchmarks.
"""

from citations.importing.file_import import clean_import_text, import_report, run_import_job
from citations.models import Citation, Import, PrintedReference
from citations.styles import formatting
from citations.styles.formatting import print_references
from jobs.models import Job
from jobs.work import claim
from projects.models import Project, User
from tests.benchmarks.figure import Figure, seconds

ENTRIES, WORKS = 10_000, 100
NOTE = "Forty plots were measured over three seasons, and their soils compared. " * 24
ENTRY = (
    "@article{k%d, title = {Caf\\'e No. %d \\& the \\emph{alder} in {DNA} studies of na{\\\"i}ve soils},"
    " author = {M{\\\"u}ller, Ida and Garc{\\'\\i}a, Jos\\'e and Menon, Asha and Lund, Oskar},"
    " journal = {Journal of Trees \\& Soils}, year = {2021}, volume = {%d}, number = {3}, pages = {10--19},"
    " doi = {10.1000/t_%d}, url = {https://example.org/%d}, abstract = {%s}}\n"
)


def text_of(count: int, note: str = "") -> str:
    return "".join(ENTRY % (number, number, number, number, number, note) for number in range(count))


def import_all(user: User, text: str) -> None:
    """What a worker does with a file of references."""
    project = Project.objects.create_for(user, title="Many references")
    brought = Import.objects.create(project=project, text=clean_import_text(text))
    job = Job.objects.start(project=project, kind="bring", subject=brought.pk, user=user, enqueue=False)
    held = claim(str(job.pk), "benchmark")
    if held is None:
        raise RuntimeError("The job was not there to be claimed.")
    run_import_job(held, lambda done, total: None)
    told = import_report(brought, held)
    if told is None or len(told.added) != ENTRIES:
        raise RuntimeError("Not all entries came in.")


def measure() -> list[Figure]:
    user = User.objects.create_user("bring@example.org", name="Asha Menon")
    short, long = text_of(ENTRIES), text_of(ENTRIES, NOTE)
    plain = seconds(lambda: import_all(user, short))
    whole = seconds(lambda: import_all(user, long))
    items = list(Citation.objects.order_by("serial").values_list("csl", flat=True)[:WORKS])
    formatting._formatted.cache_clear()
    PrintedReference.objects.all().delete()
    first = seconds(lambda: print_references(items, "apa"))
    again = seconds(lambda: print_references(items, "apa"))
    return [
        Figure(f"{ENTRIES:,} references imported, {len(short) / 1e6:.0f} MB", plain, "s", 20.0),
        Figure(f"{ENTRIES:,} references imported, {len(long) / 1e6:.0f} MB", whole, "s", 20.0),
        Figure(f"{WORKS} references in a style, the first time", first, "s", 0.6),
        Figure(f"{WORKS} references in a style, from then on", again * 1000, "ms"),
    ]
