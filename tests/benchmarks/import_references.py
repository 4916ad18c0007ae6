"""A file of 10,000 references comes in, and 100 and 1,000 references are printed in a style (SPEC C10, C12).

Beside the 1,000, citeproc on all of them in one pass. No pages: what a worker does, on the database of the benchmarks.
"""

from statistics import median
from typing import Any

from citations.importing.file_import import clean_import_text, import_report, run_import_job
from citations.models import Citation, Import, PrintedReference
from citations.styles import formatting
from citations.styles.formatting import print_references
from jobs.models import Job
from jobs.work import claim
from projects.models import Project, User
from tests.benchmarks.figure import Figure, seconds

ENTRIES, WORKS, MANY = 10_000, 100, 1_000
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


def many_works() -> list[dict[str, Any]]:
    """Works of 300 first authors, of whom each is cited alike for three or four."""
    others = [{"family": "García", "given": "José"}, {"family": "Menon", "given": "Asha"}]
    return [
        {
            "type": "article-journal",
            "title": f"Alder and soil, part {number}",
            "author": [{"family": f"Müller{number % 300}", "given": "Ida"}, *others],
            "issued": {"date-parts": [[2000 + number % 20]]},
            "container-title": "Journal of Trees & Soils",
            "volume": str(number),
            "page": "10-19",
            "DOI": f"10.1000/t_{number}",
        }
        for number in range(MANY)
    ]


def formatted_at_once() -> list[Figure]:
    """1,000 references that were never formatted before, and one pass of citeproc over them, in turns."""
    works = many_works()
    ours, one_pass = [], []
    for _ in range(3):
        formatting._formatted.cache_clear()
        ours.append(seconds(lambda: formatting.format_references(works, "apa")))
        formatting._formatted.cache_clear()
        one_pass.append(seconds(lambda: formatting._lines(list(enumerate(works)), "apa")))
    return [
        Figure(f"{MANY:,} references in a style, the first time", median(ours), "s", 2.0, "median of 3"),
        Figure("the same in one pass of citeproc", median(one_pass), "s", None, "median of 3"),
    ]


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
        *formatted_at_once(),
    ]
