"""The pages for follow-ups on a finished run: ask, extend a gap, rerun a question, and read the answers (SPEC R17)."""

from typing import Any, NamedTuple

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST, require_safe

from core.errors import Refused
from projects.access import may
from projects.models import User
from research.access import first_or_404, with_run
from research.follow_ups.start import More, ask, extend, rerun, spent_limits
from research.models import FollowUp, Run
from research.pages.report_html import answer_html, report_html, result_context
from research.setup.forms import WholeNumberField, typed_number

_LIMITS: dict[str, tuple[type[forms.Field], str]] = {
    "usd": (forms.DecimalField, "Additional budget, in USD"),
    "tokens": (WholeNumberField, "Additional tokens"),
    "calls": (WholeNumberField, "Additional calls"),
    "minutes": (WholeNumberField, "Additional minutes"),
}


class FollowUpForm(forms.Form):
    """The form of a follow-up: a question, a gap or a node, and additions to limits that are used up."""

    question = forms.CharField(
        label="Your question", required=False, widget=forms.Textarea(attrs={"rows": 2, "autocomplete": "off"})
    )
    gap_id = forms.CharField(required=False, widget=forms.HiddenInput)
    node = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, run: Run, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.run = run
        self.limits = list(spent_limits(run))
        for name in self.limits:
            kind, label = _LIMITS[name]
            self.fields[f"more_{name}"] = kind(label=label, required=False, widget=typed_number("decimal"))

    @property
    def more(self) -> list[forms.BoundField]:
        """Return the fields for limits that are used up."""
        return [self[f"more_{name}"] for name in self.limits]

    def send(self, user: User) -> FollowUp | None:
        """Create the follow-up and return it; None if it is refused, with the reason added to the form's errors."""
        given = self.cleaned_data
        more = More(**{name: given.get(f"more_{name}") for name in self.limits})
        try:
            if given["gap_id"]:
                return extend(self.run, user, given["gap_id"], more)
            if given["node"]:
                return rerun(self.run, user, given["node"], more)
            return ask(self.run, user, given["question"], more)
        except Refused as refused:
            field = refused.field.replace("budget.", "more_")
            is_shown = field in self.fields and not isinstance(self.fields[field].widget, forms.HiddenInput)
            self.add_error(field if is_shown else None, refused.message)
            return None


class Shown(NamedTuple):
    """A follow-up for a page: `title` says what was asked, `html` is the answer ("" while there is none)."""

    asked: FollowUp
    title: str
    html: SafeString | str
    cites: bool


def shown(asked: FollowUp) -> Shown:
    """Return a follow-up with its answer as HTML."""
    titles = {
        FollowUp.Kind.EXTEND: f"Look into the gap {asked.about}",
        FollowUp.Kind.RERUN: f"Research question {asked.about} again",
    }
    html = answer_html(asked.answer, anchor=f"more-{asked.number}") if asked.state == "answered" else ""
    return Shown(asked, titles.get(FollowUp.Kind(asked.kind), asked.text), html, cites="\n\n[" in asked.answer)


def follow_ups_of(run: Run) -> dict[str, Any]:
    """Return the template variables for the follow-ups of `run`: all of them, and whether the user may ask more."""
    rows = [shown(asked) for asked in run.follow_ups.all()]
    return {
        "follow_ups": rows,
        "is_working": any(row.asked.state == "waiting" for row in rows),
        "may_ask": run.has_report and may(run.project.role, "write"),  # type: ignore[attr-defined]
        "newest": rows[-1].asked if rows else None,
    }


@require_safe
@with_run()
def follow_ups(request: HttpRequest, run: Run) -> HttpResponse:
    """Show the follow-ups and the form to ask more; for htmx, which polls while one is worked on, only the list."""
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "research/_follow_ups.html", {"run": run, **follow_ups_of(run), "is_renewed": True})
    return _page(request, run, FollowUpForm(run=run))


@require_POST
@with_run("write")
def ask_more(request: HttpRequest, run: Run) -> HttpResponse:
    """Ask a question, look into a gap (gap_id) or research a question again (node), and show the run or the report."""
    form = FollowUpForm(request.POST, run=run)
    asked = form.send(request.user) if form.is_valid() else None  # type: ignore[arg-type]
    if asked is None:
        return _page(request, run, form, status=422)
    if asked.kind == FollowUp.Kind.ASK:
        return redirect(reverse("research:report", args=[run.pk]) + f"#more-{asked.number}")
    return redirect("research:run", run.pk)


@require_safe
@with_run()
def follow_up(request: HttpRequest, run: Run, number: int) -> HttpResponse:
    """Show a follow-up with its answer, the passages it is based on, and the report that was replaced, if any."""
    asked = first_or_404(run.follow_ups.filter(number=number), "This run has no follow-up with that number.")
    return render(
        request,
        "research/follow_up.html",
        {
            **result_context(run),
            "row": shown(asked),
            "asked": asked,
            "sentences": _sentences(run, asked),
            "before": report_html(Run(pk=run.pk, report=asked.report_before), ()) if asked.report_before else "",
        },
    )


def _page(request: HttpRequest, run: Run, form: FollowUpForm, status: int = 200) -> HttpResponse:
    return render(
        request, "research/follow_ups.html", {**result_context(run), **follow_ups_of(run), "form": form}, status=status
    )


def _sentences(run: Run, asked: FollowUp) -> list[dict[str, Any]]:
    """Return the sentences of an answer, each with its finding, from the log."""
    entry = run.provenance.filter(event_type="follow_up_answered", details__number=asked.number).last()
    said = entry.details.get("sentences", []) if entry else []
    named = run.findings.filter(finding_id__in=[one["finding"] for one in said]).select_related("source")
    found = {finding.finding_id: finding for finding in named}
    return [{**one, "finding": found[one["finding"]]} for one in said if one["finding"] in found]
