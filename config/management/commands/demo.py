"""manage.py demo: install or reset the demo thesis, or make a copy of it for somebody."""

from argparse import ArgumentParser
from typing import Any

from config.demo.install import EMAIL, PASSWORD, QUESTION, copy_demo, install
from projects.command import RefusingCommand, person


class Command(RefusingCommand):
    help = "Installs the demo user and thesis, or resets the demo thesis. Other theses are not changed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", default="", metavar="EMAIL", help="make a copy of the demo for this user instead")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["user"]:
            project = copy_demo(person(options["user"])).project
            self.stdout.write(f"A copy of the demo thesis; a worker fills it.\n{project.pk}")
            return
        project = install()
        self.stdout.write(
            f"Demo thesis: {project.title}\n"
            f"Sign in as {EMAIL} with the password {PASSWORD}.\n"
            f"A question to start with: {QUESTION}\n"
            f"{project.pk}"
        )
