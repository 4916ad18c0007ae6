"""manage.py demo: install or reset the demo thesis."""

from typing import Any

from django.core.management.base import BaseCommand

from config.demo.install import EMAIL, PASSWORD, QUESTION, install


class Command(BaseCommand):
    help = "Installs the demo user and thesis, or resets the demo thesis. Other theses are not changed."

    def handle(self, *args: Any, **options: Any) -> None:
        project = install()
        self.stdout.write(
            f"Demo thesis: {project.title}\n"
            f"Sign in as {EMAIL} with the password {PASSWORD}.\n"
            f"A question to start with: {QUESTION}\n"
            f"{project.pk}"
        )
