"""Which column identifies people, and how many of them have more than one row."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.datasets.read_table import Table, read_table
from analysis.datasets.repeated_people import EMPTY_IDS, Repeats, as_id, normalised_id, people_columns, repeats_in


def table(*lines: str) -> Table:
    return read_table("\n".join(lines).encode(), "visits.csv")


def found(read: Table, *names: str) -> Repeats | None:
    ids = [one["id"] for one in read.columns if one["name"] in names]
    return repeats_in(read.columns, read.summary, lambda wanted: {one: read.frame[one].tolist() for one in wanted}, ids)


VISITS = [f"P{n // 2 if n < 60 else n:03d},{n % 7},{50 + n}" for n in range(90)]


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    "name",
    ["id", "ID", "patient_id", "PatientID", "Patient ID", "Patient No.", "Pat.-Nr.", "UHID", "Hospital No.", "subject",
     "participant code", "record_id",
     "Patientennummer", "IP No", "rat id", "Patient's ID"],
)  # fmt: skip
def test_a_column_named_like_an_id_of_people_is_looked_at(name: str) -> None:
    repeats = found(table(f"{name},visit,weight", *VISITS))
    assert repeats is not None
    assert (repeats.people, repeats.repeated, repeats.most, repeats.rows) == (60, 30, 2, 90)
    assert repeats.sentence.startswith("30 of 60 ")


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    "name",
    ["ward", "ward_id", "ward number", "hospital_id", "centre code", "group id", "doctor_id", "household id",
     "visit_id", "S.No", "code", "patient age",
     "number of patients", "fall", "paid", "identity"],
)  # fmt: skip
def test_a_code_of_a_group_is_no_id_of_people(name: str) -> None:
    assert found(table(f"{name},visit,weight", *VISITS)) is None


def test_an_id_of_its_own_in_every_row_is_fine() -> None:
    assert found(table("patient_id,age", *(f"{n},{40 + n % 9}" for n in range(50)))) is None
    rows = (f"{n},{n // 3},{40 + n % 9}" for n in range(50))
    assert found(table("patient_id,id,age", *rows)) is None  # "id" may be anything where patients have one row each


def test_a_visit_has_its_own_id_and_the_patient_has_not() -> None:
    rows = (f"{n},{n // 3},{40 + n % 9}" for n in range(60))
    repeats = found(table("record_id,patient_id,age", *rows))
    assert repeats is not None
    assert (repeats.name, repeats.people) == ("patient_id", 20)


def test_capitals_and_spaces_make_no_other_person() -> None:
    rows = [*(f"P{n:02d},{n}" for n in range(20)), *(f" p {n:02d} ,{n}" for n in range(20))]
    repeats = found(table("patient_id,age", *rows))
    assert repeats is not None
    assert (repeats.people, repeats.repeated) == (20, 20)


def test_blank_ids_are_counted_and_are_nobody() -> None:
    rows = [*(f"P{n // 2},{n}" for n in range(20)), *(f",{n}" for n in range(5))]
    repeats = found(table("patient_id,age", *rows))
    assert repeats is not None
    assert (repeats.people, repeats.repeated, repeats.blank) == (10, 10, 5)
    assert "5 rows have no value there" in repeats.sentence
    assert found(table("patient_id,age", *(f"P{n},{n}" for n in range(9)), ",7", ",8", ",9")) is None


def test_an_id_that_is_written_once_for_a_block_of_rows_is_everybody_below_it() -> None:
    repeats = found(table("patient_id,age", *(f"{'' if n % 3 else f'P{n}'},{n}" for n in range(30))))
    assert repeats is not None
    assert (repeats.people, repeats.repeated, repeats.most, repeats.is_above) == (10, 10, 3, True)
    assert "an empty cell there is read as the person above" in repeats.sentence


def test_an_unknown_person_is_nobody_twice() -> None:
    rows = [f"{'unknown' if n % 8 == 0 else f'P{n}'},{n}" for n in range(40)]
    assert found(table("patient_id,age", *rows)) is None


def test_only_rows_that_are_used_count() -> None:
    """The outcome stands in one row of each person: nobody is counted twice."""
    rows = [f"P{n // 2},{n % 2},{50 + n if n % 2 else ''},{n}" for n in range(40)]
    read = table("patient_id,visit,outcome,crp", *rows)
    assert found(read, "outcome") is None
    assert found(read, "crp") is not None


def test_a_person_can_say_otherwise() -> None:
    read = table("patient_id,dog,age", *(f"{n // 2},{n // 3},{n}" for n in range(30)))
    read.columns[0]["identifies"] = "other"
    assert found(read) is None
    read.columns[1]["identifies"] = "person"
    repeats = found(read)
    assert repeats is not None
    assert (repeats.name, repeats.is_said, repeats.people) == ("dog", True, 10)
    read.columns[0].pop("identifies")
    assert [one["name"] for one in people_columns(read.columns)] == ["dog"]


def test_a_version_read_before_ids_were_counted_is_looked_at_too() -> None:
    read = table("patient_id,age", *(f"{n // 2},{n}" for n in range(30)))
    for one in read.summary.values():
        one.pop("as_id", None)
    assert found(read) is not None


def test_a_yes_or_no_called_patient_is_no_id() -> None:
    assert found(table("patient,age", *(f"{'case' if n % 2 else 'control'},{n}" for n in range(30)))) is None


@given(st.lists(st.text("aAbB 1\u00a0", max_size=4), max_size=30))
def test_ids_are_counted_as_people_read_them(ids: list[str]) -> None:
    told = as_id(Counter(ids))
    kept = [one for one in map(normalised_id, ids) if one not in EMPTY_IDS]
    assert told["values"] == len(set(kept))
    assert told["repeated"] == sum(kept.count(one) > 1 for one in set(kept))
    assert told["most"] == max((kept.count(one) for one in kept), default=0)


@pytest.mark.parametrize(
    "name", ["Nr pacjenta", "Número de historia", "Código paciente", "N° dossier", "Identifiant patient",
        "रोगी क्रमांक", "मरीज संख्या", "номер пациента", "患者番号"]
)  # fmt: skip
def test_ids_of_people_in_other_languages(name: str) -> None:
    assert [one["name"] for one in people_columns([{"id": "c1", "name": name, "type": "text"}])] == [name]


@pytest.mark.parametrize(
    "name", ["historia clínica", "dossier complet", "रोगी आयु", "edad del paciente", "wiek pacjenta", "kod pocztowy"]
)
def test_what_else_is_said_of_people_in_other_languages(name: str) -> None:
    assert people_columns([{"id": "c1", "name": name, "type": "text"}]) == []
