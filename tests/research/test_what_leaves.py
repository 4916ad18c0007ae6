"""P7, R1: before a run starts, the form, the API and the command say the same on what leaves this machine."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from projects.models import Project, User
from tests.people import signed_in
from tests.research.forest_thesis import QUESTION

pytestmark = pytest.mark.django_db


def reach(user: User, project: Project, profile: str = "") -> str:
    """The line of the form, or with no profile the whole page of the form."""
    asked = {"part": "reach", "profile": profile} if profile else {}
    return signed_in(user).get(reverse("research:list", args=[project.pk]), asked).content.decode()


def test_the_form_says_what_leaves_without_a_model(project: Project, owner: User) -> None:
    """P7: words of the question go to the catalogues that need no key; files stay here."""
    said = reach(owner, project, "academic")
    assert (
        "<p data-no-budget>Academic: words of your question are sent to Semantic Scholar. No model is asked; " in said
    )
    assert "your files stay here. Not searched, because" in said
    assert "no key is set</a>: OpenAlex, Tavily." in said
    said = reach(owner, project, "systematic-review")
    assert "words of your question are sent to Semantic Scholar and PubMed. No model is asked" in said
    said = reach(owner, project, "technical")
    assert "Technical: nothing leaves this machine; the offline engine only uses your own library." in said
    assert "no key is set</a>: Tavily, Google." in said
    assert reach(owner, project).count("words of your question are sent to Semantic Scholar. No model") == 1


def test_the_api_and_the_command_say_the_same(project: Project, owner: User) -> None:
    body = {"question": QUESTION, "profile": "systematic-review"}
    address = f"/api/projects/{project.pk}/runs/estimate"
    told = signed_in(owner).post(address, body, content_type="application/json").json()
    sentence = (
        "Systematic-review: words of your question are sent to Semantic Scholar and PubMed. No model is asked; your "
        "files stay here."
    )
    assert told["services"] == {
        "sentence": sentence,
        "asked": ["Semantic Scholar", "PubMed"],
        "skipped": ["OpenAlex", "Tavily"],
        "model": "",
    }
    words = ("research", QUESTION, "--project", str(project.pk), "--profile", "systematic-review", "--estimate")
    call_command(*words, stdout=(out := StringIO()), stderr=(said := StringIO()))
    assert said.getvalue() == f"{sentence} Not searched, because no key is set: OpenAlex, Tavily.\n"
    assert out.getvalue() == f"{told['sentence']}\n"
    body["profile"] = "local-only"
    told = signed_in(owner).post(address, body, content_type="application/json").json()["services"]
    assert (told["asked"], told["skipped"]) == ([], [])
    assert told["sentence"].startswith("Local-only: nothing leaves this machine")


def test_it_is_for_those_who_see_the_thesis(project: Project, outsider: User) -> None:
    address = f"/api/projects/{project.pk}/runs/estimate"
    body = {"question": QUESTION}
    assert signed_in(outsider).post(address, body, content_type="application/json").status_code == 404
    assert signed_in(outsider).get(address).status_code == 405
