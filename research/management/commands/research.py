"""manage.py research QUESTION: a whole run in the foreground."""

from argparse import ArgumentParser
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from contextfiles.models import ContextFile
from contextfiles.upload import store_path
from core.errors import Refused
from jobs.models import Job, JobEvent, State
from jobs.work import do_here
from projects.command import acting_user, find_or_make_project, prepare_database
from projects.models import Project, User
from research.context.consent import awaits_consent, consent_beforehand
from research.export.export import add_format_arguments, check_format, export, give_out
from research.models import Run
from research.setup.budget import Budget, Unnamed, spent, told
from research.setup.profiles import BUILT_IN, KEYS
from research.setup.start import RunRequest, costs_of_run, start_run
from untrusted.file_names import cleaned


class Command(BaseCommand):
    help = "Researches a question over a thesis's references and files, and prints the result."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("question")
        parser.add_argument("--project", default="", help="id of a thesis, or demo (default: the local user's own)")
        parser.add_argument("--user", default="", help="e-mail address to act as")
        parser.add_argument("--profile", default="", help=f"{', '.join(BUILT_IN)}, one of the site's or of your own")
        parser.add_argument("--mode", default="", help="legacy name of a profile")
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="KEY=VALUE",
            dest="overrides",
            help=f"another value for a key of the profile; lists with commas. Keys: {', '.join(KEYS)}",
        )
        parser.add_argument(
            "--file",
            action="append",
            default=[],
            type=Path,
            metavar="PATH",
            dest="files",
            help="a file to use (default: all of the thesis)",
        )
        parser.add_argument(
            "--budget",
            metavar="USD",
            help="the most that calls to a model may cost, or none (default: RESEARCH_DEFAULT_BUDGET_USD where the model "
            "is not on this machine)",
        )
        parser.add_argument("--budget-tokens", metavar="N", help="the most tokens they may use (default: no limit)")
        parser.add_argument("--budget-calls", metavar="N", help="the most calls to make (default: no limit)")
        parser.add_argument("--budget-minutes", metavar="N", help="the minutes it may work (default: no limit)")
        parser.add_argument("--estimate", action="store_true", help="say what it would cost, and start nothing")
        parser.add_argument("--yes", action="store_true", help="let personal data in the files be sent to a model")
        add_format_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        prepare_database(self.stderr)
        try:
            name, choice = check_format(options, self.stdout)
            if options["estimate"]:
                self.estimate(options)
                return
            run = self.prepare(options)
        except Refused as refused:
            raise CommandError(refused.message, returncode=2) from None
        self.cost = spent(Decimal(0))
        do_here(run.job, self.tell)
        run.refresh_from_db()
        if not run.only_quotes:
            self.stderr.write(f"Spent {told(run)}.")
        job = Job.objects.get(pk=run.job_id)
        if awaits_consent(run):
            advice = "Add --yes to let them be sent, or --profile local-only to keep everything on this machine."
            raise CommandError(f"{job.reason} {advice} (run {run.pk})", returncode=1)
        if job.state != State.DONE:
            raise CommandError(f"{job.reason or job.get_state_display()} (run {run.pk})", returncode=1)
        try:
            made = export(run, name, choice)
        except Refused as refused:
            raise CommandError(f"{refused.message} (run {run.pk})", returncode=1) from None
        give_out(made, options["output"], self.stdout)

    def prepare(self, options: dict[str, Any]) -> Run:
        """Return the run, made but not begun. Raises Refused for anything wrong with what was typed."""
        asked = self.asked(options)
        user, project = self.whose(options["project"], options["user"])
        files, turned_away = self.files(project, user, options["files"])
        asked = replace(asked, file_ids=[file.pk for file in files], turned_away=turned_away)
        costs = costs_of_run(project, user, asked)
        run = start_run(project, user, asked, enqueue=False)
        if costs.estimate:
            self.stderr.write(costs.sentence)
        if options["yes"]:
            consent_beforehand(run, user)
        return run

    def estimate(self, options: dict[str, Any]) -> None:
        """Say what the run would cost. Raises Refused for anything wrong with what was typed, a budget too small too."""
        asked = self.asked(options)
        user, project = self.whose(options["project"], options["user"])
        for path in options["files"]:
            self.check_there(path)
        sizes = tuple(path.stat().st_size for path in options["files"])
        ids = [] if sizes else list(project.context_files.values_list("pk", flat=True))
        costs = costs_of_run(project, user, replace(asked, file_ids=ids), sizes)
        self.stdout.write(costs.sentence)
        if costs.too_small:
            raise Refused(costs.too_small)

    def asked(self, options: dict[str, Any]) -> RunRequest:
        """Return what was typed, without its files. Raises Refused for what is no pair, and no number."""
        overrides = {}
        for pair in options["overrides"]:
            key, equals, value = pair.partition("=")
            if not equals:
                raise Refused(f"--set takes KEY=VALUE, not “{pair}”.")
            overrides[key.strip()] = value.strip()
        limits = {
            name: self.whole(f"--budget-{name}", options[f"budget_{name}"]) for name in ("tokens", "calls", "minutes")
        }
        return RunRequest(
            options["question"],
            options["profile"],
            options["mode"],
            overrides,
            budget=Budget(self.money(options["budget"]), **limits),
        )

    def money(self, typed: str | None) -> Decimal | Unnamed | None:
        if typed is None:
            return Unnamed.DEFAULT
        try:
            return None if typed.strip().casefold() == "none" else Decimal(typed)
        except InvalidOperation:
            raise Refused(f"--budget takes a number of USD or none, not “{typed}”.") from None

    def whole(self, option: str, typed: str | None) -> int | None:
        try:
            return None if typed is None else int(typed)
        except ValueError:
            raise Refused(f"{option} takes a whole number, not “{typed}”.") from None

    def whose(self, project_id: str, email: str) -> tuple[User, Project]:
        project = find_or_make_project(project_id, email)
        return acting_user(email, project), project

    def files(self, project: Project, user: User, paths: list[Path]) -> tuple[list[ContextFile], list[tuple[str, str]]]:
        """Return the files at `paths`, brought into the thesis, and those that are none it takes in, by name with the reason.

        Without paths, all files of the thesis. A path at which nothing can be read is bad usage; a file that is empty,
        too large, or not what its name says is one that cannot be read, and the run says so.
        """
        if not paths:
            return list(project.context_files.all()), []
        paths = list(dict.fromkeys(paths))
        for path in paths:
            self.check_there(path)
        files, turned_away = [], []
        for path in paths:
            try:
                files.append(store_path(project, user, path))
            except Refused as refused:
                if refused.field != "files" or refused.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    raise  # it is not the file that is at fault
                turned_away.append((cleaned(path.name), refused.message))
        return files, turned_away

    def check_there(self, path: Path) -> None:
        try:
            is_there = path.is_file()
        except OSError as error:  # a name longer than any file has
            raise Refused(f"{path} cannot be read: {error.strerror}.") from None
        if not is_there:
            raise Refused(f"There is no file at {path}.")

    def tell(self, event: JobEvent) -> None:
        now = event.counters.get("spent_usd", self.cost)
        so_far = f" ({now} USD so far)" if now != self.cost else ""
        self.stderr.write(f"{event.node + ' ' if event.node else ''}{event.text}{so_far}")
        self.cost = now
