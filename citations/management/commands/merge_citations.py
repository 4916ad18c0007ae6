"""manage.py merge_citations PROJECT_ID [KEY KEY]: list possible duplicates among references, or merge two of them."""

from argparse import ArgumentParser
from typing import Any

from citations.editing.duplicates import find_duplicates, merge
from citations.models import Citation
from core.errors import Refused
from projects.command import ThesisCommand
from projects.models import Project


class Command(ThesisCommand):
    help = (
        "List the pairs of references of a thesis that may be one work, one pair a line, the better proven one first."
        " With two keys, merge these two: the text may then cite the work by either key."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("keys", metavar="KEY", nargs="*", help="the two keys to merge")

    def handle(self, *args: Any, **options: Any) -> None:
        project, user = self.to_change(options)
        if options["keys"]:
            kept = merge(project, user, *self._two(project, options["keys"]))
            others = ", ".join(kept.other_keys.values_list("key", flat=True))
            self.stdout.write(f"{kept.cite_key} can now be cited as {others} too.")
            return
        for pair in find_duplicates(project):
            self.stdout.write(f"{pair.kept.cite_key} {pair.merged.cite_key}: {' '.join(pair.evidence)}")

    def _two(self, project: Project, keys: list[str]) -> list[Any]:
        if len(keys) != 2:
            raise Refused("Give exactly two keys to merge, or none to list possible duplicates.")
        rows = dict(Citation.objects.filter(project=project, cite_key__in=keys).values_list("cite_key", "pk"))
        for key in keys:
            if key not in rows:
                raise Refused(f"This thesis has no reference with the key {key}.")
        return [rows[key] for key in keys]
