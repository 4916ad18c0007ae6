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
from jobs.work import run_in_foreground
from projects.command import acting_user, find_or_make_project, prepare_database
from projects.models import Project, User
from research.context.consent import awaits_consent, consent_in_advance
from research.export.export import add_format_arguments, check_format, export, write_export
from research.models import Run
from research.setup.budget import Budget, UnchosenBudget, spending_summary, spent
from research.setup.profiles import BUILT_IN, KEYS
from research.setup.start import RunRequest, costs_of_run, services_of_run, start_run
from untrusted.file_names import cleaned


class Command(BaseCommand):
    help = "Researches a question in the references and files of a thesis and in catalogues, and prints the result."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("question")
        parser.add_argument("--project", default="", help="id of a thesis, or demo (default: the local user's own)")
        parser.add_argument("--user", default="", help="e-mail address of the user to act as")
        parser.add_argument("--profile", default="", help=f"{', '.join(BUILT_IN)}, one of the site's or your own")
        parser.add_argument("--mode", default="", help="legacy name of a profile")
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="KEY=VALUE",
            dest="overrides",
            help=f"override a key of the profile; separate lists with commas. Keys: {', '.join(KEYS)}",
        )
        parser.add_argument(
            "--file",
            action="append",
            default=[],
            type=Path,
            metavar="PATH",
            dest="files",
            help="a file to use (default: all files of the thesis)",
        )
        parser.add_argument(
            "--budget",
            metavar="USD",
            help="maximum cost of calls to a model, or none (default: RESEARCH_DEFAULT_BUDGET_USD if the model is not "
            "on this machine)",
        )
        parser.add_argument("--budget-tokens", metavar="N", help="maximum number of tokens (default: no limit)")
        parser.add_argument(
            "--budget-calls", metavar="N", help="maximum number of calls to a model (default: no limit)"
        )
        parser.add_argument("--budget-minutes", metavar="N", help="maximum working time in minutes (default: no limit)")
        parser.add_argument(
            "--estimate", action="store_true", help="estimate the cost, say what would be sent where, and start nothing"
        )
        parser.add_argument("--yes", action="store_true", help="allow personal data in the files to be sent to a model")
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
        run_in_foreground(run.job, self.tell)
        run.refresh_from_db()
        if not run.only_quotes:
            self.stderr.write(f"Spent {spending_summary(run)}.")
        job = Job.objects.get(pk=run.job_id)
        if awaits_consent(run):
            advice = "Use --yes to send them, or --profile local-only to keep everything on this machine."
            raise CommandError(f"{job.reason} {advice} (run {run.pk})", returncode=1)
        if job.state != State.DONE:
            raise CommandError(f"{job.reason or job.get_state_display()} (run {run.pk})", returncode=1)
        try:
            made = export(run, name, choice)
        except Refused as refused:
            raise CommandError(f"{refused.message} (run {run.pk})", returncode=1) from None
        write_export(made, options["output"], self.stdout)

    def prepare(self, options: dict[str, Any]) -> Run:
        """Create the run without starting it. Raises Refused for invalid options."""
        asked = self.asked(options)
        user, project = self.whose(options["project"], options["user"])
        files, turned_away = self.files(project, user, options["files"])
        asked = replace(asked, file_ids=[file.pk for file in files], turned_away=turned_away)
        costs = costs_of_run(project, user, asked)
        run = start_run(project, user, asked, enqueue=False)
        if costs.estimate:
            self.stderr.write(costs.sentence)
        self.say_what_leaves(project, user, asked)
        if options["yes"]:
            consent_in_advance(run, user)
        return run

    def estimate(self, options: dict[str, Any]) -> None:
        """Print what the run would cost. Raises Refused for invalid options and for a budget that is too small."""
        asked = self.asked(options)
        user, project = self.whose(options["project"], options["user"])
        for path in options["files"]:
            self.check_there(path)
        sizes = tuple(path.stat().st_size for path in options["files"])
        ids = [] if sizes else list(project.context_files.values_list("pk", flat=True))
        costs = costs_of_run(project, user, replace(asked, file_ids=ids), sizes)
        self.say_what_leaves(project, user, asked)
        self.stdout.write(costs.sentence)
        if costs.too_small:
            raise Refused(costs.too_small)

    def say_what_leaves(self, project: Project, user: User, asked: RunRequest) -> None:
        """Say on the error output which services the run uses."""
        services = services_of_run(project, user, asked)
        self.stderr.write(" ".join(filter(None, [services.sentence, services.skipped_sentence])))

    def asked(self, options: dict[str, Any]) -> RunRequest:
        """Return the request from the options, without files. Raises Refused for invalid overrides and limits."""
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

    def money(self, typed: str | None) -> Decimal | UnchosenBudget | None:
        """Return the budget that was typed, in USD; None for no limit. Raises Refused if it is not a number."""
        if typed is None:
            return UnchosenBudget.DEFAULT
        try:
            return None if typed.strip().casefold() == "none" else Decimal(typed)
        except InvalidOperation:
            raise Refused(f"--budget takes an amount in USD or none, not “{typed}”.") from None

    def whole(self, option: str, typed: str | None) -> int | None:
        """Return the whole number that was typed for `option`. Raises Refused if it is not one."""
        try:
            return None if typed is None else int(typed)
        except ValueError:
            raise Refused(f"{option} takes a whole number, not “{typed}”.") from None

    def whose(self, project_id: str, email: str) -> tuple[User, Project]:
        """Return the user to act as, and the project to work in."""
        project = find_or_make_project(project_id, email)
        return acting_user(email, project), project

    def files(self, project: Project, user: User, paths: list[Path]) -> tuple[list[ContextFile], list[tuple[str, str]]]:
        """Add the files at `paths` to the thesis; return them, and (name, reason) of those that were refused.

        Without paths, returns all files of the thesis. Raises Refused for a path that cannot be read. A file that is
        empty, too large or not of the type that its name says is refused, and the run reports it.
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
                    raise  # not because of this file
                turned_away.append((cleaned(path.name), refused.message))
        return files, turned_away

    def check_there(self, path: Path) -> None:
        """Raise Refused if there is no file at `path`."""
        try:
            is_there = path.is_file()
        except OSError as error:  # for example a name that is too long
            raise Refused(f"{path} cannot be read: {error.strerror}.") from None
        if not is_there:
            raise Refused(f"There is no file at {path}.")

    def tell(self, event: JobEvent) -> None:
        """Write an event to stderr, with the cost so far if it has changed."""
        now = event.counters.get("spent_usd", self.cost)
        so_far = f" ({now} USD so far)" if now != self.cost else ""
        self.stderr.write(f"{event.node + ' ' if event.node else ''}{event.text}{so_far}")
        self.cost = now
