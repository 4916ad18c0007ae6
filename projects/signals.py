"""Signals for apps that add data to a project. Each is sent inside the transaction of the change."""

from django.dispatch import Signal

project_created = Signal()  # sender: Project; project: the new project, to which receivers may add
file_deleted = Signal()  # project_id, file_id: a stored file that is gone once the transaction commits
# project, file_id, name, sha256, by: a user deletes a file, and everything read from it must be deleted too
file_removed = Signal()
run_text_deleted = Signal()  # sender: Run; run, findings: text that a run read from a deleted file was removed
project_leaving = Signal()  # sender: Project; project: about to be deleted; receivers stop writing to it
