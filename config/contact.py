"""The page and API of the contact address for catalogues, which only the site's owner sees (SPEC C1)."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods
from ninja import Router, Schema

from core.errors import Refused
from projects.signed_in_request import PersonRequest
from sources.contact_address import address_in_use, save_address

router = Router(tags=["Site"])
SAID = {  # the acts that store no address, and the message after each
    "later": "You can add a contact address later, on your account page.",
    "remove": "Contact address removed.",
}


@require_http_methods(["GET", "HEAD", "POST"])
def contact(request: PersonRequest) -> HttpResponse:
    """Show the contact address, for htmx only its form; on POST save it and go back to where it was asked.

    `act` is save, later (Not now) or remove; `from` is home for the notice on the home page.
    """
    _owner_only(request)
    if request.method != "POST":
        return _page(request, address_in_use())
    act = request.POST.get("act")
    address = "" if act in SAID else request.POST.get("address", "").strip()
    try:
        if act not in SAID and not address:
            raise Refused("Enter an e-mail address such as name@example.org.", field="address")
        save_address(address)
    except Refused as refused:
        return _page(request, address, refused.message)
    messages.success(request, SAID.get(act or "", "Contact address saved. You can change it on your account page."))
    return redirect("projects:home" if request.POST.get("from") == "home" else "contact")


class ContactOut(Schema):
    """The contact address that catalogues get, or ""; whether it is set by CROSSREF_MAILTO, and so not changed here."""

    address: str
    is_set_by_environment: bool


class ContactIn(Schema):
    """The new contact address; "" removes it."""

    address: str


@router.get("/contact-address", response=ContactOut, summary="The contact address for catalogues (site owner)")
def read_contact(request: PersonRequest) -> dict[str, Any]:
    """Return the contact address that catalogues get. 404 for everybody but the site's owner."""
    _owner_only(request)
    return {"address": address_in_use(), "is_set_by_environment": bool(settings.CROSSREF_MAILTO)}


@router.put("/contact-address", response=ContactOut, summary="Change or remove the contact address (site owner)")
def change_contact(request: PersonRequest, body: ContactIn) -> dict[str, Any]:
    """Store the contact address, or remove it with "". 404 for everybody but the site's owner."""
    _owner_only(request)
    save_address(body.address)
    return read_contact(request)


def _owner_only(request: PersonRequest) -> None:
    if not request.user.owns_site:
        raise Http404


def _page(request: PersonRequest, address: str, problem: str = "") -> HttpResponse:
    template = f"config/contact.html{'#contact' if request.htmx else ''}"
    context = {
        "address": address,
        "problem": problem,
        "has_address": bool(address_in_use()),
        "is_set_by_environment": bool(settings.CROSSREF_MAILTO),
    }
    return render(request, template, context, status=422 if problem else 200)
