"""Which of several labels comes first: durations by length, ranges by their numbers, and otherwise as a person says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.datasets.cell_vocabulary import by_numbers, equal_durations, interval_of, ordered_by
from analysis.datasets.edit_dataset import confirm
from analysis.models import DatasetVersion
from analysis.pages.level_rows import key_of
from core.errors import Refused
from projects.models import Project, User
from tests.analysis.database_rows import a_dataset
from tests.analysis.tables import read
from tests.analysis.test_data_page import at, page, text
from tests.people import signed_in

DAYS = {"days": 1, "weeks": 7, "Tage": 1}
MONTHS = {"months": 1, "years": 12, "Jahre": 12, "mois": 1}


@given(
    st.lists(st.tuples(st.integers(1, 400), st.sampled_from([*DAYS, *MONTHS])), min_size=2, max_size=8), st.randoms()
)
def test_durations_are_ordered_by_length_or_not_at_all(cells: list[tuple[int, str]], random: object) -> None:
    labels = list(dict.fromkeys(f"{number} {unit}" for number, unit in cells))
    found = by_numbers(labels)
    if found is None:
        return
    assert sorted(found) == sorted(labels)

    def days(label: str) -> float:
        number, unit = label.split()
        return int(number) * (DAYS[unit] if unit in DAYS else 30.4375 * MONTHS[unit])

    assert [days(one) for one in found] == sorted(days(one) for one in labels)


@given(
    st.lists(st.integers(1, 90), min_size=3, max_size=8, unique=True),
    st.sampled_from(["", " years", " yrs"]),
    st.permutations(range(9)),
)
def test_ranges_come_back_in_order_however_they_are_listed(cuts: list[int], unit: str, order: list[int]) -> None:
    cuts.sort()
    whole = [
        f"<{cuts[0]}{unit}",
        *(f"{a}-{b}{unit}" for a, b in zip(cuts, cuts[1:], strict=False)),
        f">{cuts[-1]}{unit}",
    ]
    mixed = [whole[at_] for at_ in order if at_ < len(whole)]
    assert by_numbers(mixed) == whole[:9]


@given(st.text(max_size=30))
def test_any_label_is_an_interval_or_none(label: str) -> None:
    found = interval_of(label)
    assert found is None or found.low <= found.high


@pytest.mark.parametrize(
    "order",
    [
        ["10 days", "6 months", "2 years"],
        ["< 1 year", "1-2 years", "> 5 years"],
        ["bis 1 Jahr", "1–2 Jahre", "mehr als 2 Jahre"],
        ["18-30", "31-45", ">60"],
        ["under 18", "18 to 30 years", "31 years and above"],
        ["0-5 yrs", "6-11 yrs", "12+ yrs"],
        ["Stage I", "Stage II", "Stage IV"],
        ["grade 1", "grade 2", "grade 4"],
        ["T1", "T2", "T4"],
        ["low", "medium", "high"],
    ],
)
def test_an_order_that_is_known(order: list[str]) -> None:
    assert ordered_by(order[::-1]) == order


@pytest.mark.parametrize(
    "labels",
    [
        ["leicht", "mittel", "schwer"],
        ["1 month", "30 days", "1 year"],  # which is longer depends on the month
        ["7", "< 10", "9"],
        ["1-5", "5-10", "3-7"],
        ["10 mg/dl", "2 mmol/l", "5 mg/dl"],
        ["3 cats", "2 dogs", "1 cow"],
    ],
)
def test_an_order_that_nobody_knows(labels: list[str]) -> None:
    assert ordered_by(labels) is None


def test_twelve_months_are_a_year() -> None:
    assert equal_durations(["12 months", "1 year", "2 years"]) == {"12 months": "1 year"}
    table = read("d,x\n12 months,a\n1 year,b\n2 years,a\n1 year,b\n12 months,a\n2 years,b\n")
    assert table.columns[0]["levels"] == ["1 year", "2 years"]
    assert any(one["code"] == "spellings" for one in table.remarks)


def test_durations_in_a_file() -> None:
    table = read("d,x\n6 months,a\n2 years,b\n10 days,a\n6 months,b\n2 years,a\n10 days,b\n")
    assert (table.columns[0]["type"], table.columns[0]["levels"]) == ("ordered", ["10 days", "6 months", "2 years"])
    same = read("d,x\n6 months,a\n12 months,b\n3 months,a\n")
    assert (same.columns[0]["type"], same.columns[0]["unit"]) == ("numeric", "months")


PAIN = "pain,x\n" + "".join(f"{word},{number}\n" for number, word in enumerate(["leicht", "mittel", "stark"] * 4))


@pytest.fixture
def pain(project: Project, owner: User) -> DatasetVersion:
    return a_dataset(project, owner, PAIN)


@pytest.mark.django_db
def test_ordered_needs_an_order(pain: DatasetVersion, owner: User) -> None:
    assert pain.columns[0]["type"] == "factor"
    with pytest.raises(Refused, match="put its categories in order, the lowest first"):
        confirm(pain, owner, {"c1": {"type": "ordered"}})
    made = confirm(pain, owner, {"c1": {"type": "ordered", "levels": ["leicht", "mittel", "stark"]}})
    assert made.columns[0]["levels"] == ["leicht", "mittel", "stark"]


@pytest.mark.django_db
def test_labels_may_say_the_order(pain: DatasetVersion, owner: User) -> None:
    labels = {"leicht": "mild", "mittel": "moderate", "stark": "severe"}
    made = confirm(pain, owner, {"c1": {"type": "ordered", "labels": labels}})
    assert made.columns[0]["levels"] == ["leicht", "mittel", "stark"]


def fields(*places: str) -> dict[str, str]:
    keys = [key_of(word) for word in ("leicht", "mittel", "stark")]
    return {"kind-c1": "ordered"} | {f"place-c1-{key}": place for key, place in zip(keys, places, strict=True)}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("places", "words"),
    [
        (("", "", ""), "put its categories in order"),
        (("1", "2", ""), "“stark” has none"),
        (("1", "2", "2"), "have the same place"),
        (("1", "2", "last"), "must be a number"),
        (("1", "2", "nan"), "must be a number"),
    ],
)
def test_an_order_that_is_not_whole_is_refused_on_the_form(
    pain: DatasetVersion, owner: User, places: tuple[str, ...], words: str
) -> None:
    answer = signed_in(owner).post(at("data", pain), fields(*places))
    assert answer.status_code == 422
    assert words in answer.content.decode()
    pain.refresh_from_db()
    assert pain.state == "proposed"


@pytest.mark.django_db
def test_the_order_and_labels_are_set_on_the_form(pain: DatasetVersion, owner: User, outsider: User) -> None:
    form = page(signed_in(owner), at("data", pain))
    assert len(form.css("#column-c1 .named input")) == 6
    assert all(not one.attributes["value"] for one in form.css("#column-c1 .named input[name^=place]"))
    sent = fields("3", "2", "1") | {f"name-c1-{key_of('stark')}": "severe <b>"}
    assert signed_in(outsider).post(at("data", pain), sent).status_code == 404
    signed_in(owner).post(at("data", pain), sent)
    pain.refresh_from_db()
    assert pain.state == "ready"
    assert pain.columns[0]["levels"] == ["stark", "mittel", "leicht"]
    assert pain.columns[0]["labels"] == {"stark": "severe <b>"}
    shown = page(signed_in(owner), at("data", pain))
    assert "severe <b>" in text(shown, "#column-c1")
    again = page(signed_in(owner), at("data", pain, query="?change"))
    assert [one.attributes["value"] for one in again.css("#column-c1 .named input[name^=place]")] == ["1", "2", "3"]


def test_durations_in_two_units_and_other_scripts_are_ordered() -> None:
    labels = ["1 year 3 months", "2 years", "1 year", "6 months"]
    assert by_numbers(labels) == ["6 months", "1 year", "1 year 3 months", "2 years"]
    assert by_numbers(["2 साल", "6 महीने", "1 साल"]) == ["6 महीने", "1 साल", "2 साल"]
    assert by_numbers(["2 lata", "3 tygodnie", "6 miesięcy"]) == ["3 tygodnie", "6 miesięcy", "2 lata"]
