"""What the worker does for this room: reading data, and asking R."""

from analysis.datasets import deletion, read_job
from analysis.datasets.edit_dataset import KIND as DATASET
from analysis.running import analysis_job as running
from analysis.running.start import KIND as ANALYSIS
from jobs.models import Job
from jobs.registry import always, does


@does(ANALYSIS, page="analysis:analysis", ended=running.close, holds_data=always)
def do_analysis(job: Job) -> None:
    """Ask R. Again after a crash: it is asked again, nothing half kept is left."""
    running.analyse(job)


@does(DATASET, page="analysis:version", ended=read_job.close, holds_data=always)
def read_dataset(job: Job) -> None:
    """Read a file of data. Again after a crash: from its beginning, nothing half read is kept."""
    read_job.read(job)


@does(deletion.KIND, page="analysis:version", ended=deletion.close, holds_data=always)
def drop_columns(job: Job) -> None:
    """Remove columns from data. Again after a crash: versions that are done are left alone."""
    deletion.drop_columns(job)
