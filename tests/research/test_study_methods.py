"""How a study was made: kept is what its own words carry, and nothing else (SPEC R15)."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.models import State
from jobs.work import perform
from llm.offline import OfflineEngine
from llm.offline.study_methods import assess
from llm.roles import AssessAsked, Assessment, MethodNote
from projects.models import Project, User
from research.export.structured import structured
from research.follow_ups.start import rerun
from research.journal.provenance import log_of, verify_run
from research.models import Finding, Run, Source
from research.replay import replay
from research.review.methods_table import OWN_SECTION, SECTION, methodology_table, with_table
from research.review.study_methods import LEAST, Study, checked, method_of, studies_of, studies_of_row
from tests.people import her_thesis, signed_in
from tests.research.finished_run import for_all_tests, forest, owner, run
from tests.research.follow_up_run import worked
from tests.research.forest_thesis import plant, researched
from tests.research.test_resume import PowerCut, expire
from tests.start_run import start_run

__all__ = ["forest", "owner", "run"]

TRIAL = (
    "We ran a double-blind, randomised, placebo-controlled trial. In all 1,204 patients aged 65 or over from Kent were "
    "enrolled (n = 1,204). The odds ratio was 0.82 (95% CI 0.70 to 0.95; p < 0.01). One limitation is the short "
    "follow-up. Recall bias is possible."
)


def study(*texts: str, is_abstract: bool = False) -> Study:
    rows = [Source(source_id=f"s{n}", document="d", text=text, page=n) for n, text in enumerate(texts, 1)]
    return Study(rows[0], rows, is_abstract)


def note(field: str, said: str, quote: str) -> MethodNote:
    return MethodNote(field=field, said=said, quote=quote)


def assessment(*notes: MethodNote, confidence: str = "high") -> Assessment:
    return Assessment(notes=list(notes), confidence=confidence)


def test_the_offline_engine_quotes_what_the_text_tells() -> None:
    answer = assess(AssessAsked(title="A trial", text=TRIAL))
    said = {one.field: one.said for one in answer.notes}
    assert said["study_design"] == "double-blind, randomised, placebo-controlled trial"
    assert said["sample_size"] == "n = 1,204"
    assert said["effect_size"] == "odds ratio was 0.82"
    assert said["statistical_significance"] == "p < 0.01"
    assert said["limitations_noted"] == "One limitation is the short follow-up."
    assert said["potential_biases"] == "Recall bias is possible."
    assert "Kent" in said["sample_description"]
    assert answer.confidence == "medium"
    kept = checked(answer, study(TRIAL))
    assert kept["dropped"] == 0


@pytest.mark.parametrize(
    "text",
    [
        "The moon is not a planet. Many people like it.",
        "Trials are hard. A random walk is no trial of strength.",
        "In 2019 the park was opened. It has 3 gates and 40 benches.",
    ],
)
def test_it_makes_nothing_of_a_text_that_is_no_study(text: str) -> None:
    assert assess(AssessAsked(title="x", text=text)).notes == []


@settings(deadline=None)
@given(st.text(max_size=400))
def test_whatever_the_offline_engine_notes_stands_in_the_text(text: str) -> None:
    for one in assess(AssessAsked(title="x", text=text)).notes:
        assert one.quote in text
        assert " ".join(one.said.split()) in " ".join(one.quote.split())


def test_a_note_whose_words_are_not_in_the_text_is_dropped() -> None:
    kept = checked(
        assessment(
            note("study_design", "cohort study", "This was a cohort study."),
            note("sample_size", "1,240 patients", "1,204 patients"),
            note("effect_size", "OR 0.82", "The odds ratio was 0.82"),
            note("statistical_significance", "", "p < 0.01"),
            note("limitations_noted", "short", "One limitation is the short follow-up."),
        ),
        study(TRIAL),
    )
    assert kept["study_design"] is kept["sample_size"] is kept["statistical_significance"] is None
    assert kept["effect_size"]["said"] == "OR 0.82"
    assert [one["said"] for one in kept["limitations_noted"]] == ["short"]
    assert (kept["dropped"], kept["confidence"]) == (3, "high")


def test_an_abstract_alone_is_low_confidence() -> None:
    answer = assessment(note("sample_size", "1,204 patients", "1,204 patients"))
    assert checked(answer, study(TRIAL, is_abstract=True))["confidence"] == "low"
    assert checked(answer, study(TRIAL))["confidence"] == "high"
    assert checked(assessment(), study(TRIAL))["confidence"] == "low", "nothing was told"


def test_the_words_are_found_in_the_text_they_stand_in() -> None:
    """With its page; words that run from one stored text into the next stand in neither."""
    two = study("Alders like light.", TRIAL)
    kept = checked(
        assessment(note("sample_size", "1,204", "n = 1,204"), note("study_design", "x", "light.\n\nWe ran")), two
    )
    place = kept["sample_size"]
    assert (place["source_id"], place["page"]) == ("s2", 2)
    assert TRIAL[place["start"] : place["end"]] == "n = 1,204"
    assert kept["study_design"] is None


TWO = (
    "# Notes\n\nThe Alder trial was a randomised controlled trial. It "
    "enrolled 120 patients in Kent and ran for two years.\n\n"
    "The Birch trial followed 4,000 adults. Mortality fell there (p = 0.03), "
    "although no one was blinded to what was given.\n\n"
    "In the Alder trial and the Birch trial the odds ratio was 0.82. Elsewhere the hazard ratio was 0.5."
)


def by_study(kept: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {part["study"]: part for part in kept["studies"]}


def test_two_studies_of_one_file_are_kept_apart() -> None:
    """One trial's n is not set beside another's p value, and what may belong to either is left out."""
    kept = checked(assess(AssessAsked(title="notes.md", text=TWO, is_file=True)), study(TWO))
    alder, birch = by_study(kept)["Alder trial"], by_study(kept)["Birch trial"]
    assert alder["sample_size"]["said"] == "120 patients"
    assert alder["statistical_significance"] is alder["effect_size"] is None
    assert birch["sample_size"]["said"] == "4,000 adults"
    assert birch["statistical_significance"]["said"] == "p = 0.03"
    assert birch["study_design"] is birch["effect_size"] is None
    assert kept["sample_size"] is kept["effect_size"] is None


def test_what_a_model_says_of_a_study_must_stand_where_the_text_tells_of_it() -> None:
    """Whatever name it gives, the place of the words decides; a wrong or doubtful one is dropped."""

    def of(name: str, field: str, quote: str) -> MethodNote:
        return MethodNote(field=field, study=name, said=quote, quote=quote)

    kept = checked(
        assessment(
            of("Alder trial", "statistical_significance", "p = 0.03"),
            of("the Alder trial", "sample_size", "120 patients"),
            of("", "sample_size", "4,000 adults"),
            of("Alder trial", "effect_size", "odds ratio was 0.82"),
            of("", "effect_size", "hazard ratio was 0.5"),
        ),
        study(TWO),
    )
    assert kept["dropped"] == 3
    assert by_study(kept)["Alder trial"]["sample_size"]["said"] == "120 patients"
    assert by_study(kept)["Birch trial"]["sample_size"]["said"] == "4,000 adults"
    assert all(part["effect_size"] is part["statistical_significance"] is None for part in [kept, *kept["studies"]])


def test_a_finding_has_the_method_of_the_study_it_is_about() -> None:
    kept = checked(assess(AssessAsked(title="notes.md", text=TWO)), study(TWO))
    source = Source(source_id="s1", document="d", text=TWO)

    def method(words: str) -> str:
        start = TWO.index(words)
        return method_of(kept, Finding(source=source, start=start, end=start + len(words)))

    assert method("ran for two years") == "randomised controlled trial; 120 patients"
    assert method("Mortality fell there") == "4,000 adults"
    assert method("the odds ratio was 0.82") == ""
    assert method("the hazard ratio was 0.5") == ""


def test_assessments_of_earlier_versions_are_shown_as_they_are() -> None:
    old = {"study_design": {"said": "cohort", "quote": "cohort"}, "sample_size": None, "confidence": "low"}
    row = Source(source_id="s1", document="d", title="notes.md", assessment=old)
    assert studies_of_row(row) == [("notes.md", old)]
    assert method_of(old, Finding(source=row, start=0, end=1)) == "cohort"


def test_where_the_table_stands() -> None:
    review = f"## Themes\n\nSome.\n\n## {SECTION}\n\nDesigns differ.\n\n## Conclusions\n\nEnd."
    assert with_table(review, "") == review
    assert with_table(review, "| T |") == review.replace("differ.\n", "differ.\n\n| T |\n")
    assert with_table("## Findings\n\nSome.", "| T |").endswith(f"## {OWN_SECTION}\n\n| T |")
    assert with_table(f"## {SECTION}\n\nLast.", "| T |") == f"## {SECTION}\n\nLast.\n\n| T |"


@pytest.fixture(scope="module")
def finished(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[UUID]:
    """A run that assesses the methods of its sources."""
    with for_all_tests(django_db_blocker) as owner:
        thesis = plant(her_thesis(owner), owner, tmp_path_factory.mktemp("forest"))
        run = researched(thesis, owner, overrides={"enable_methodology_assessment": True})
        assert run.job.state == State.DONE, run.job.reason
        yield run.pk


@pytest.mark.django_db
class TestOfARun:
    def test_each_study_with_findings_is_assessed(self, run: Run, owner: User, outsider: User) -> None:
        by_name = {one["source_id"].partition("::")[0]: one for one in structured(run)["methods"]}
        alder, abstract = by_name["alder.md"], by_name["binkley2003"]
        assert alder["sample_size"]["said"] == "14 plots"
        assert [one["said"] for one in alder["limitations_noted"]] == ["The plots with red alder were not randomised."]
        assert alder["based_on"] == "stored text"
        assert abstract.get("not_assessed") or abstract["confidence"] == "low"
        assert all("score" not in one for one in by_name.values())
        logged = run.provenance.filter(event_type="method_assessed").values_list("details", flat=True)
        assert {one["source_id"] for one in logged} >= {alder["source_id"]}
        assert "14 plots" in methodology_table(run)
        assert methodology_table(run) in run.report
        assert verify_run(run).ok
        assert replay(log_of(run)).same
        address = reverse("research:methods", args=[run.pk])
        page = signed_in(owner).get(address).content.decode()
        assert "14 plots" in page
        assert "not randomised" in page
        assert address in signed_in(owner).get(reverse("research:report", args=[run.pk])).content.decode()
        assert signed_in(outsider).get(address).status_code == 404
        assert signed_in(owner).post(address).status_code == 405

    def test_each_study_of_a_file_has_its_own_row(self, run: Run, owner: User) -> None:
        row = run.sources.filter(kind=Source.Kind.FILE).exclude(assessment={}).first()
        assert row is not None
        row.assessment = checked(assess(AssessAsked(title=row.title, text=TWO)), study(TWO))
        row.save()
        lines = [line for line in methodology_table(run).splitlines() if f", in {row.title}" in line]
        assert [("120 patients" in line, "p = 0.03" in line) for line in lines] == [(True, False), (False, True)]
        named = {one["study"]: one for one in structured(run)["methods"]}
        assert named[f"Birch trial, in {row.title}"]["sample_size"]["said"] == "4,000 adults"
        page = signed_in(owner).get(reverse("research:methods", args=[run.pk])).content.decode()
        assert page.count(f", in {row.title}</h2>") == 2

    def test_short_texts_are_not_assessed_and_that_is_said(self, run: Run) -> None:
        short = [one for one in studies_of(run) if len(one.text) < LEAST]
        left = {one["source_id"] for one in structured(run)["methods"] if "not_assessed" in one}
        assert left == {one.stands.public_id for one in short}
        logged = run.provenance.filter(event_type="method_not_assessed").values_list("details__source_id", flat=True)
        assert set(logged) == left

    def test_without_the_profile_nothing_is_asked(self, forest: Project, owner: User) -> None:
        run = researched(forest, owner)
        assert not run.steps.filter(key__startswith="methods/").exists()
        assert structured(run)["methods"] == []
        assert SECTION not in run.report
        page = signed_in(owner).get(reverse("research:methods", args=[run.pk])).content.decode()
        assert "does not assess the methods" in page

    def test_what_a_study_says_cannot_write_the_report(self, run: Run) -> None:
        row = run.sources.exclude(assessment={}).first()
        assert row is not None
        evil = "a | b [1] [x](https://evil.example) <script> *bold*"
        row.assessment = checked(assessment(note("study_design", evil, evil)), study(evil, is_abstract=True))
        row.save()
        line = next(line for line in methodology_table(run).splitlines() if "evil" in line)
        assert "a \\| b \\[1] \\[x]" in line
        assert "\\<script>" in line
        assert "\\*bold\\*" in line

    @pytest.mark.long
    def test_a_follow_up_assesses_only_what_is_new(self, run: Run, owner: User) -> None:
        """R17: the same text is not asked about twice, and the new report has the table, too."""
        before = structured(run)["methods"]
        asked = worked(rerun(run, owner, "1"))
        assert asked.state == "answered", asked.answer
        run.refresh_from_db()
        again = set(run.steps.filter(key__startswith="more/1/methods/").values_list("key", flat=True))
        known = set(run.steps.filter(key__startswith="methods/").values_list("key", flat=True))
        assert {key.removeprefix("more/1/") for key in again}.isdisjoint(known)
        assert {one["source_id"] for one in before} <= {one["source_id"] for one in structured(run)["methods"]}
        assert methodology_table(run) in run.report
        assert replay(log_of(run)).same

    @pytest.mark.long
    def test_a_power_cut_among_the_assessments(
        self, run: Run, forest: Project, owner: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """R16: what was assessed is not asked again, and the report comes out the same."""
        asked: list[str] = []
        real = OfflineEngine.ask

        async def cut(self: OfflineEngine, question: Any) -> Any:
            if question.task == "assess":
                asked.append(question.title)
                if len(asked) == 1:
                    raise PowerCut
            return await real(self, question)

        files = [file.pk for file in forest.context_files.all()]
        overrides = {"enable_methodology_assessment": True}
        second = start_run(
            forest, owner, run.question, profile="local-only", overrides=overrides, file_ids=files, enqueue=False
        )
        monkeypatch.setattr(OfflineEngine, "ask", cut)
        with pytest.raises(PowerCut):
            perform(str(second.job_id))
        expire(second.job_id)
        perform(str(second.job_id))
        second.refresh_from_db()
        assert second.report == run.report
        studies = run.provenance.filter(event_type="method_assessed").count()
        assert second.provenance.filter(event_type="method_assessed").count() == studies
        assert len(asked) == studies + 1, "only what was under way is asked again"
        assert replay(log_of(second)).same
