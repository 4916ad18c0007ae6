"""Told to rooms that have something of their own in a project; each inside the transaction that does it."""

from django.dispatch import Signal

project_created = Signal()  # sender: Project; project: the new project, to which a room may add
file_deleted = Signal()  # project_id, file_id: a stored file that is gone once the transaction commits
project_leaving = Signal()  # sender: Project; project: about to be deleted, once a room has stopped writing to it
