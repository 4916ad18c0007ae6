"""manage.py build_thesis PROJECT_ID --output PDF [--section N]: a thesis, or a chapter of it, as PDF (SPEC T6)."""

from argparse import ArgumentParser
from pathlib import Path
from shutil import copyfileobj
from typing import Any

from django.core.management.base import CommandError

from jobs.models import JobEvent
from jobs.work import run_in_foreground
from projects.command import ThesisCommand, output_file, writing
from thesis.latex_build.build_job import STEP
from thesis.latex_build.problems import Problem, where
from thesis.latex_build.start import start_build
from thesis.management.commands.draft_section import named_section
from thesis.models import Build


class Command(ThesisCommand):
    help = "Builds a thesis as PDF: by LaTeX, or as a labelled preview if this machine has no LaTeX."
    fails = (409, 429)  # a build is running already, or the queue is full

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--output", type=Path, metavar="PDF", help="the file to write")
        parser.add_argument("--from-scratch", action="store_true", help="use nothing of earlier builds")
        parser.add_argument("--section", default="", metavar="N", help="number or slug of a single section to build")

    def handle(self, *args: Any, **options: Any) -> None:
        output = output_file(options, "the file to write with --output FILE.pdf")
        project, user = self.to_change(options)
        section = named_section(project, options["section"]) if options["section"] else None
        scratch = options["from_scratch"]
        build = start_build(project, user, section=section, from_scratch=scratch, enqueue=False)
        assert build.job is not None
        run_in_foreground(build.job, self.tell)
        build = Build.objects.select_related("job").get(pk=build.pk)
        for one in (*build.problems, *build.notes):
            self.stderr.write(problem_line(one))
        if not build.output:
            raise CommandError(build.reason or "The build failed.", returncode=1)
        if build.engine == Build.Engine.TYPST:
            self.stderr.write("This is a preview, labelled so on each page, because this machine has no LaTeX.")
        with writing(output) as out, build.output.open("rb") as made:
            copyfileobj(made, out)
        self.stderr.write(f"{build.pages} page{'' if build.pages == 1 else 's'}.")
        self.stdout.write(str(output))

    def tell(self, event: JobEvent) -> None:
        """Print the progress of the build."""
        if event.kind == STEP:
            self.stderr.write(event.text)


def problem_line(problem: Problem) -> str:
    """Return a problem as one line: "6 Results, line 118: The environment tabular is not closed."."""
    at = where(problem)
    said = f"{at}: {problem['title']}" if at else problem["title"]
    return " ".join(part for part in (said if said.endswith(".") else f"{said}.", problem["hint"]) if part)
