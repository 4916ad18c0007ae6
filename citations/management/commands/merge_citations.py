"""manage.py merge_citations PROJECT_ID [KEY KEY]: the references that may be one work, or merging two of them."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from citations.changing.merging import find_duplicates, merge
from citations.models import Citation
from core.errors import Refused
from projects.command import acting_user, find_or_make_project, prepare_database
from projects.models import Project


class Command(BaseCommand):
    help = (
        "Lists the pairs of references of a thesis that may be one work, a line each, the better proven one first."
        " With two keys it merges these: the text may then cite the work by either key."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT_ID", help="the id of the thesis, or demo")
        parser.add_argument("keys", metavar="KEY", nargs="*", help="the two keys to merge")
        parser.add_argument("--user", default="", metavar="EMAIL", help="act as this person; else as the owner")

    def handle(self, *args: Any, **options: Any) -> None:
        prepare_database(self.stderr)
        try:
            project = find_or_make_project(options["project"], "")
            user = acting_user(options["user"], project)
            if options["keys"]:
                kept = merge(project, user, *self._two(project, options["keys"]))
                others = ", ".join(kept.other_keys.values_list("key", flat=True))
                self.stdout.write(f"{kept.cite_key}, which can be cited as {others} too.")
                return
        except Refused as refused:
            raise CommandError(refused.message, returncode=2) from None
        for pair in find_duplicates(project):
            self.stdout.write(f"{pair.kept.cite_key} {pair.merged.cite_key}: {' '.join(pair.evidence)}")

    def _two(self, project: Project, keys: list[str]) -> list[Any]:
        if len(keys) != 2:
            raise Refused("Give two keys to merge, or none for a list.")
        rows = dict(Citation.objects.filter(project=project, cite_key__in=keys).values_list("cite_key", "pk"))
        for key in keys:
            if key not in rows:
                raise Refused(f"This thesis has no reference {key}.")
        return [rows[key] for key in keys]
