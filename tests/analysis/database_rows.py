"""Database rows for tests of pages: a dataset that was read and an analysis that ran."""

from typing import Any

from django.core.files.base import ContentFile
from django.utils import timezone

from analysis.datasets.read_table import read_table
from analysis.datasets.storage import rows_csv
from analysis.models import Analysis, Dataset, DatasetVersion, Figure
from jobs.models import Job
from projects.models import Project, User

PATIENTS = """id,group,age,sex,pain,crp,phone,died
S01,steroid,77,male,3,11.5,98480 11223,1
S02,control,57,male,4,76,98480 11224,0
S03,control,65,female,2,n/k,98480 11225,1
S04,control,52,female,5,147,98480 11226,0
S05,steroid,61,female,3,-99,98480 11227,0
S06,steroid,,male,1,52,98480 11228,0
S07,steroid,48,female,2,18,98480 11229,1
S08,control,70,male,4,33,98480 11230,0
"""
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 140 90"><rect width="140" height="90" fill="#fff"/>'
    '<path d="M10 80h120" stroke="#333"/></svg>'
)
SENTENCE = (
    "age was 62.00 (SD 14.53) in steroid and 61.00 (SD 8.04) in control: mean difference 1.00 (95% CI −24.26 to 26.26; "
    "Welch two-sample t-test, t(2.9) = 0.12, p = 0.914; 7 rows, 1 missing)."
)
RESULT: dict[str, Any] = {
    "contract": "1",
    "analysis": "t_test",
    "method": "Welch two-sample t-test",
    "method_reason": "default; variances not assumed equal",
    "n": {"total": 8, "used": 7, "missing": 1, "by_group": {"control": 4, "steroid": 3}},
    "estimates": [
        {"id": "mean_difference", "label": "Mean difference, steroid minus control", "value": 1.0, "ci": [-24.26, 26.26], "conf_level": 0.95},
        {"id": "mean_1", "label": "Mean, steroid", "value": 62.0, "ci": [None, None], "conf_level": 0.95},
    ],
    "statistics": {"t": 0.1178, "df": 2.91, "p": 0.914},
    "effect_sizes": [{"id": "cohens_d", "label": "Cohen's d", "value": 0.09, "ci": [-1.41, 1.59], "method": "pooled SD"}],
    "tables": [
        {
            "id": "main",
            "title": "age by group",
            "columns": [
                {"key": "group", "label": "Group", "align": "left", "format": "text", "digits": 2},
                {"key": "n", "label": "n", "align": "right", "format": "integer", "digits": 2},
                {"key": "mean", "label": "Mean", "align": "right", "format": "number", "digits": 2},
            ],
            "rows": [{"group": "steroid", "n": 3, "mean": 62.0}, {"group": "control", "n": 4, "mean": 61.0, "level": 1}],
            "footnotes": ["Welch two-sample t-test", "Rows with a missing value are left out."],
        }
    ],
    "assumptions": [
        {"id": "normality", "test": "Shapiro-Wilk on residuals", "statistic": 0.97, "p": 0.88, "status": "ok", "text": "The residuals look normal."},
        {"id": "size", "test": "Group sizes", "statistic": None, "p": None, "status": "concern", "text": "A group has fewer than 10 values."},
        {"id": "variance", "test": "Levene", "statistic": None, "p": None, "status": "not_run", "text": "Variances are not tested: Welch needs no such test."},
    ],
    "recommendation": {"text": "With skewed values, compare ranks.", "alternative_analysis": "mann_whitney", "strength": "info"},
    "sentence": {"plain": SENTENCE, "latex": SENTENCE},
    "warnings": [{"code": "small_groups", "message": "The groups are small.", "columns": ["c2"]}],
    "script": {"language": "R", "data_file": "data.csv", "sha256": "0" * 64},
    "versions": {"r": "4.2.2", "platform": "x86_64", "packages": {"stats": "4.2.2"}},
    "timing_ms": 84,
}  # fmt: skip
SCRIPT = 'data <- read.csv("data.csv")\nresult <- t.test(age ~ group, data = data)\n'


def a_dataset(
    project: Project,
    user: User,
    text: str = PATIENTS,
    *,
    name: str = "patients.csv",
    state: str = "proposed",
    dataset: Dataset | None = None,
) -> DatasetVersion:
    """A dataset of `project` with one version more, read from `text`, without a job."""
    table = read_table(text.encode(), name)
    dataset = dataset or Dataset.objects.create(project=project, name=name, created_by=user)
    number = dataset.versions.count() + 1
    version = DatasetVersion(
        dataset=dataset,
        number=number,
        state=state,
        file_name=name,
        size=len(text),
        created_by=user,
        reading=table.reading,
    )
    version.columns, version.summary, version.remarks = table.columns, table.summary, table.remarks
    version.row_count = table.row_count
    if state == "ready":
        version.confirmed_by, version.confirmed_at = user, timezone.now()
    ids = [column["id"] for column in table.columns]
    rows = rows_csv(ids, [table.frame[id_].tolist() for id_ in ids])
    version.upload.save("upload", ContentFile(text.encode()), save=False)
    version.rows.save("rows", ContentFile(rows), save=False)
    version.save()
    return version


def an_analysis(project: Project, user: User, data: DatasetVersion | None, **changes: Any) -> Analysis:
    """An analysis of `data` that has its result, with a figure; `changes` are fields of the row."""
    columns = [{"id": one["id"], "name": one["name"]} for one in data.columns[:3]] if data else []
    given: dict[str, Any] = {
        "number": Analysis.objects.filter(project=project).count() + 1,
        "title": "Is age different with steroids?",
        "name": "t_test",
        "data": data,
        "params": {"outcome": "c3", "group": "c2"},
        "request": {"data": {"columns": columns}, "alpha": 0.05, "conf_level": 0.95},
        "why": {"question": "Is age different with steroids?", "reason": "Two groups, a number: Welch."},
        "result": RESULT,
        "script": SCRIPT,
        "versions": RESULT["versions"],
        "seconds": 0.4,
        "ended_at": timezone.now(),
        "created_by": user,
        **changes,
    }
    analysis = Analysis.objects.create(project=project, **given)
    if analysis.result:
        figure = Figure(
            project=project, analysis=analysis, kind="box", caption="Age by group.", alt="Two boxes of age."
        )
        figure.width_mm, figure.height_mm, figure.svg = 140, 90, SVG
        figure.png.save("png", ContentFile(b"\x89PNG\r\n\x1a\n"), save=False)
        figure.save()
    return analysis


def a_job(project: Project, user: User, kind: str, subject: Any) -> Job:
    """A job that waits for a worker."""
    job: Job = Job.objects.start(project=project, kind=kind, subject=subject, user=user, enqueue=False)
    return job
