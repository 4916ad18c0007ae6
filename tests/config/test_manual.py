"""The manual is served, leads nowhere empty, and names buttons as the pages do (SPEC P8)."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from config.manual import FOLDER, pages
from projects.models import Project, User
from tests.people import signed_in

ROOT = Path(settings.BASE_DIR)
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}


@pytest.mark.parametrize("slug", [slug for slug in TEXTS if slug != "README"])
def test_everybody_reads_every_page(client: Client, slug: str) -> None:
    response = client.get(f"/manual/{slug}/")
    assert response.status_code == 200
    assert f"<h1>{dict(pages())[slug]}</h1>" in response.content.decode()
    assert client.post(f"/manual/{slug}/").status_code == 405


def test_links_and_pictures_lead_somewhere(client: Client) -> None:
    for slug in ["", *(f"{slug}/" for slug, _ in pages())]:
        html = client.get(f"/manual/{slug}").content.decode()
        for address in re.findall(r'(?:href|src)="(/manual/[^"]*)"', html):
            assert client.get(address).status_code == 200, (slug, address)


def test_what_is_not_there(client: Client) -> None:
    for address in ("/manual/nothing/", "/manual/images/nothing.png", "/manual/..%2Fdesign/"):
        assert client.get(address).status_code == 404, address


def test_buttons_are_called_as_on_the_pages() -> None:
    files = [*ROOT.glob("templates/**/*.html"), *ROOT.glob("static/src/**/*.ts"), *ROOT.glob("*/**/*.py")]
    shown = "\n".join(file.read_text(encoding="utf-8") for file in files if "tests" not in file.parts)
    for slug, text in TEXTS.items():
        for words in re.findall(r"\*\*(.+?)[,:]?\*\*", text):
            missing = words not in shown and words[0] + words[1:].lower() not in shown
            assert not missing or words in NOT_BUTTONS, f"{slug}: no page says “{words}”"


NOT_BUTTONS = {"Headings, lists, quotations", "Tables", "Formulas", "Quotation marks"}  # lead a paragraph


@pytest.mark.django_db
def test_each_page_leads_to_its_page_of_the_manual(owner: User, project: Project) -> None:
    client = signed_in(owner)
    for address, page in {
        "/": "start",
        f"/projects/{project.pk}/citations/": "citations",
        f"/projects/{project.pk}/pdfs/": "citations",
        f"/projects/{project.pk}/read/": "read",
        f"/projects/{project.pk}/research/": "research",
        f"/projects/{project.pk}/analyses/": "analyses",
        f"/projects/{project.pk}/build/": "build",
        f"/projects/{project.pk}/files/": "files",
        f"/projects/{project.pk}/settings/": "settings",
    }.items():
        html = client.get(address, follow=True).content.decode()
        assert html.count(f'href="/manual/{page}/" title="How this works"') == 1, address
