"""A list of references typed by hand: split, looked up, and linked to its marks once confirmed (SPEC C5, T2)."""

from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse

from citations.models import Citation
from citations.resolution.check_job import CHECK
from core.errors import Refused
from jobs.models import Job, State
from projects.models import Project, User
from sections.models import Section, TextImport
from tests.people import signed_in
from tests.thesis.imported_word import RAISED
from tests.thesis.make_thesis import imported_file
from tests.thesis.word_files import heading, para, text, word_file
from thesis.importing.typed_list.link import link, plan_links

pytestmark = pytest.mark.django_db

ENTRIES = [
    "Menon A, Müller I. Alder fixes nitrogen in poor soils. J For Soils. 2019;12(3):101-19. doi:10.1000/alder.2019.12",
    "Okoro N. Soils and their trees. 2nd ed. London: Birch Press; 2015.",
    "Iyer M, Rao S, Das K. Roots of the alder. Ann Bot. 2021;4:7-19.",
]
NUMBERED = [f"[{number}] {entry}" for number, entry in enumerate(ENTRIES, 1)]


def typed(user: User, words: list[str], entries: list[str], title: str = "References", **more: Any) -> TextImport:
    """An imported Word file with these paragraphs, and these entries under a heading."""
    paragraphs = [para(text(one)) if not one.startswith("<") else one for one in words]
    data = word_file(heading("Results"), *paragraphs, heading(title), *[para(text(one)) for one in entries])
    made, job = imported_file(user, data, "draft.docx", **more)
    assert job.state == State.DONE, job.reason
    return made


def linked(made: TextImport, **more: Any) -> str:
    """The text of the first section after linking."""
    link(made, made.project.owner, token=plan_links(made).token, **more)
    return str(Section.objects.filter(project=made.project_id).order_by("number")[0].latex).split("\n\n", 1)[1].strip()


def doubts(made: TextImport) -> dict[str, str]:
    return {one.words: one.why for one in plan_links(made).doubts}


def test_entries_are_references_and_the_text_is_as_typed(owner: User) -> None:
    made = typed(owner, ["Alder [1] grows [2,3]."], NUMBERED)
    keys = {row.cite_key: row for row in Citation.objects.all()}
    assert set(keys) == {"menon2019", "okoro2015", "iyer2021"}
    assert keys["menon2019"].doi == "10.1000/alder.2019.12"
    assert keys["menon2019"].csl["title"] == "Alder fixes nitrogen in poor soils"
    assert all(row.status == Citation.Status.UNRESOLVED and row.check_due_at for row in keys.values())
    assert Job.objects.filter(project=made.project, kind=CHECK).exists()
    assert "Alder {[}1{]} grows {[}2,3{]}." in Section.objects.order_by("number")[0].latex


def test_numbers_in_brackets(owner: User) -> None:
    made = typed(owner, ["Alder [1] grows [3,1-2], and well [1–3]; 95% CI [1, 2]; [9] is not there."], NUMBERED)
    assert linked(made) == (
        "Alder \\cite{menon2019} grows \\cite{iyer2021,menon2019,okoro2015}, and well "
        "\\cite{menon2019,okoro2015,iyer2021}; 95\\% CI {[}1, 2{]}; {[}9{]} is not there."
    )
    assert set(doubts(made)) == {"[1, 2]", "[9]"}
    assert doubts(made)["[9]"] == "The list has no entry 9."


def test_raised_numbers_and_powers(owner: User) -> None:
    words = para(text("Alder"), text("1,3", RAISED), text(" on 10 m"), text("2", RAISED), text(" of soil."))
    made = typed(owner, [words], [f"{number}. {entry}" for number, entry in enumerate(ENTRIES, 1)])
    assert linked(made) == "Alder\\cite{menon2019,iyer2021} on 10 m\\textsuperscript{2} of soil."
    assert doubts(made) == {"2": "It may be a power."}
    assert [one.entry.number for one in plan_links(made).unused] == [2]


def test_names_and_years(owner: User) -> None:
    made = typed(
        owner,
        [
            "Alder grows (Menon & Müller, 2019; Okoro 2015), as Iyer et al. (2021) saw (see Okoro, 2015, p. 4).",
            "Since then (May 2019) nothing, but (Smith et al., 2020) and (Menon, 2019; Smith, 2020).",
        ],
        ENTRIES,
    )
    assert linked(made) == (
        "Alder grows \\cite{menon2019,okoro2015}, as \\citet{iyer2021} saw \\cite[see][p.~4]{okoro2015}.\n\n"
        "Since then (May 2019) nothing, but (Smith et al., 2020) and (Menon, 2019; Smith, 2020)."
    )
    assert set(doubts(made)) == {"(Smith et al., 2020)", "(Menon, 2019; Smith, 2020)"}


def test_two_entries_for_one_mark_are_listed(owner: User) -> None:
    """Numbers that are wrong or begin again mean nothing certain."""
    wrong = [f"[{number}] {entry}" for number, entry in zip((1, 2, 2), ENTRIES, strict=True)]
    made = typed(owner, ["Alder [1], [2]."], wrong)
    assert linked(made) == "Alder \\cite{menon2019}, {[}2{]}."
    assert doubts(made) == {"[2]": "The list has more than one entry 2."}


def test_two_works_of_one_author_and_year(owner: User) -> None:
    made = typed(
        owner,
        ["One (Menon, 2019a), other (Menon, 2019b), any (Menon, 2019)."],
        [
            "Menon, A. (2019a). Alder on poor soils of the north. Trees, 1(2), 3–9.",
            "Menon, A. (2019b). Birch on rich soils of the south. Trees, 1(2), 10–19.",
        ],
    )
    assert linked(made) == "One \\cite{menon2019}, other \\cite{menon2019b}, any (Menon, 2019)."


GERMAN = [
    "Müller, K. & Özdemir, A. (2019a). Stickstoff in armen Böden. Zeitschrift für Forstwesen, 12(3), 101–119.",
    "Müller, K., & Özdemir, A. (2019b). Stickstoff in reichen Böden. Zeitschrift für Forstwesen, 12(4), 120–129.",
    "Großmann-Weiß, J. (2015): Böden und Bäume. 2. Auflage. Stuttgart: Ulmer Verlag.",
]
RUSSIAN = [
    "Иванов И. И., Петров П. П. Ольха на бедных почвах // Лесоведение. 2019. Т. 12, № 3. С. 101–119.",
    "Сидорова А. В. (2015). Почвы и деревья. М.: Наука.",
]
HINDI = [
    "शर्मा, र., और वर्मा, क. (2019). मिट्टी में नाइट्रोजन का अध्ययन. भारतीय वन पत्रिका, 12(3), 101–119.",
    "गुप्ता, स. (2015). पेड़ और मिट्टी. दिल्ली: ज्ञान प्रेस.",
]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("entries", "marks", "left"),
    [
        (GERMAN, ["(Müller & Özdemir, 2019a)", "Müller/Özdemir (2019b)", "(vgl. Großmann-Weiß, 2015: 33)"], []),
        (GERMAN, ["(Mu\u0308ller und O\u0308zdemir 2019a, S. 105 f.)"], ["(siehe dazu auch Großmann-Weiß 2015)"]),
        (RUSSIAN, ["(Иванов, Петров, 2019)", "(Иванов и Петров, 2019)", "(Сидорова, 2015, с. 25)"], ["(2015)"]),
        (HINDI, ["(शर्मा और वर्मा, 2019)", "(गुप्ता, 2015)"], []),
    ],
)
def test_names_in_other_languages(owner: User, entries: list[str], marks: list[str], left: list[str]) -> None:
    """A form that is not known is listed, such as a declined name before its year."""
    made = typed(owner, [f"x {mark} y." for mark in (*marks, *(f"Сидоровой {one}" for one in left))], entries)
    plan = plan_links(made)
    assert [one.words for one in plan.places] == marks
    assert [one.words for one in plan.doubts] == left


def test_pages_and_words_beside_a_number(owner: User) -> None:
    made = typed(owner, ["Alder [1, p. 5] and [2, S. 25–27] or [3, see also Iyer], [2-1] and [1990-1980]."], NUMBERED)
    assert linked(made) == (
        "Alder \\cite[p.~5]{menon2019} and \\cite[S.~25--27]{okoro2015} or {[}3, see also Iyer{]}, {[}2-1{]} and "
        "{[}1990-1980{]}."
    )
    assert doubts(made) == {
        "[3, see also Iyer]": "It has words beside its number.",
        "[2-1]": "Its range is not one of references.",
    }


def test_words_after_the_list_stay(owner: User) -> None:
    """Neither prose nor a short line after the last number is part of a list that is removed."""
    after = [
        "Berlin, May 2020.",
        "I thank my family for their long patience in all of these years of work in the forest.",
    ]
    made = typed(
        owner, ["Alder [1-3]."], [*NUMBERED[:2], "A line that goes on: https://example.org", NUMBERED[2], *after]
    )
    linked(made)
    linked(made, remove_list=True)
    assert Section.objects.get(title="References").latex.strip() == "\n\n".join(after)


@pytest.mark.sample(2)
@pytest.mark.parametrize("title", ["Literatur", "Bibliographie", "Referencias", "संदर्भ", "5 Literaturverzeichnis"])
def test_headings_in_other_languages(owner: User, title: str) -> None:
    made = typed(owner, ["Alder [1]."], NUMBERED, title=title)
    assert len(plan_links(made).entries) == 3
    assert linked(made) == "Alder \\cite{menon2019}."


def test_a_list_in_another_script(owner: User) -> None:
    made = typed(owner, ["पेड़ [1]."], ["1. शर्मा अ. मिट्टी और पेड़. जर्नल. 2019;12:1-9."], title="संदर्भ सूची")
    [entry] = plan_links(made).entries
    assert entry.citation
    assert entry.citation.title == "मिट्टी और पेड़"
    assert entry.citation.authors == "शर्मा"
    assert linked(made).startswith("पेड़ \\cite{")


def test_a_complete_list_can_be_removed(owner: User) -> None:
    made = typed(owner, ["Alder [1-3]."], NUMBERED)
    assert plan_links(made).is_complete
    linked(made, remove_list=True)
    assert [one.title for one in Section.objects.filter(project=made.project)] == ["Results"]
    assert Section.everything.filter(project=made.project).count() == 2, "the list is in the bin"
    assert plan_links(made).entries == []


def test_an_incomplete_list_stays(owner: User) -> None:
    made = typed(owner, ["Alder [1]."], NUMBERED)
    with pytest.raises(Refused, match="can only be removed"):
        linked(made, remove_list=True)
    linked(made)
    assert "Okoro N." in Section.objects.get(title="References").latex
    again = plan_links(made)
    assert (len(again.places), [one.uses for one in again.entries]) == (0, [1, 0, 0])


def test_a_text_that_changed_is_not_linked_unseen(owner: User) -> None:
    made = typed(owner, ["Alder [1]."], NUMBERED)
    token = plan_links(made).token
    section = Section.objects.get(title="Results")
    section.write(f"{section.latex} And [2].", based_on=section.version, by=owner)
    with pytest.raises(Refused, match="changed since"):
        link(made, owner, token=token)
    assert "\\cite" not in Section.objects.get(title="Results").latex


def test_entries_that_are_references_already_are_found_again(owner: User, project: Project) -> None:
    csl: dict[str, Any] = {"type": "article-journal", "title": "Roots of the alder"}
    Citation.objects.create(
        project=project,
        serial=1,
        cite_key="roots",
        csl=csl,
        title=csl["title"],
        authors="Iyer and others",
        year=2021,
    )
    made = typed(owner, ["Alder [3]."], NUMBERED, into=project)
    assert Citation.objects.filter(project=project).count() == 3
    link(made, owner, token=plan_links(made).token)
    assert "\\cite{roots}" in Section.objects.filter(project=project, title="Results").last().latex


def test_formulas_arguments_and_code_are_no_marks(owner: User) -> None:
    markdown = "# Results\n\nAlder \\[1\\] $x[2]$ and `a[1]`.\n\n```\nb[2]\n```\n\n# References\n\n"
    markdown += "\n\n".join(f"\\[{number}\\] {entry}" for number, entry in enumerate(ENTRIES, 1))
    made, job = imported_file(owner, markdown.encode(), "draft.md")
    assert job.state == State.DONE, job.reason
    assert [(one.before, one.words) for one in plan_links(made).places] == [("Alder ", "[1]")]


def test_the_page_links_what_was_not_left_out(owner: User, supervisor: User, outsider: User) -> None:
    made = typed(owner, ["Alder [1] and [2]."], NUMBERED)
    client, address = signed_in(owner), reverse("thesis:typed_list", args=[made.pk])
    assert address in client.get(reverse("thesis:brought", args=[made.pk])).content.decode()
    page = client.get(address).content.decode()
    assert "2 marks to link" in page
    assert "Okoro N. Soils and their trees" in page
    plan = plan_links(made)
    to = reverse("thesis:link_references", args=[made.pk])
    answer = client.post(to, {"token": plan.token, "left": [plan.places[1].id]}, follow=True)
    assert "1 mark linked, 1 left as typed." in answer.content.decode()
    assert "Alder \\cite{menon2019} and {[}2{]}." in Section.objects.get(project=made.project, title="Results").latex
    assert client.post(to, {"token": "old"}).status_code == 409
    assert client.get(to).status_code == 405
    assert client.post(address).status_code == 405
    for one in (reverse("thesis:typed_list", args=[made.pk]), f"/api/brought/{made.pk}/typed-list"):
        assert signed_in(outsider).get(one).status_code == 404
    assert signed_in(outsider).post(to, {"token": plan.token}).status_code == 404


def test_the_api_does_the_same(owner: User) -> None:
    made = typed(owner, ["Alder [1] and [7]."], NUMBERED)
    client, address = signed_in(owner), f"/api/brought/{made.pk}/typed-list"
    assert client.get(f"/api/brought/{made.pk}").json()["typed"] == 3
    plan = client.get(address).json()
    assert [one["latex"] for one in plan["marks"]] == ["\\cite{menon2019}"]
    assert [one["why"] for one in plan["doubts"]] == ["The list has no entry 7."]
    assert [(one["number"], one["uses"]) for one in plan["entries"]] == [(1, 1), (2, 0), (3, 0)]
    sent = {"token": plan["token"]}
    answer = client.post(address, sent, content_type="application/json")
    assert answer.json()["marks"] == []
    assert client.post(address, sent, content_type="application/json").status_code == 409


def test_the_command_links_if_asked(owner: User, tmp_path: Any, capsys: Any) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(
        word_file(
            heading("A"), para(text("Alder [1], [8].")), heading("References"), *[para(text(e)) for e in NUMBERED]
        )
    )
    call_command("import_thesis", str(path), user=owner.email, link=True)
    told = capsys.readouterr().err
    assert "Left as typed: “[8]” (A). The list has no entry 8." in told
    assert "1 mark linked, 1 left as typed." in told
    assert "Alder \\cite{menon2019}" in Section.objects.get(title="A").latex


def test_a_mark_without_an_entry_is_still_told_after_linking(owner: User) -> None:
    made = typed(owner, ["Alder [1-3], but [7]."], NUMBERED)
    linked(made)
    assert doubts(made) == {"[7]": "The list has no entry 7."}
    assert not plan_links(made).is_complete
    assert plan_links(made).doubts[0].before == "Alder …, but "


def many_marks(owner: User) -> TextImport:
    """450 marks to link and 230 that mean no entry."""
    return typed(owner, [" ".join(["Alder [1] grows."] * 450 + ["But [9] not."] * 230)], NUMBERED)


def test_many_marks_are_on_pages_and_what_was_chosen_stays_chosen(owner: User, reader: User) -> None:
    made = many_marks(owner)
    plan, client = plan_links(made), signed_in(owner)
    to = reverse("thesis:link_references", args=[made.pk])
    first = client.get(reverse("thesis:typed_list", args=[made.pk])).content.decode()
    assert "450 marks to link" in first
    assert "1 to 200 of 450; those on the other pages are linked too" in first
    assert "1 to 200 of 230" in first
    assert first.count('name="left" value="') == 200
    leave = [plan.places[0].id, plan.places[199].id]
    second = client.post(to, {"token": plan.token, "left": leave, "to": "3 2"}).content.decode()
    assert "401 to 450 of 450" in second
    assert "201 to 230 of 230" in second
    assert f'name="left_elsewhere" value="{" ".join(sorted(leave))}"' in second
    back = client.post(to, {"token": plan.token, "left_elsewhere": " ".join(leave), "left": [plan.places[449].id],
                            "to": "1 1"}).content.decode()  # fmt: skip
    assert back.count(" checked") == 2
    assert f'name="left_elsewhere" value="{plan.places[449].id}"' in back
    answer = client.post(to, {"token": plan.token, "left": leave, "left_elsewhere": plan.places[449].id}, follow=True)
    assert "447 marks linked, 233 left as typed." in answer.content.decode()
    latex = Section.objects.get(project=made.project, title="Results").latex
    assert latex.count("\\cite{menon2019}") == 447
    assert latex.strip().partition("\n")[2].strip().startswith("Alder {[}1{]} grows. Alder \\cite{menon2019}")


def test_who_may_only_read_turns_pages_by_links(owner: User, project: Project, reader: User, outsider: User) -> None:
    made = many_marks(owner)
    made.project.memberships.create(user=reader, role="reader")
    address = reverse("thesis:typed_list", args=[made.pk])
    page = signed_in(reader).get(address, {"page": "2", "doubts": "1"}).content.decode()
    assert "201 to 400 of 450" in page
    assert 'href="?page=3&amp;doubts=1"' in page
    assert 'name="to"' not in page
    to = reverse("thesis:link_references", args=[made.pk])
    assert signed_in(reader).post(to, {"to": "2 1"}).status_code == 403
    assert signed_in(outsider).post(to, {"to": "2 1"}).status_code == 404
    assert "401 to 450 of 450" in signed_in(owner).get(address, {"page": "99", "doubts": "x"}).content.decode()
