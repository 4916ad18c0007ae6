"""Find support for a sentence: a small run, works offered with their words, cited behind the sentence (SPEC T3)."""

from typing import Any

import pytest
from django.urls import reverse
from hypothesis import example, given
from hypothesis import strategies as st

from citations.models import Citation
from core.errors import Refused
from jobs.models import Job, State
from jobs.work import perform
from projects.models import Project, User
from research.models import Node
from sections.models import Section, SectionVersion
from tests.people import editor, open_data, outsider, reader, signed_in, supervisor
from tests.research.finished_run import finished, forest, owner, project, run
from tests.research_model.conftest import service
from tests.research_model.script import role_of
from tests.servers.messages import Service
from thesis.drafting.limits import PER_HOUR
from thesis.find_support import (
    cite_offer,
    dismiss,
    look_for_support,
    offers_of,
    outcome_of,
    plain_words_of,
    sentence_place,
    with_key_after,
)
from thesis.models import Support

__all__ = ["editor", "finished", "forest", "outsider", "owner", "project", "reader", "run", "service", "supervisor"]

pytestmark = pytest.mark.django_db

SENTENCE = "Soil nitrogen rose within 12 years on plots with red alder."
TEXT = f"Before it.\n\n{SENTENCE} After it.\n"


@pytest.fixture
def section(project: Project, owner: User) -> Section:
    section: Section = project.sections.get(slug="introduction")
    return section.write(TEXT, based_on=section.version, by=owner)


def looked(section: Section, user: User, sentence: str = SENTENCE, **options: Any) -> Support:
    """A search that has come to its end in this process."""
    made = look_for_support(section, user, sentence, enqueue=False, **options)
    assert outcome_of(made) == "looking"
    perform(str(made.run.job_id))
    again: Support = Support.objects.select_related("run__job", "project").get(pk=made.pk)
    return again


def test_works_are_offered_with_their_words_and_cited_behind_the_sentence(section: Section, owner: User) -> None:
    support = looked(section, owner)
    assert outcome_of(support) == "found"
    assert support.run.nodes.count() == 1, "one question, looked into once"
    assert not support.run.claims.exists()
    offers = offers_of(support)
    assert [offer.key for offer in offers] == ["alder", "binkley2003", "nitrate"]
    assert offers[0].quote.startswith("Total soil nitrogen rose from 0.21%")
    assert {"nitrogen", "rose", "alder"} <= set(offers[0].shared)
    assert [offer.work.is_new for offer in offers] == [True, False, True]
    assert Citation.objects.count() == 2, "what is offered is no reference yet"
    saved = cite_offer(support, owner, offers[1].source.source_id).section
    assert saved
    assert saved.latex == TEXT.replace("alder. After", r"alder~\cite{binkley2003}. After")
    assert [row.latex for row in saved.versions.all()[:2]] == [saved.latex, TEXT], "the text before is kept"
    assert [row.kind for row in saved.versions.all()[:1]] == [SectionVersion.Kind.PROPOSED]
    again = cite_offer(support, owner, offers[0].source.source_id).section
    assert again
    assert r"alder~\cite{binkley2003,alder}. After" in again.latex
    assert cite_offer(support, owner, offers[0].source.source_id).section.latex == again.latex  # type: ignore[union-attr]
    assert support.taken == ["binkley2003", "alder"]
    assert [offer.is_cited for offer in offers_of(support)] == [True, True, False]
    assert Citation.objects.get(cite_key="alder").status == "file"


def test_nothing_found_is_no_failure(section: Section, owner: User) -> None:
    nothing = looked(section, owner, "Quantum chromodynamics predicts glueball masses in lattice simulations.")
    assert nothing.run.job.state == State.FAILED, "a run without evidence writes no report"
    assert (outcome_of(nothing), offers_of(nothing)) == ("nothing", [])
    Node.objects.filter(run=nothing.run).update(state=Node.State.FAILED)
    assert outcome_of(nothing) == "failed", "nobody answered"
    Node.objects.filter(run=nothing.run).update(state=Node.State.WORKING)
    assert outcome_of(nothing) == "failed", "it broke off"
    at = reverse("thesis:support_panel", args=[section.project_id, section.slug])
    assert "The search failed." in signed_in(owner).get(at).content.decode()
    Node.objects.filter(run=nothing.run).update(state=Node.State.GAP)
    assert "No works found." in signed_in(owner).get(at).content.decode()


def test_a_model_is_asked_little(section: Section, owner: User, service: Service) -> None:
    """No plan, no rounds, no check, and no file of the person's."""
    support = looked(section, owner, "Soil nitrogen under red alder was 0.30% after 50 years.")
    roles = [role_of(request) for request in service.requests]
    assert set(roles) == {"brief", "research", "condense", "sufficiency", "synthesize"}
    assert len(roles) <= 10
    assert [offer.key for offer in offers_of(support)] == ["binkley2003"]
    assert (support.run.budget_calls, support.run.budget_seconds) == (24, 300)


def test_a_sentence_that_was_changed_keeps_the_reference_and_says_so(section: Section, owner: User) -> None:
    support = looked(section, owner)
    section.write("Another text.", based_on=section.version, by=owner)
    with pytest.raises(Refused) as refused:
        cite_offer(support, owner, offers_of(support)[0].source.source_id)
    assert (refused.value.code, refused.value.status) == ("gone", 409)
    assert Citation.objects.filter(cite_key="alder").exists()
    assert Section.objects.get(pk=section.pk).latex == "Another text."


@pytest.mark.parametrize(
    ("latex", "found"),
    [
        ("It rose. It fell. It rose.", "It rose. It fell. It rose~\\cite{k}."),
        ("It rose~\\cite{a}.", "It rose~\\cite{a,k}."),
        ("It rose \\citep[p.~3]{a, b}.", "It rose \\citep[p.~3]{a, b,k}."),
        ("It rose~\\cite{k}.", "It rose~\\cite{k}."),
        ("It roses.", None),
    ],
)
def test_where_the_key_goes(latex: str, found: str | None) -> None:
    support = Support(sentence="It rose.", before="It fell. ", after="")
    place = sentence_place(support, latex)
    assert (with_key_after(latex, *place, "k") if place else None) == found


@given(st.text(max_size=80), st.text(max_size=40), st.text(max_size=40))
@example("A (b) [c] \\cite{x} {", "", ".")
def test_the_rest_of_the_text_stays(sentence: str, before: str, after: str) -> None:
    support = Support(sentence=sentence, before=before, after=after)
    latex = before + sentence + after
    place = sentence_place(support, latex)
    if place and sentence.strip():
        put = with_key_after(latex, *place, "k")
        assert put.replace("~\\cite{k}", "").replace(",k}", "}").replace(" ", "").replace("~", "") == latex.replace(
            " ", ""
        ).replace("~", "")


def test_plain_words_of_a_sentence() -> None:
    assert plain_words_of("It \\emph{rose} by 5\\%~\\cite{a,b}.") == "It rose by 5%."


@pytest.mark.parametrize(
    ("sentence", "code"),
    [("  ", "empty"), ("It rose.", "empty"), ("\\cite{a} \\cite{b} \\cite{c}", "empty"), ("Long " * 400, "too_long")],
)
def test_what_is_no_sentence(section: Section, owner: User, sentence: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        look_for_support(section, owner, sentence)
    assert refused.value.code == code
    assert not Support.objects.exists()


def test_it_counts_in_the_hour(section: Section, owner: User) -> None:
    for _ in range(PER_HOUR):
        look_for_support(section, owner, SENTENCE, enqueue=False)
    runs = Job.objects.count()
    client = signed_in(owner)
    answer = client.post(f"/api/sections/{section.pk}/support", {"sentence": SENTENCE}, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "hourly_limit")
    page = client.post(reverse("thesis:support_start", args=[section.project_id, section.slug]), {"sentence": SENTENCE})
    assert page.status_code == 429
    assert SENTENCE in page.content.decode(), "what was asked stays in the form"
    assert Job.objects.count() == runs


def test_the_panel_in_the_draft_tab(section: Section, owner: User) -> None:
    client = signed_in(owner)
    at = section.latex.index(SENTENCE)
    asked: dict[str, str | int] = {
        "way": "support",
        "start": at,
        "end": at + len(SENTENCE),
        "based_on": section.version,
    }
    tab = client.get(reverse("thesis:draft_panel", args=[section.project_id, section.slug]), asked).content.decode()
    form = tab[tab.index("data-support") :]
    assert f">{SENTENCE}</textarea>" in form
    start = reverse("thesis:support_start", args=[section.project_id, section.slug])
    answer = client.post(
        start, {"sentence": SENTENCE, "start": at, "based_on": section.version}, headers={"HX-Request": "true"}
    )
    assert "Searching for works about it." in answer.content.decode()
    support = Support.objects.get()
    assert (support.before, support.after) == ("Before it.\n\n", " After it.\n")
    one = reverse("thesis:support", args=[support.pk])
    assert client.get(one, {"seen": "looking"}, headers={"HX-Request": "true"}).status_code == 204
    assert client.get(one).status_code == 302
    perform(str(support.run.job_id))
    page = client.get(one, {"seen": "looking"}, headers={"HX-Request": "true"}).content.decode()
    assert "Total soil nitrogen rose from 0.21%" in page
    assert "Words in common: " in page
    offer = offers_of(support)[0]
    cited = client.post(reverse("thesis:support_cite", args=[support.pk]), {"source_id": offer.source.source_id})
    assert cited["Location"].endswith("?beside=draft")
    assert "Cited as <code>alder</code>" in client.get(one, headers={"HX-Request": "true"}).content.decode()
    left = client.post(reverse("thesis:support_leave", args=[support.pk]), headers={"HX-Request": "true"})
    assert f"support-{support.pk}" not in left.content.decode()


def test_stopping_and_putting_away(section: Section, owner: User) -> None:
    support = look_for_support(section, owner, SENTENCE, enqueue=False)
    client = signed_in(owner)
    client.post(reverse("thesis:support_leave", args=[support.pk]), {"stop": "1"})
    support = Support.objects.get(pk=support.pk)
    assert (outcome_of(support), support.dismissed_at) == ("stopped", None)
    dismiss(support)
    assert Support.objects.get(pk=support.pk).dismissed_at is not None


def test_the_api(section: Section, owner: User) -> None:
    client = signed_in(owner)
    made = client.post(f"/api/sections/{section.pk}/support", {"sentence": SENTENCE}, content_type="application/json")
    assert (made.status_code, made.json()["outcome"]) == (202, "looking")
    at = f"/api/support/{made.json()['id']}"
    perform(made.json()["job"])
    found = client.get(at).json()
    assert found["outcome"] == "found"
    offer = found["offers"][1]
    assert (offer["key"], offer["is_new"], offer["status"]) == ("binkley2003", False, "unresolved")
    bare = client.post(f"{at}/cite", {"source_id": offer["source_id"], "place": False}, content_type="application/json")
    assert bare.json() == {"key": "binkley2003", "version": None, "latex": None}
    placed = client.post(f"{at}/cite", {"source_id": offer["source_id"]}, content_type="application/json").json()
    assert r"alder~\cite{binkley2003}. After" in placed["latex"]
    unknown = client.post(f"{at}/cite", {"source_id": "nonsense"}, content_type="application/json")
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (422, "unknown")
    assert client.post(f"{at}/dismiss").status_code == 200


def test_who_may(section: Section, owner: User, outsider: User, reader: User, supervisor: User, editor: User) -> None:
    support = look_for_support(section, owner, SENTENCE, enqueue=False)
    assert signed_in(reader).get(f"/api/support/{support.pk}").status_code == 403, "it read uploaded files"
    open_data(section.project)
    panel = reverse("thesis:support_panel", args=[section.project_id, section.slug])
    pages = [reverse("thesis:support_start", args=[section.project_id, section.slug])]
    pages += [reverse(f"thesis:support_{act}", args=[support.pk]) for act in ("cite", "leave")]
    calls = [
        f"/api/sections/{section.pk}/support",
        f"/api/support/{support.pk}/cite",
        f"/api/support/{support.pk}/dismiss",
    ]
    body = {"sentence": SENTENCE, "source_id": "x"}
    for person, looks, acts in ((outsider, 404, 404), (reader, 200, 403), (supervisor, 200, 403)):
        client = signed_in(person)
        assert client.get(panel).status_code == client.get(f"/api/support/{support.pk}").status_code == looks
        assert {client.post(page, body).status_code for page in pages} == {acts}
        assert {client.post(call, body, content_type="application/json").status_code for call in calls} == {acts}
    client = signed_in(editor)
    assert {client.get(page).status_code for page in pages} == {405}
    assert client.post(panel).status_code == client.post(f"/api/support/{support.pk}").status_code == 405
    assert (
        "<form"
        not in signed_in(reader).get(panel).content.decode().partition('id="supporting"')[2].partition("</section>")[0]
    )


def test_a_citation_in_the_note_of_another_takes_no_words_with_it() -> None:
    sentence = r"It grows \citep[see \citet{b}]{a} with age and more~words follow \cite{c}."
    assert plain_words_of(sentence) == "It grows with age and more words follow."
