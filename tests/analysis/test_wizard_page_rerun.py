"""The wizard opened again for an analysis that ran: its answers are filled in (SPEC N4)."""

import pytest
from django.test import Client

from analysis.models import Analysis, DatasetVersion
from projects.models import Project, User
from tests.analysis.database_rows import a_dataset, an_analysis
from tests.analysis.wizard_page import COHORT, address, answering, data, hers, ids, r, shown, stay, value, words

__all__ = ["answering", "data", "hers", "r"]

pytestmark = pytest.mark.django_db


def test_asked_again_everything_is_as_it_was(hers: Client, project: Project, data: DatasetVersion, r: None) -> None:
    sent = stay(
        data, do="run", options_of="t_test", conf_level="0.99", **{"o.alternative": "greater", "o.var_equal": "on"}
    )
    hers.post(address(project), sent)
    first = Analysis.objects.get()
    page = shown(hers.get(address(project), {"again": str(first.pk)}))
    names = ("question", "intent", "data", "v.outcome", "v.group", "o.alternative", "o.var_equal", "conf_level")
    filled = {name: value(page, name) for name in names}
    assert filled == {name: sent[name] for name in names}
    hers.post(
        address(project), {**filled, "again": str(first.pk), "analysis": "t_test", "options_of": "t_test", "do": "run"}
    )
    second = Analysis.objects.exclude(pk=first.pk).get()
    assert (second.again_of, second.params, second.title) == (first, first.params, first.title)


def test_what_was_advised_in_its_place_is_chosen(hers: Client, project: Project, data: DatasetVersion, r: None) -> None:
    """A result that advises the rank test leads here with it."""
    hers.post(address(project), stay(data, do="run"))
    first = Analysis.objects.get()
    page = shown(hers.get(address(project), {"again": str(first.pk), "analysis": "mann_whitney"}))
    assert (value(page, "analysis"), value(page, "v.outcome")) == ("mann_whitney", ids(data)["crp"])


def test_asked_again_of_newer_data_finds_its_columns_by_name(
    hers: Client, project: Project, data: DatasetVersion, owner: User, r: None
) -> None:
    hers.post(address(project), stay(data, do="run"))
    first = Analysis.objects.get()
    turned = "\n".join(",".join([*line.split(",")[3:], *line.split(",")[:3]]) for line in COHORT.splitlines())
    newer = a_dataset(project, owner, turned, name="cohort.csv", state="ready", dataset=data.dataset)
    page = shown(hers.get(address(project), {"again": str(first.pk)}))
    assert ids(newer)["crp"] != ids(data)["crp"]
    assert (value(page, "data"), value(page, "v.outcome")) == (str(newer.pk), ids(newer)["crp"])
    assert "now runs on version 2" in words(page, ".notice")


def test_an_analysis_that_no_wizard_asked_is_filled_in_too(
    hers: Client, project: Project, data: DatasetVersion, owner: User, r: None
) -> None:
    of = ids(data)
    params = {"outcome": of["crp"], "group": of["arm"], "options": {"alternative": "less"}}
    plain = an_analysis(project, owner, data, params=params, why={}, title="CRP")
    page = shown(hers.get(address(project), {"again": str(plain.pk)}))
    assert (value(page, "intent"), value(page, "v.group"), value(page, "o.alternative")) == (
        "differ",
        of["arm"],
        "less",
    )
    gone = an_analysis(project, owner, None, params=params, why={})
    assert "no longer exists" in words(shown(hers.get(address(project), {"again": str(gone.pk)})), ".notice")
