"""A run that waits for a person says for what, beside the button that lets it go on (R16)."""

import pytest
from django.urls import reverse

from jobs.models import State
from projects.models import Project, User
from tests.people import signed_in
from tests.research.forest_thesis import QUESTION
from tests.start_run import start_run

pytestmark = pytest.mark.django_db


def test_the_header_says_what_a_run_waits_for(project: Project, owner: User, outsider: User) -> None:
    run = start_run(project, owner, QUESTION, profile="local-only", enqueue=False)
    head = reverse("research:head", args=[run.pk])
    assert "waiting for you" not in signed_in(owner).get(head).content.decode()
    run.job.change_state(State.WAITING, "Put <the key> right and resume.")
    said = signed_in(owner).get(head).content.decode()
    assert "<b>The run is waiting for you.</b><p>Put &lt;the key&gt; right and resume.</p>" in said
    assert "Resume</button>" in said
    assert signed_in(outsider).get(head).status_code == 404
