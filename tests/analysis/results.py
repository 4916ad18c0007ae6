"""Answers of the statistics service as tests need them, and analyses that have one, without asking R."""

import base64
from typing import Any

from django.utils import timezone

from analysis.models import Analysis, Dataset, DatasetVersion
from analysis.running.save_result import save_result
from analysis.running.start import AnalysisRequest, start_analysis
from jobs.models import Job, State
from jobs.work import claim, end
from projects.models import Project, User

SVG = (
    "<?xml version='1.0' encoding='UTF-8' ?><svg xmlns='http://www.w3.org/2000/svg' class='svglite' "
    "viewBox='0 0 72 36'>"
    "<defs><style type='text/css'><![CDATA[.svglite line { fill: none; }]]></style>"
    "<clipPath id='cp1='><rect x='0' y='0' width='72' height='36'/></clipPath></defs>"
    "<g clip-path='url(#cp1=)'><rect x='0' y='0' width='9' height='9' style='fill: #1D4E58;'/>"
    "<text x='1' y='2' style='font-size: 9px;'>Height, cm</text></g></svg>"
)
COLUMNS = [
    {"id": "c1", "name": "height", "type": "numeric", "levels": [], "level_of_measurement": "numeric", "missing": []},
    {
        "id": "c2",
        "name": "shade",
        "type": "factor",
        "levels": ["full", "half"],
        "level_of_measurement": "nominal",
        "missing": [],
    },
]
ROWS = [
    (4.1, "full"),
    (3.9, "full"),
    (4.6, "full"),
    (5.2, "half"),
    (5.9, "half"),
    (5.5, "half"),
    (4.4, "full"),
    (5.1, "half"),
]


def pdf(words: str = "Box") -> bytes:
    """A PDF of one page, as small as one can be."""
    content = f"0.1 0.3 0.35 rg 10 10 60 40 re f BT /F1 9 Tf 10 70 Td ({words}) Tj ET"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 120]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(content)}>>stream\n{content}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    made, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj {one} endobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    tail = f"xref\n0 6\n0000000000 65535 f \n{table}trailer<</Size 6/Root 1 0 R>>\nstartxref\n{len(made)}\n%%EOF\n"
    return made + tail.encode()


def png() -> bytes:
    from io import BytesIO

    from PIL import Image

    made = BytesIO()
    Image.new("RGB", (40, 30), "#1d4e58").save(made, "PNG")
    return made.getvalue()


def drawn(
    kind: str = "box", *, svg: str = SVG, formats: tuple[str, ...] = ("svg", "pdf", "png"), **more: Any
) -> list[dict[str, Any]]:
    data = {"svg": svg.encode(), "pdf": pdf(), "png": png()}
    return [
        {
            "id": kind,
            "format": format,
            "base64": base64.b64encode(data[format]).decode(),
            "width_mm": 100,
            "height_mm": 90,
            "alt": "Box plots of height by shade.",
            "caption": "Height by shade",
            **more,
        }
        for format in formats
    ]


def answer(**changes: Any) -> dict[str, Any]:
    """What the service answers to a t test, shortened."""
    made: dict[str, Any] = {
        "contract": "1",
        "request_id": "r",
        "analysis": "t_test",
        "method": "Welch two-sample t-test",
        "method_reason": "default; variances not assumed equal",
        "n": {"total": 8, "used": 8, "missing": 0},
        "estimates": [
            {
                "id": "mean_difference",
                "label": "Mean difference, full minus half",
                "value": -1.175,
                "ci": [-1.74, -0.61],
                "conf_level": 0.95,
            },
            {"id": "mean_1", "label": "Mean, full", "value": 4.25, "ci": [None, None], "conf_level": 0.95},
        ],
        "statistics": {"t": -5.094, "df": 5.92, "p": 0.0023},
        "effect_sizes": [
            {"id": "cohens_d", "label": "Cohen's d", "value": -3.6, "ci": [-5.8, -1.36], "method": "pooled SD"}
        ],
        "tables": [table()],
        "assumptions": [
            {
                "id": "normality",
                "test": "Shapiro-Wilk on residuals",
                "statistic": 0.967,
                "p": 0.88,
                "status": "ok",
                "text": "Nothing speaks against it.",
            }
        ],
        "recommendation": {
            "text": "Compare with the rank test.",
            "alternative_analysis": "mann_whitney",
            "strength": "info",
        },
        "sentence": {
            "plain": "Height was 4.25 in full and 5.43 in half (t(5.9) = −5.09, p = 0.002).",
            "latex": r"Height was 4.25 in full and 5.43 in half (\emph{t}(5.9) = $-$5.09, \emph{p} = 0.002).",
        },
        "figures": drawn(),
        "warnings": [],
        "script": {"language": "R", "code": "result <- list(t = 1)\n", "data_file": "data.csv", "sha256": "0"},
        "versions": {"r": "4.2.2", "platform": "x86_64", "packages": {"stats": "4.2.2"}},
    }
    return made | changes


def table(rows: list[dict[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": "main",
        "title": "Height by shade",
        "columns": [
            {"key": "group", "label": "Shade", "align": "left", "format": "text", "digits": 2},
            {"key": "n", "label": "n", "align": "right", "format": "integer", "digits": 2},
            {"key": "mean", "label": "Mean", "align": "right", "format": "number", "digits": 2},
            {"key": "p", "label": "p", "align": "right", "format": "p", "digits": 3},
        ],
        "rows": rows
        if rows is not None
        else [
            {"group": "full", "n": 4, "mean": 4.25, "p": 0.0023},
            {"group": "half", "n": 4, "mean": 5.425, "level": 1},
        ],
        "footnotes": ["Welch two-sample t-test", "No values were missing."],
    }
    return made | more


def data_of(project: Project, name: str = "alders.csv", *, number: int = 1, state: str = "ready") -> DatasetVersion:
    """A version of a dataset with two columns, whose types somebody confirmed."""
    from django.core.files.base import ContentFile

    dataset, _ = Dataset.objects.get_or_create(project=project, name=name)
    version = DatasetVersion(
        dataset=dataset, number=number, state=state, columns=COLUMNS, row_count=len(ROWS), file_name=name
    )
    text = "c1,c2\n" + "".join(f"{height},{shade}\n" for height, shade in ROWS)
    version.rows.save("rows.csv", ContentFile(text.encode()), save=False)
    version.save()
    return version


def requested_analysis(project: Project, user: User, data: DatasetVersion | None = None, **changes: Any) -> Analysis:
    given = {
        "name": "t_test",
        "params": {"outcome": "c1", "group": "c2"},
        "title": "Does height differ with shade?",
        **changes,
    }
    return start_analysis(project, user, AnalysisRequest(data=data or data_of(project), **given), enqueue=False)


def answered(project: Project, user: User, said: dict[str, Any] | None = None, **changes: Any) -> Analysis:
    """An analysis that has been done: as the worker leaves it, with `said` as R's answer."""
    row = requested_analysis(project, user, **changes)
    job = running(row)
    row.request |= {"data": {"columns": COLUMNS}}
    save_result(row, job, said or answer(), 0.2)
    end(job, State.DONE, "")
    row.refresh_from_db()
    return row


def running(analysis: Analysis) -> Job:
    """The job of an analysis, taken by a worker."""
    job = claim(str(analysis.job_id), f"here:{timezone.now().timestamp()}")
    assert job is not None
    return job
