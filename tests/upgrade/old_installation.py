# mypy: ignore-errors
"""What somebody had at home with commit 52cbab9: two theses with something of every kind, most of it made by that code.

Run by make.py in a checkout of that commit, so what is imported here is as it was then: renames leave this file alone.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from analysis.datasets.start import confirm, start_dataset
from analysis.engine import local
from asgiref.sync import sync_to_async
from citations.arriving.importing import import_entries
from citations.changing.attesting import attest
from citations.printing.printed import print_references
from django.conf import settings
from django.core.files.base import ContentFile
from django.test import override_settings
from research.after.start_follow_up import ask, rerun
from research.record.journal import Journal
from research.setup.saved_profiles import keep, make_profile
from sections.anchors import anchor_at
from thesis.building.start import start_build
from thesis.drafting.taking import discard, take
from thesis.findings.putting import put_findings
from thesis.results.put import put_result
from thesis.support import look_for_support

from analysis.running.start import start_analysis
from citations.models import Citation
from contextfiles.upload import store
from jobs.models import Job
from jobs.work import claim, perform
from projects.invitations import invite
from projects.models import ApiToken, Membership, Project, User
from research.models import Run
from research.setup.start import start_run
from sections import bin, commenting, snapshots
from sections.models import Section
from sections.thesis_files import add_picture
from tests.analysis.made import PATIENTS
from tests.cast import asha, her_thesis, person
from tests.citations.checked import brought, four
from tests.citations.real_works import WORKS
from tests.research.forest import ALDER, BREAD, NITRATE, QUESTION, REFERENCES
from tests.servers.holdings import Holdings
from tests.servers.messages import serving
from tests.thesis.made import png, zipped
from thesis.drafting.start import start_draft
from thesis.importing import bring_thesis
from thesis.models import Layout

TOKEN = "sch_of-a-laptop-that-asha-has-had-since-then"
COAST = "# The coast\n\nSoil nitrogen under red alder fell within 12 years. Growth of Douglas-fir did not change.\n"
MAIN = rb"""\documentclass{book}
\begin{document}
\chapter{Rust} \label{rust}
Alder rust is a fungus \cite{rust2001}.
\chapter{Spread}
See chapter \ref{rust}.
\bibliographystyle{plain}
\bibliography{refs}
\end{document}
"""
REFS = b"@article{rust2001, title={Rust of alder}, author={Roe, Jane}, year={2001}, journal={Woods}}\n"
SAID = "Litter of alder returns nitrogen to the soil \\cite{binkley2003}.\n\nRoots do too~\\cite{holt2021}.\n"
TRAILER = """
%%% BIBTEX %%%
@article{holt2021, title = {Litter of the alder}, author = {Holt, Ida}, year = {2021}, journal = {Forest Letters}}
"""


class PowerCut(BaseException):
    """Nothing in the product catches this: the process is gone."""


def make_everything() -> dict[str, str]:
    """Make it all. The ids of what a test asks for, by the names that it asks with."""
    owner = asha()
    project = her_thesis(owner)
    people(project, owner)
    ids = {"owner": owner, "thesis": project, **text(project, owner)}
    with Holdings(WORKS.values()) as registries:
        registries.serve(settings)
        references(project, owner)
    for name, words in {"alder.md": ALDER, "nitrate.md": NITRATE, "coast.md": COAST, "bread.md": BREAD}.items():
        store(project, owner, name, ContentFile(words.encode(), name))
    ids |= runs(project, owner)
    ids |= data(project, owner)
    ids |= drafts(project, owner, ids)
    ids |= prints(project, owner)
    ids |= a_thesis_of_latex(owner)
    ids |= under_way(project, owner)
    return {name: str(one.pk) for name, one in ids.items()}


def people(project: Project, owner: User) -> None:
    for email, name, role in (
        ("edda@example.org", "Edda Berg", Membership.Role.EDITOR),
        ("ravi@example.org", "Ravi Iyer", Membership.Role.SUPERVISOR),
        ("rosa@example.org", "Rosa Vidal", Membership.Role.READER),
    ):
        project.memberships.create(user=person(email, name), role=role)
    her_thesis(person("oskar@example.org", "Oskar Lund"))
    ApiToken.objects.create(user=owner, name="laptop", digest=ApiToken.digest_of(TOKEN))
    invite(project, "nora@example.org", "reader", owner)


def text(project: Project, owner: User) -> dict[str, Any]:
    """Sections with a history, a named state of them, remarks, a section in the bin, a pasted picture."""
    picture = add_picture(project, owner, png(), "flow chart.png")
    edda, ravi = (User.objects.get(email=f"{name}@example.org") for name in ("edda", "ravi"))
    introduction = project.sections.get(slug="introduction")
    first = "Alder fixes nitrogen in its roots.\r\n\r\nThe soil is old.\n"
    introduction = introduction.write(first, based_on=introduction.version, by=owner)
    snapshots.take(project, "Sent to Dr Iyer", by=owner)
    second = first + "\nRed alder grows on moist ground \\cite{proven}; others do too \\cite{vouched}.\n"
    introduction = introduction.write(second, based_on=introduction.version, by=edda)
    introduction = introduction.write(second.replace("old", "young"), based_on=introduction.version, by=owner)
    introduction.keep("What a conflict set aside.\n", by=edda)
    start = introduction.latex.index("moist ground")
    open_one = commenting.add(introduction, "Which trials?", anchor_at(introduction.latex, start, start + 12), by=ravi)
    commenting.reply(open_one, "Those of 2003.", by=owner)
    closed = commenting.add(introduction, "Too short.", anchor_at(introduction.latex, 0, 5), by=ravi)
    commenting.resolve(closed, by=owner)
    methods = project.sections.get(slug="materials-and-methods")
    methods.write(
        f"\\section{{Sites}}\nFourteen plots of \\unheard{{20 m}}.\n\\includegraphics{{{picture.path}}}\n",
        based_on=methods.version,
        by=owner,
    )
    gone = Section.objects.add(project, "A chapter that was left out")
    gone.write("It stays in the bin.\n", based_on=gone.version, by=owner)
    bin.remove(gone)
    return {"introduction": introduction, "comment": open_one, "binned": gone}


def references(project: Project, owner: User) -> None:
    """References of every status and tier: checked by registries of works that are real."""
    import_entries(project, REFERENCES)
    brought(project, "retracted", WORKS["mehra"].csl())
    brought(project, "book", {"type": "book", "title": "Woods of the coast", "ISBN": "9780306406157"})
    brought(project, "vouched", {"type": "report", "title": "Annual report of the river district", "DOI": ""})
    found = four(project, owner)
    attest(found["vouched"], owner, "It lies on my desk.")
    attest(found["book"], owner, "I have the book.", "isbn", "9780306406157")
    print_references([row.csl for row in project.citations.all()], project.citation_style)


def runs(project: Project, owner: User) -> dict[str, Any]:
    """Runs of the offline engine in every state a run can rest in."""
    finished = start_offline_run(project, owner)
    perform(str(finished.job_id))
    asked = ask(finished, owner, "How tall was Douglas-fir next to red alder?")
    perform(str(asked.run.job_id))
    nothing = start_offline_run(project, owner, "Which language did the builders of Stonehenge speak?")
    perform(str(nothing.job_id))
    waiting = start_offline_run(project, owner, wants_approval=True)
    perform(str(waiting.job_id))
    paused = start_offline_run(project, owner)
    until(paused, "1/search/1/library", lambda run: run.job.ask("pause"))
    cancelled = start_offline_run(project, owner)
    until(cancelled, "1/search/1/library", lambda run: run.job.ask("cancel"))
    killed = start_offline_run(project, owner)
    with suppress(PowerCut):
        until(killed, "1/search/1/library", power_cut)
    reopened = start_offline_run(project, owner)
    perform(str(reopened.job_id))
    rerun(reopened, owner, str(reopened.nodes.exclude(findings=None).earliest("id").number))
    with suppress(PowerCut):
        until(reopened, "synthesis/1", power_cut)
    keep(owner, make_profile(owner, "My reviews", base="academic", keys={"time_period": "2015 to 2025"}))
    return {
        "finished": finished,
        "nothing": nothing,
        "waiting": waiting,
        "paused": paused,
        "cancelled": cancelled,
        "killed": killed,
        "killed-follow-up": reopened,
        "queued": start_offline_run(project, owner, enqueue=True),
    }


def start_offline_run(
    project: Project, owner: User, question: str = QUESTION, *, enqueue: bool = False, **options: Any
) -> Run:
    files = [file.pk for file in project.context_files.exclude(name="bread.md")]
    return start_run(project, owner, question, file_ids=files, profile="local-only", enqueue=enqueue, **options)


def power_cut(run: Run) -> None:
    raise PowerCut


def until(run: Run, key: str, then: Callable[[Run], Any]) -> None:
    """Work on `run`, and do `then(run)` once a step whose key ends with `key` was stored."""
    real = Journal.step

    async def step(self: Journal, this: str, *rest: Any, **how: Any) -> Any:
        response = await real(self, this, *rest, **how)
        if this.endswith(key):
            await sync_to_async(then)(run)
        return response

    Journal.step = step
    try:
        perform(str(run.job_id))
    finally:
        Journal.step = real


def data(project: Project, owner: User) -> dict[str, Any]:
    """Datasets with versions, and analyses that R has answered, refused, drawn."""
    patients = read(project, owner, "patients.csv", PATIENTS.encode())
    patients = confirm(patients, owner, {column(patients, "crp"): {"missing": ["n/k", "-99"]}})
    labelled = confirm(patients, owner, {column(patients, "age"): {"label": "Age", "unit": "years"}})
    read(project, owner, "proposed.csv", PATIENTS.replace("S0", "T0").encode())
    with local.start() as service, override_settings(R_PLUMBER_URLS=service.urls, R_PLUMBER_TOKEN=service.token):
        by_group = {"outcome": column(labelled, "age"), "group": column(labelled, "group")}
        compared = analysed(project, owner, name="t_test", data=labelled, params=by_group, title="Is age different?")
        died = {"row": by_group["group"], "column": column(patients, "died")}
        untitled = analysed(project, owner, name="chi_square", data=patients, params=died)  # and of older data
        refused = analysed(project, owner, name="kaplan_meier", data=labelled, params={"time": by_group["group"]})
        drawn = {"x": column(labelled, "age"), "y": column(labelled, "pain")}
        drawn = analysed(project, owner, kind="figure", name="scatter", data=labelled, params=drawn)
    assert compared.result, compared.error
    assert untitled.result, untitled.error
    assert drawn.figures.exists(), drawn.error
    assert refused.error
    return {
        "t-test": compared,
        "untitled": untitled,
        "scatter": drawn,
        "refused": refused,
        "patients": labelled.dataset,
    }


def read(project: Project, owner: User, name: str, csv: bytes) -> Any:
    version = start_dataset(project, owner, name, ContentFile(csv, name), enqueue=False)
    perform(str(version.job_id))
    version.refresh_from_db()
    return version


def column(version: Any, name: str) -> str:
    return next(one["id"] for one in version.columns if one["name"] == name)


def analysed(project: Project, owner: User, **asked: Any) -> Any:
    analysis = start_analysis(project, owner, enqueue=False, **asked)
    perform(str(analysis.job_id))
    analysis.refresh_from_db()
    return analysis


def drafts(project: Project, owner: User, ids: dict[str, Any]) -> dict[str, Any]:
    """Proposals for sections: of the offline engine, of a model, of findings, of a result; taken, left and open."""
    discussion, results = (project.sections.get(slug=slug) for slug in ("discussion", "results"))
    finding = ids["finished"].findings.filter(source__kind="file").first()
    chosen = [{"run": str(ids["finished"].pk), "finding_id": finding.finding_id}]
    found = put_findings(discussion, owner, chosen)  # the file becomes a reference
    take(found, owner)
    shown = put_result(results, owner, ids["t-test"], ("sentence", "table:main", "figure:box"))
    take(shown, owner)
    offline = start_draft(discussion, owner, instructions="On growth.", findings=chosen, enqueue=False)
    perform(str(offline.job_id))
    with serving() as service:
        of_a_model = {"ANTHROPIC_API_KEY": "sk-ant-of-nobody", "ANTHROPIC_BASE_URL": service.url}
        with override_settings(**of_a_model):
            written = []
            for _ in range(3):
                service.says(SAID + TRAILER)
                written.append(start_draft(discussion, owner, cite_keys=["binkley2003"], enqueue=False))
                perform(str(written[-1].job_id))
    for draft in (offline, *written):
        draft.refresh_from_db()
        assert draft.blocks, (draft.job.state, draft.job.reason)
    take(written[0], owner, [written[0].blocks[0]["number"]])
    discard(written[1])
    introduction = Section.objects.get(pk=ids["introduction"].pk)
    support = look_for_support(introduction, owner, "Alder fixes nitrogen in its roots.", enqueue=False)
    perform(str(support.run.job_id))
    return {"draft": offline, "partly": written[0], "open": written[2], "result": shown, "support": support}


def prints(project: Project, owner: User) -> dict[str, Any]:
    """A PDF, one that failed, a Word document."""
    Layout.objects.create(
        project=project, facts={"author": "Asha Menon"}, abbreviations="ICU = intensive care unit", template="report"
    )
    word = built(project, owner, kind="word")
    methods = project.sections.get(slug="materials-and-methods")
    broken = built(project, owner, section=methods)
    methods.write(methods.latex.replace("\\unheard{20 m}", "20 m"), based_on=methods.version, by=owner)
    printed = built(project, owner)
    assert printed.output, printed.problems
    assert word.output, word.problems
    assert broken.problems
    return {"pdf": printed, "word": word, "broken": broken}


def built(project: Project, owner: User, **asked: Any) -> Any:
    build = start_build(project, owner, enqueue=False, **asked)
    perform(str(build.job_id))
    build.refresh_from_db()
    return build


def a_thesis_of_latex(owner: User) -> dict[str, Any]:
    archive = zipped({"main.tex": MAIN, "refs.bib": REFS, "figures/rust.png": png(40)})
    came = bring_thesis(owner, ContentFile(archive, "rust.zip"), "rust.zip", "Rust", enqueue=False)
    perform(str(Job.objects.get(subject=came.pk).pk))
    came.refresh_from_db()
    return {"brought": came.project}


def under_way(project: Project, owner: User) -> dict[str, Any]:
    """Jobs that wait in the queue, and jobs whose worker was killed when it had just taken them."""
    discussion = project.sections.get(slug="discussion")
    reading = start_dataset(project, owner, "late.csv", ContentFile(PATIENTS.replace("S0", "L0").encode(), "late.csv"))
    draft = start_draft(discussion, owner, instructions="On soil.", cite_keys=["binkley2003"])
    word = start_build(project, owner, kind="word")
    late = start_analysis(project, owner, kind="sample-size", name="two_means", params={"delta": 5, "sd": 10})
    imported = project.imports.create(name="late.bib", text="@book{late1990, title={Late}, year={1990}}\n")
    Job.objects.start(project=project, kind="bring", subject=imported.pk, user=owner)
    for one in (reading, word):
        assert claim(str(one.job_id), f"worker:{os.getpid()}:1")
    assert Citation.objects.filter(project=project).exists()
    return {"reading": reading, "queued-draft": draft, "killed-word": word, "queued-analysis": late, "import": imported}
