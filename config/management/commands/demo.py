"""manage.py demo: the demo thesis, new or as it was."""

from typing import Any

from django.core.management.base import BaseCommand

from config.demo.install import EMAIL, PASSWORD, QUESTION, install


class Command(BaseCommand):
    help = "Installs the demo person and thesis, or puts the thesis back as it was. Other theses are left alone."

    def handle(self, *args: Any, **options: Any) -> None:
        project = install()
        self.stdout.write(
            f"Demo thesis: {project.title}\n"
            f"Sign in as {EMAIL} with the password {PASSWORD}.\n"
            f"A question to start with: {QUESTION}\n"
            f"{project.pk}"
        )
