"""Told to rooms that have something of their own in a project; each inside the transaction that does it."""

from django.dispatch import Signal

project_created = Signal()  # sender: Project; project: the new project, to which a room may add
file_deleted = Signal()  # project_id, file_id: a stored file that is gone once the transaction commits
file_removed = (
    Signal()
)  # project, file_id, name, sha256, by: a person deletes a file, and what was read from it must go
run_text_deleted = Signal()  # sender: Run; run, findings: what a run found in a file was taken out of it
project_leaving = Signal()  # sender: Project; project: about to be deleted, once a room has stopped writing to it
