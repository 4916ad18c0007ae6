"""manage.py contact_address [ADDRESS]: show, change or remove the contact address for catalogues."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from projects.command import RefusingCommand, prepare_database
from sources.contact_address import address_in_use, save_address


class Command(RefusingCommand):
    help = (
        "Shows the e-mail address that catalogues get with requests, or changes it. Running workers use it at once. "
        "The address in CROSSREF_MAILTO comes first, and can only be changed there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("address", nargs="?", metavar="ADDRESS", help="the new address")
        parser.add_argument("--remove", action="store_true", help="remove the address")

    def handle(self, *args: Any, **options: Any) -> None:
        address, is_removed = options["address"], options["remove"]
        if (address is not None) and is_removed:
            raise CommandError("Give an address or --remove, not both.", returncode=2)
        if address == "":
            raise CommandError("The address is empty. Remove the present one with --remove.", returncode=2)
        prepare_database(self.stderr)
        if address or is_removed:
            save_address(address or "")
        self.stdout.write(address_in_use() or "There is no contact address.")
