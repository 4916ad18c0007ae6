"""Mail about a new comment to those who write, and to those who are answered (SPEC T2).

Each gets at most one mail an hour for a thesis; it says that more comments may have followed. Sending runs in a thread,
so that no page waits for the mail server, and a mail that fails is not sent again: the comment is on the page.
"""

from datetime import timedelta
from threading import Thread

from allauth.account.models import EmailAddress
from django.core.mail import EmailMessage
from django.db.models import Q
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from projects import mail
from projects.models import Membership
from sections.comments import words_of_comment
from sections.models import Comment

QUIET = timedelta(hours=1)  # between two mails to one person about one thesis
WRITERS = (Membership.Role.OWNER, Membership.Role.EDITOR)


def mail_comment(request: HttpRequest, comment: Comment) -> None:
    """Mail those whom `comment`, which was just added, concerns; the link leads to the site that `request` came to."""
    if not mail.is_set_up():
        return
    section = comment.section
    link = request.build_absolute_uri(reverse("sections:comments", args=[section.project_id, section.slug]))
    subject = " ".join(f"Scholium: {comment.author} commented on {section.title}".split())[:200]
    words = words_of_comment((comment.replies_to or comment).quote)
    context = {"comment": comment, "section": section, "words": words, "link": link}
    body = render_to_string("sections/comment_mail.txt", context)
    messages = [EmailMessage(subject, body, to=[member.user.email]) for member in _due(comment)]
    if messages:
        Thread(target=lambda: [mail.send(one) for one in messages], name="comment mail", daemon=True).start()


def _due(comment: Comment) -> list[Membership]:
    """Return the members to mail, each marked as mailed now: no other comment of this hour mails them."""
    now = timezone.now()
    thread = comment.replies_to
    answered = Comment.objects.filter(Q(pk=thread.pk) | Q(replies_to=thread)).values("author") if thread else []
    confirmed = EmailAddress.objects.filter(verified=True).values("email")
    concerned = (
        Membership.objects.filter(Q(role__in=WRITERS) | Q(user__in=answered), project=comment.section.project_id)
        .filter(user__comment_mails=True, user__is_active=True, user__email__in=confirmed)
        .exclude(user=comment.author_id)
        .select_related("user")
    )
    return [
        member
        for member in concerned
        if Membership.objects.filter(pk=member.pk)
        .filter(Q(comments_mailed_at=None) | Q(comments_mailed_at__lte=now - QUIET))
        .update(comments_mailed_at=now)
    ]
