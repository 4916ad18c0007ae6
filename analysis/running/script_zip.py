"""The ZIP file with the R script of a result and its data: running the script gives the same numbers (SPEC N2)."""

import io
import zipfile

from analysis.datasets.excluded_rows import left_out_words, rows_text
from analysis.models import Analysis
from analysis.running.start import columns_named
from core.errors import Refused

_DATE = (1980, 1, 1, 0, 0, 0)  # the same analysis gives the same bytes

README = """{title}

script.R  what R did. Run it in this folder: Rscript script.R
{data}
It was made with {versions}. With the same versions it gives the same numbers again.
"""
_DATA = """data.csv  the columns that were sent to R, {named} version {number}, UTF-8. A cell that a spreadsheet would
          run as a formula begins with an apostrophe.{left_out}
"""
_CLOSED = """data.csv  is not here: the data of this thesis is open to fewer people than its results. Ask its owner.
"""


def _left_out(analysis: Analysis) -> str:
    left = (analysis.request.get("data_version") or {}).get("left_out") or []
    listed = [f"\n          {rows_text(one['rows'])}: {one['reason']}" for one in left]
    return f" {left_out_words(left)} By their row numbers in the uploaded file:{''.join(listed)}" if left else ""


def script_zip(analysis: Analysis, *, with_data: bool = True) -> bytes:
    """Return a ZIP file with script.R, a README, and data.csv if the script reads data.

    Without `with_data` the data are left out, and the README says so. Raises Refused when there is no script, or the
    data were deleted.
    """
    from analysis.datasets.export import exported_csv  # imports pandas, which no other page of results needs
    from analysis.presentation.result_view import versions_words

    if not analysis.script:
        raise Refused("This analysis has no R script yet.", code="no_script", status=409)
    reads = bool(((analysis.result or {}).get("script") or {}).get("data_file"))
    ids = [] if analysis.kind == Analysis.Kind.SAMPLE_SIZE else columns_named(analysis.params)
    files = {"script.R": analysis.script.encode()}
    about = ""
    if reads and ids and not with_data:
        about = _CLOSED
    elif reads and ids:
        if analysis.data is None:
            raise Refused("The data of this analysis was deleted.", code="no_data", status=409)
        files["data.csv"] = exported_csv(analysis.data, ids, analysis.request.get("coded", ()))
        about = _DATA.format(
            named=analysis.data.dataset.name, number=analysis.data.number, left_out=_left_out(analysis)
        )
    said = README.format(title=analysis.title, data=about, versions=versions_words(analysis.versions) or "R")
    files["README.txt"] = said.encode()
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED)
    return made.getvalue()
