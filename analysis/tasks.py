"""Job handlers of this app: reading uploaded data, running analyses in R and removing columns."""

from analysis.datasets import deletion, read_job
from analysis.datasets.edit_dataset import KIND as DATASET
from analysis.running import analysis_job
from analysis.running.start import KIND as ANALYSIS
from jobs.models import Job
from jobs.registry import always, job_handler


@job_handler(ANALYSIS, page="analysis:analysis", ended=analysis_job.close, holds_data=always)
def do_analysis(job: Job) -> None:
    """Run an analysis in R. After a crash it runs again from the start; no partial result was saved."""
    analysis_job.analyse(job)


@job_handler(DATASET, page="analysis:version", ended=read_job.close, holds_data=always)
def read_dataset(job: Job) -> None:
    """Read an uploaded data file. After a crash it is read again from the start; nothing partial was saved."""
    read_job.read(job)


@job_handler(deletion.KIND, page="analysis:version", ended=deletion.close, holds_data=always)
def drop_columns(job: Job) -> None:
    """Remove columns from a dataset. After a crash it continues with the versions that still have them."""
    deletion.remove_columns(job)
