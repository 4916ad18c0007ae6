"""Told to rooms that have something of their own in a project; each inside the transaction that does it."""

from django.dispatch import Signal

project_created = Signal()  # sender: Project; project: the new project, to which a room may add
project_leaving = Signal()  # sender: Project; project: about to be deleted, once a room has stopped writing to it
