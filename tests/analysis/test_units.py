"""Numbers with units: read without a loss, never merged where they differ, converted where somebody says so."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.datasets.edit_dataset import confirm
from analysis.datasets.export import columns_for
from analysis.datasets.numbers_with_units import measures_of
from analysis.datasets.parse_cells import Style, number_text
from analysis.datasets.units import convertible, in_two_parts, unit_in
from analysis.running.start import AnalysisRequest, start_analysis
from core.errors import Refused
from projects.models import Project, User
from tests.analysis.database_rows import a_dataset
from tests.analysis.tables import read, remark_of, values
from tests.analysis.test_dataset_api import at, media, patch, uploaded_dataset  # noqa: F401
from tests.examples import examples
from tests.people import signed_in

SAME = [
    ("g/dl", "g/dL", "gm/dl", "G/DL", "g%", "gm %"), ("mg/dl", "mg%", "mg %", "mg / dL"),
    ("kg", "KG", "kgs", "kilograms"),
    ("x10^9/L", "×10⁹/l", "10*9/L", "x10E9/L", "10^3/µl", "thousand/uL"), ("lakh/cumm", "lakhs/mm3"),
    ("°C", "℃", "Celsius"),
    ("years", "yrs", "Jahre", "años", "lat", "साल", "лет", "jaar"),
    ("months", "Monate", "mois", "miesięcy", "महीने", "месяцев", "maanden"), ("mm/hr", "mm/h", "mm/1st hour"),
    ("µg/ml", "mcg/mL", "ug/ml"),
    ("kg/m²", "kg/m2", "kg/m^2"), ("ml/min/1.73 m²", "mL/min/1.73m2"), ("mmHg", "mm Hg", "mmhg"), ("Rs.", "INR", "₹"),
]  # fmt: skip
APART = [
    "g/dl",
    "g/l",
    "mg/dl",
    "mmol/l",
    "kg",
    "lb",
    "IU/L",
    "U/L",
    "%",
    "°C",
    "°F",
    "mmHg",
    "kPa",
    "G/l",
    "months",
    "days",
    "mEq/L",
    "$",
    "€",
]
numbers = st.decimals(-9999, 9999, places=2).map(float).map(number_text)
DOT, COMMA = Style(".", ","), Style(",", ".")


@pytest.mark.parametrize("spellings", SAME)
def test_spellings_of_one_unit(spellings: tuple[str, ...]) -> None:
    assert len({unit_in(one).size for one in spellings}) == 1  # type: ignore[union-attr]


def test_units_that_differ_stay_apart() -> None:
    found = [unit_in(one) for one in APART]
    assert all(found)
    assert len({one.size for one in found if one}) == len(APART)


@pytest.mark.parametrize("text", ["", "A", "M", "3", "/", "foo", "kg/", "g//l", "of 5", "x" * 50, "-", "rd"])
def test_what_is_no_unit(text: str) -> None:
    assert unit_in(text) is None


@given(numbers, st.sampled_from(APART), st.sampled_from(["", " ", "\u00a0"]), st.booleans())
def test_a_number_with_a_unit_is_that_number(number: str, unit: str, space: str, comma: bool) -> None:
    text = f"{number.replace('.', ',') if comma else number}{space}{unit}"
    found = measures_of([text], COMMA if comma else DOT)[text]
    assert found.number == number
    assert found.unit.size == unit_in(unit).size  # type: ignore[union-attr]


@given(st.text(max_size=40))
def test_any_text_is_a_unit_or_none(text: str) -> None:
    found = unit_in(text)
    assert found is None or found.text == " ".join(text.split())
    for one in measures_of([text], DOT).values():
        assert math.isfinite(float(one.number))


@given(
    numbers,
    st.sampled_from(
        [
            ("kg", "g", 1000),
            ("m", "cm", 100),
            ("g/dl", "g/l", 10),
            ("years", "months", 12),
            ("lb", "kg", Fraction("0.45359237")),
        ]
    ),
)
def test_conversion_is_exact(number: str, units: tuple[str, str, Any]) -> None:
    one, other = unit_in(units[0]), unit_in(units[1])
    assert one is not None
    assert other is not None
    assert convertible([one, other])
    assert Fraction(number) * one.factor / other.factor == Fraction(number) * Fraction(units[2])  # type: ignore[operator]


@examples(40)
@given(st.lists(st.tuples(st.integers(20, 200), st.sampled_from(["kg", "lb"])), min_size=4, max_size=20))
def test_two_units_are_never_one_column_of_numbers(cells: list[tuple[int, str]]) -> None:
    table = read("w,z\n" + "".join(f"{number} {unit},x\n" for number, unit in cells))
    column = table.columns[0]
    if len({unit for _, unit in cells}) == 1:
        assert values(table, "w") == [str(number) for number, _ in cells] or column["type"] != "numeric"
        return
    assert values(table, "w") == [f"{number} {unit}" for number, unit in cells]
    assert {one["unit"]: one["count"] for one in column["units"]} == {
        unit: sum(one == unit for _, one in cells) for unit in ("kg", "lb")
    }
    assert column["bad"]


def test_one_unit_with_decimal_commas_and_a_cell_without() -> None:
    table = read("hb;x\n10,1 g/dl;a\n9,8 g/dL;b\n12 g/dl;a\n11,4;b\n", name="hb.csv")
    assert values(table, "hb") == ["10.1", "9.8", "12", "11.4"]
    assert table.columns[0]["unit"] == "g/dl"
    assert not table.columns[0]["proposed"]["is_sure"]
    assert "row 5" in remark_of(table, "no_unit")["text"]


@pytest.mark.parametrize(
    ("cells", "unit"),
    [
        (["72kg", "80 kg", "65kg"], "kg"),
        (["12,5 %", "13 %", "14,2 %"], "%"),
        (["120 mmHg", "130 mmHg", "110 mmHg"], "mmHg"),
        (["1.5 x10^9/L", "2.25 x10^9/L", "3.75 x10^9/L"], "x10^9/L"),
        (["2 puffs", "3 puffs", "10 puffs"], "puffs"),
    ],
)
def test_units_in_the_cells(cells: list[str], unit: str) -> None:
    table = read("x;y\n" + "".join(f"{one};a\n" for one in cells))
    assert (table.columns[0]["type"], table.columns[0]["unit"]) == ("numeric", unit)


def test_values_below_a_limit_are_no_numbers() -> None:
    table = read("crp\n10 mg/l\n12 mg/l\n13 mg/l\n14 mg/l\n15 mg/l\n< 5 mg/l\n")
    assert values(table, "crp")[-1] == "< 5 mg/l"
    assert "was not replaced by a number" in remark_of(table, "not_number")["text"]


@pytest.mark.parametrize("unit", ["", " mmHg"])
def test_a_blood_pressure_is_two_numbers(unit: str) -> None:
    table = read(f"bp,x\n120/80{unit},1\n130/85{unit},2\n110/70{unit},3\n120/80{unit},4\n")
    assert table.columns[0]["type"] == "text"
    assert "two columns" in table.columns[0]["proposed"]["reason"]
    assert values(table, "bp")[0] == f"120/80{unit}"


MIXED = b"w,glu\n72 kg,100 mg/dl\n154 lb,5.5 mmol/l\n80 kg,90 mg/dl\n65,120 mg/dl\n"


@pytest.mark.django_db
def test_mixed_units_are_asked_about(project: Project, owner: User) -> None:
    version = uploaded_dataset(project, owner, MIXED)
    with pytest.raises(Refused, match=r"kg \(rows 2 and 4\), lb \(row 3\) and no unit \(row 5\)") as refused:
        confirm(version, owner)
    assert refused.value.field == "columns.c1.units"
    with pytest.raises(Refused, match="cannot be converted by a fixed factor"):
        confirm(version, owner, {"c1": {"convert_to": "kg"}, "c2": {"convert_to": "mg/dl"}})
    with pytest.raises(Refused, match="not one of its units"):
        confirm(version, owner, {"c1": {"convert_to": "stone"}})
    made = confirm(version, owner, {"c1": {"convert_to": "kg"}, "c2": {"only_unit": "mg/dl"}})
    weight, glucose = columns_for(made, ["c1", "c2"])
    assert weight["values"] == [72, pytest.approx(154 * 0.45359237, rel=1e-14), 80, 65]
    assert glucose["values"] == [100, None, 90, 120]
    assert made.columns[0]["unit"] == "kg"
    assert made.columns[0]["converted"] == {"to": "kg", "from": [{"unit": "lb", "count": 1}]}
    with made.upload.open("rb") as upload:
        assert upload.read() == MIXED, "the file as it came stays"


@pytest.mark.django_db
def test_over_the_api_and_by_whom(project: Project, owner: User, outsider: User) -> None:
    version = uploaded_dataset(project, owner, MIXED)
    decided = {"c1": {"convert_to": "lb"}, "c2": {"only_unit": "mmol/l"}}
    address = at(project, version.dataset)
    assert patch(signed_in(outsider), address, columns=decided).status_code == 404
    told = patch(signed_in(owner), address, columns=decided).json()["newest"]
    assert told["state"] == "ready"
    assert [one["unit"] for one in told["columns"]] == ["lb", "mmol/l"]
    assert patch(signed_in(owner), address, columns={"c1": {"convert_to": "kg"}}).status_code == 422


@pytest.mark.django_db
def test_a_newer_file_in_another_unit_does_not_take_the_old_ones_name(project: Project, owner: User) -> None:
    first = confirm(uploaded_dataset(project, owner, b"hb,x\n10 g/dl,1\n11 g/dl,2\n12 g/dl,3\n"), owner)
    newer = uploaded_dataset(project, owner, b"hb,x\n100 g/l,1\n110 g/l,2\n120 g/l,3\n", dataset=first.dataset)
    assert newer.columns[0]["unit"] == "g/l"
    assert any(one["code"] == "unit_changed" for one in newer.remarks)


@pytest.mark.django_db
def test_on_the_form(project: Project, owner: User) -> None:
    from tests.analysis.test_data_page import at as page_at
    from tests.analysis.test_data_page import page

    version = a_dataset(project, owner, MIXED.decode())
    client = signed_in(owner)
    form = page(client, page_at("data", version))
    offered = [one.attributes["value"] for one in form.css("#units-c1 option")]
    assert offered == ["", "convert_to:kg", "convert_to:lb", "only_unit:kg", "only_unit:lb"]
    assert [one.attributes["value"] for one in form.css("#units-c2 option")] == [
        "",
        "only_unit:mg/dl",
        "only_unit:mmol/l",
    ]
    refused = client.post(page_at("data", version), {"units-c1": "convert_to:kg"})
    assert refused.status_code == 422
    assert 'value="convert_to:kg" selected' in refused.content.decode()
    done = client.post(
        page_at("data", version), {"units-c1": "convert_to:kg", "units-c2": "only_unit:mg/dl"}, follow=True
    )
    assert "Cells converted to kg: 1 in lb." in done.content.decode()
    assert "It contains several units" not in done.content.decode()


def table_of_cells(*cells: str) -> Any:
    """The table of a column "value" with `cells` beside names of rows."""
    return read("id;value\n" + "".join(f"p{at};{cell}\n" for at, cell in enumerate(cells)))


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("2 years 6 months", 30, "months"), ("1y6m", 18, "months"), ("2 Jahre und 3 Monate", 27, "months"),
        ("38 weeks 4 days", 270, "days"),
        ("38w+4d", 270, "days"), ("2 साल 3 महीने", 27, "months"), ("2 lata i 3 miesiące", 27, "months"),
        ("1 h 20 m", 80, "min"),
        ("5 ft 6 in", 66, "in"), ("5'6\"", 66, "in"), ("5’ 6”", 66, "in"), ("1 kg 200 g", 1200, "g"),
    ],
)  # fmt: skip
def test_a_quantity_in_two_units_is_one_number(text: str, number: int, unit: str) -> None:
    found, known = in_two_parts(text), unit_in(unit)
    assert found is not None
    assert known is not None
    assert (float(found[0]), found[1].size) == (float(number), known.size)


@pytest.mark.parametrize(
    "text",
    ["6 months 2 years", "2 years 14 months", "10 mg 2 ml", "120 mmHg 80 mmHg", "1.5 years 2 months", "38+4", "1 year"],
)
def test_what_is_no_quantity_in_two_units(text: str) -> None:
    assert in_two_parts(text) is None


def test_a_column_in_two_units_says_how_it_was_read() -> None:
    found = table_of_cells(*(f"{1 + at % 9} y {1 + at % 11} m" for at in range(30)))
    assert (found.columns[1]["type"], found.columns[1]["unit"], values(found, "value")[0]) == (
        "numeric",
        "months",
        "13",
    )
    assert remark_of(found, "two_parts")["text"] == "“1 y 1 m” and others like it were read as one number: 13 months."


def test_degrees_by_a_letter_where_others_have_the_sign() -> None:
    found = table_of_cells(*(f"36.{at % 9} °C" for at in range(20)), *(f"98.{at} F" for at in range(9)))
    assert [one["unit"] for one in found.columns[1]["units"]] == ["°C", "F"]
    assert measures_of(["45F", "33M", "61F"], Style()) == {}


def test_a_share_among_plain_numbers_is_asked_about() -> None:
    found = table_of_cells(*(str(at % 2) for at in range(40)), "53.3%")
    column = found.columns[1]
    assert (column["unit"], column["bad"]["texts"]) == ("", ["53.3%"])
    assert "like the others, which have no %" in remark_of(found, "not_number")["text"]
    assert table_of_cells(*(f"{at}%" for at in range(20, 60))).columns[1]["unit"] == "%"


def test_a_share_stays_bad_when_something_else_is_changed(owner: User, project: Project) -> None:
    text = "id;age\n" + "".join(f"p{at};{30 + at}\n" for at in range(40)) + "p40;53.3%\n"
    with pytest.raises(Refused, match="no number like|not a number like"):
        confirm(a_dataset(project, owner, text), owner, {"c2": {"label": "Age"}})


def test_numbers_without_a_unit_that_lie_elsewhere_are_pointed_out() -> None:
    mixed = remark_of(
        table_of_cells(*(f"{70 + at * 4} mg/dl" for at in range(30)), *(f"{4 + at / 2}" for at in range(10))), "no_unit"
    )["text"]
    assert (
        "read as mg/dl, as in the other cells, although they are 4 to 8.5 and the numbers with a unit are 70 to 186."
        in mixed
    )
    few = remark_of(table_of_cells(*(str(50 + at) for at in range(30)), "72kg", "81 kg"), "no_unit")["text"]
    assert "read as kg, which is only in rows 32 and 33. If" in few


def test_a_column_of_which_half_are_numbers_is_no_sure_group() -> None:
    found = table_of_cells(*(str(at) for at in range(20)), *("ca. 7" for _ in range(10))).columns[1]["proposed"]
    assert (found["is_sure"], "20 of its 30 cells are numbers" in found["reason"]) == (False, True)
    limits = table_of_cells(*(f"{at / 3:.2f}" for at in range(20)), *("<0.01" for _ in range(12)))
    assert limits.columns[1]["type"] == "numeric"
    assert "beyond a limit" in remark_of(limits, "not_number")["text"]


def test_why_units_do_not_convert() -> None:
    days = table_of_cells(*(f"{at} days" for at in range(40, 80)), *(f"{at} months" for at in range(1, 9)))
    assert "a month has no fixed number of days" in remark_of(days, "mixed_units")["text"]
    glucose = table_of_cells(*(f"{at} mg/dl" for at in range(70, 99)), *(f"{at} mmol/l" for at in range(4, 9)))
    assert "depends on the substance" in remark_of(glucose, "mixed_units")["text"]


def test_a_result_says_what_became_of_cells_in_other_units_and_beyond_limits(owner: User, project: Project) -> None:
    lines = [
        (
            f"p{at};{'mf'[at % 2]};{50 + at}{'kg' if at % 3 else ' lbs'};{90 + at} "
            f"{'mg/dl' if at % 4 else 'mmol/l'};{'<0,5' if at % 9 == 0 else f'{at},5'}"
        )
        for at in range(40)
    ]
    data = a_dataset(project, owner, "id;sex;wt;glu;crp\n" + "\n".join(lines) + "\n")
    ready = confirm(
        data, owner, {"c3": {"convert_to": "kg"}, "c4": {"only_unit": "mg/dl"}, "c5": {"missing": ["<0,5"]}}
    )
    notes = {
        column: start_analysis(
            project,
            owner,
            AnalysisRequest(name="t_test", data=ready, params={"outcome": column, "group": "c2"}),
            enqueue=False,
        ).why.get("notes")
        for column in ("c3", "c4", "c5")
    }
    assert notes == {
        "c3": ["Values of “wt” that were converted to kg: 14 in lbs."],
        "c4": ["10 values of “glu” in another unit than mg/dl count as missing."],
        "c5": ["5 values of “crp” beyond a limit (“<0,5”) count as missing, though not by chance."],
    }
