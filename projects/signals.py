"""Told to whoever wants to add something to a new project; sent inside the creating transaction."""

from django.dispatch import Signal

project_created = Signal()  # sender: Project; project: the new project
