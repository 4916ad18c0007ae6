"""Addresses of the site with the ids of Asha's things in them, for walks that name no address."""

import re

from django.utils import timezone

from contextfiles.models import ContextFile
from projects.invitations import invite
from projects.models import ApiToken, User
from research.models import Run


def ids_of(run: Run, owner: User) -> dict[str, str]:
    """An id of Asha's for every parameter a route can have; `run` is a finished one of hers."""
    project = run.project
    token, _ = ApiToken.issue(owner, "laptop")
    claim = run.claims.first()
    citation = project.citations.first()
    file = ContextFile.objects.filter(project=project).first()
    section = project.sections.first()
    assert claim is not None
    assert citation is not None
    assert file is not None
    assert section is not None
    comment = section.comments.create(author=owner, body="Which trials?")
    invitation, link = invite(project, "nora@example.org", "reader", owner)
    snapshot = project.snapshots.create(name="Sent to Dr Iyer", made_by=owner)
    replacement = project.replacements.create(words="alder", new="Alnus", made_by=owner)
    draft = project.drafts.create(section=section, created_by=owner)
    support = project.supports.create(section=section, run=run, sentence="Alder fixes nitrogen.", created_by=owner)
    ended = {"result": {"sentence": {"plain": "Alder grows."}}, "script": "1 + 1", "ended_at": timezone.now()}
    analysis = project.analyses.create(number=1, title="Does alder grow?", name="t_test", **ended)
    dataset = project.datasets.create(name="alders.csv")
    version = dataset.versions.create(number=1, state="ready", row_count=0)
    tag = project.tags.create(name="Alder", folded="alder")
    saved_filter = project.saved_filters.create(name="Alder", folded="alder", q="alder")
    batch = project.pdf_batches.create(created_by=owner)
    row = batch.rows.create(name="alder.pdf", file=file)
    figure = project.figures.create(analysis=analysis, kind="box", svg="<svg xmlns='http://www.w3.org/2000/svg'/>")
    return {
        "analysis_id": str(analysis.pk), "other_id": str(analysis.pk), "figure_id": str(figure.pk), "format": "svg",
        "dataset_id": str(dataset.pk), "version_id": str(version.pk),
        "draft_id": str(draft.pk), "support_id": str(support.pk),
        "project_id": str(project.pk), "run_id": str(run.pk), "job_id": str(run.job_id), "claim_id": claim.claim_id,
        "citation_id": str(citation.pk), "cid": str(citation.pk), "file_id": str(file.pk),
        "section_id": str(section.pk),
        "build_id": str(project.builds.create(section=section, created_by=owner).pk),
        "text_id": str(project.text_imports.create(name="thesis.zip").pk), "path": "figures/pasted-1.png",
        "import_id": str(project.imports.create(name="works.bib").pk),
        "slug": section.slug, "section_slug": section.slug, "user_id": str(owner.pk), "token_id": str(token.pk),
        "name": "json",
        "comment_id": str(comment.pk), "snapshot_id": str(snapshot.pk), "invitation_id": str(invitation.pk),
        "token": link, "tag_id": str(tag.pk), "filter_id": str(saved_filter.pk), "replacement_id": str(replacement.pk),
        "batch_id": str(batch.pk), "row_id": str(row.pk),
        "act": "pause", "version": "1", "number": "1", "key": "x", "uidb36": "x", "unknown": "ws/nope",
    }  # fmt: skip


def filled(route: str, things: dict[str, str]) -> str:
    """The address of a route with Asha's ids in it."""
    path = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: things[found.group(1)], route)
    path = re.sub(r"\(\?P<(\w+)>[^)]*\)", lambda found: things.get(found.group(1), "x"), path)
    return "/" + path.replace("^", "").replace("$", "").replace("\\", "")
