"""What looks like data of persons is found by kind, and a paper full of figures is not (SPEC X2)."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import iban, verhoeff
from stdnum.ch import ssn as ahv
from stdnum.de import idnr

from tests.examples import examples
from tests.llm.redacted import redact
from tests.time_limits import HANGS
from text.personal_data import LABELS, count_personal_data, counts_in_words, kind_of_column
from text.personal_data.find_names import Names
from text.personal_data.identity_numbers import BESIDE_A_WORD, COVERED, is_dni, is_kvnr, is_nhs, is_nir

PLANTED = [
    ("email", "Write to anna.muster@usb.ch for the data."),
    ("email", "<o'brien+trial@med.uni-muenchen.de>"),
    ("phone", "Tel. 061 265 25 25"),
    ("phone", "call +41 61 265 25 25 in an emergency"),
    ("phone", "+49 (0)30 1234567"),
    ("phone", "+1 (202) 555-0173"),
    ("phone", "+447700900123"),
    ("phone", "0041 61 265 25 25"),
    ("phone", "(617) 542-5942"),
    ("phone", "555-123-4567"),
    ("phone", "079 123 45 67"),
    ("phone", "01 42 34 56 78"),
    ("phone", "030/1234567"),
    ("phone", "Phone: 020 7946 0018"),
    ("phone", "Cellulare: 333 1234567"),
    ("birth_date", "She was born on 12 March 1954."),
    ("birth_date", "born in Basel on 3rd of May 1961"),
    ("birth_date", "DOB: 03/12/54"),
    ("birth_date", "date of birth: 1954-03-12"),
    ("birth_date", "Geburtsdatum\n12. März 1954"),
    ("birth_date", "Anna Muster, geboren am 4.5.1971"),
    ("birth_date", "Anna Muster, *12.03.1954"),
    ("birth_date", "né le 3 mai 1961"),
    ("birth_date", "Naissance : 12/03/1954"),
    ("birth_date", "nato il 12/03/1954"),
    ("birth_date", "fecha de nacimiento: 2 de enero de 1950"),
    ("national_id", "756.9217.0769.85"),  # Switzerland
    ("national_id", "7569217076985"),
    ("national_id", "123-45-6789"),  # United States
    ("national_id", "943 476 5919"),  # United Kingdom
    ("national_id", "NHS number: 9434765919"),
    ("national_id", "86095742719"),  # Germany, tax
    ("national_id", "47 036 892 816"),
    ("national_id", "A123456780"),  # Germany, health insurance
    ("national_id", "2 55 08 14 168 025 38"),  # France
    ("national_id", "255081416802538"),
    ("national_id", "RSSMRA85T10A562S"),  # Italy
    ("national_id", "12345678Z"),  # Spain
    ("national_id", "X1234567L"),
    ("national_id", "1237 010180"),  # Austria
    ("national_id", "85.07.30-033.28"),  # Belgium
    ("national_id", "BSN 111222333"),  # Netherlands
    ("national_id", "811218-9876"),  # Sweden
    ("national_id", "01010750160"),  # Norway
    ("national_id", "44051401359"),  # Poland
    ("national_id", "131052-308T"),  # Finland
    ("national_id", "529.982.247-25"),  # Brazil
    ("national_id", "2341 2341 2346"),  # India, Aadhaar
    ("national_id", "234123412346"),
    ("national_id", "Aadhaar No.: 2341-2341-2340"),  # a slip in its last figure, beside the word
    ("national_id", "BNZPM2501F"),  # India, PAN
    ("national_id", "PAN card no: ABCDE1234F"),
    ("national_id", "WKH1186253"),  # India, voter's card
    ("national_id", "Voter ID: ABC1234567"),
    ("national_id", "voter's ID card number DL/01/001/000123"),
    ("national_id", "Passport no. M1234567"),
    ("national_id", "passport K 7654321"),
    ("national_id", "Reisepass: C01X00T47"),
    ("national_id", "ABHA number 91-1234-5678-9012"),
    ("national_id", "National ID: 1990-12345-678"),
    ("phone", "Mob: 9876543210"),
    ("phone", "Ph. no. 98765 43210"),
    ("patient_number", "MRN 0042317"),
    ("patient_number", "Patient ID: 4711001"),
    ("patient_number", "Fallnummer: 20231234"),
    ("patient_number", "PID 3829183"),
    ("patient_number", "n° de dossier 1234567"),
    ("patient_number", "Versicherten-Nr.: 80756000012345678901"),
    ("iban", "CH93 0076 2011 6238 5295 7"),
    ("iban", "GB29NWBK60161331926819"),
    ("address", "Address: Petersgraben 4, 4031 Basel"),
    ("address", "wohnhaft an der Musterstrasse 12, 8000 Zürich"),
    ("address", "wohnhaft in 4051 Basel"),
    ("address", "She lives at 221 Baker Street, London"),
    ("address", "demeurant 12 rue de la Paix"),
    ("address", "residente in via Garibaldi 12"),
    ("patient_name", "Patient: Anna Muster"),
    ("patient_name", "Patientin: Muster, Anna"),
    ("patient_name", "Patient: Jan van der Berg, 54 years"),
    ("patient_name", "The patient's name is Anna Muster."),
    ("patient_name", "a patient named Anna Muster"),
    ("patient_name", "Name: MUSTER Anna"),
    ("patient_name", "Nachname: Muster\nVorname: Anna"),
]

NOTHING = [
    "",
    "Registered as NCT01234567, ISRCTN12345678, DRKS00012345, EudraCT 2004-000446-20 and ACTRN12605000001628.",
    "doi:10.1016/S0140-6736(20)30183-5, https://doi.org/10.1056/NEJMoa1814788, www.example.org/0612652525",
    "PMID: 31234567; PMC7654321; arXiv:2101.01234; ISBN 978-3-16-148410-0; ISSN 1234-5678; GSE123456.",
    "Supported by grants 310030_192345, R01 CA123456 and 01EO1234. Ethics: EKNZ 2020-01234, BASEC 2019-02345.",
    "N Engl J Med 2019;380(14):1297-1310. pp. 1234-1240. 2010-2015. Lancet 395 (2020) 497-506.",
    "ORCID 0000-0002-1825-0097. CAS 7732-18-5. Sigma A2153-100G. Miltenyi 130-042-401. chr1:123,456,789-123,567,890.",
    (
        "The trial enrolled 1 234 567 participants; of 12 345 678 doses, "
        "0.5 % were lost (95% CI 0.43 to 0.58; p = 0.0123)."
    ),
    "Children born between 1 January 2010 and 31 December 2012 were eligible. Those born in 1954 were not.",
    "Infants were born at 28 weeks. Date of birth was not recorded. Born 1954 in Basel.",
    "The phone survey (n = 1234567) was done in 2010-2015; mobile phase 0.5 ml/min; fax machines 12, 34 and 56.",
    "Patient Health Questionnaire; Patient: male, 54 years. Patient ID: P-001. Patient 17. patient number 2010-2015.",
    (
        "To address this, 4051 Patients were asked. E-mail address: none. IP "
        "address 10.0.0.1. MAC address 00:1A:2B:3C:4D:5E."
    ),
    "Address for correspondence: Department of Medicine, Petersgraben 4, 4031 Basel.",
    "Interviewer: Why?\nPatient: Well the Doctor said so.\nStudy name: Big Alder Trial. Brand name: Red Alder Forte.",
    "Müller A, Smith B. We thank Mrs Anna Muster. Anna Muster (1), Beat Meier (2), University Hospital Basel.",
    "pbmc@meta.data[1:5] <- seurat@assays; git@github.com:alder/soil.git; @article{binkley2003, pages = {1--9}}",
    "Height 1.23 4.56 7.89 +0.12 0.34 0.56 +20 30 40 50 60 70\n061 234 56 78 91 23 45\n01 02 03 04 05",
    "patient_id | age | sex | hb\n1 | 54 | f | 120\n2 | 61 | m | 131",
    "First author | Year | N\nBinkley | 2003 | 14\nRossi | 1999 | 20",
    "variable | label\nfirst_name | never asked\ndob | never asked",
    "Grant 123-45-6789-X; see file 404-10-1126-foo; part 10.061 234 56 78; +12345678; 252.227-7013.",
    (
        "Reads are in PMC7654326, SRR1186253 and GSM1186253; the passport study "
        "(n = 1234567); to pan 1 2 3; an epic 2019 cohort."
    ),
    "Voters were 1,204; contact: 12 of 30; a cell 40 µm wide; pH 7.4; health ID. Identity card of a gene: BRCA1.",
    "CH94 0076 2011 6238 5295 7 and 756.9217.0769.86 and 943 476 5918 and 12345678A do not check.",
]


@pytest.mark.parametrize(("kind", "text"), PLANTED)
def test_what_is_planted_is_found(kind: str, text: str) -> None:
    assert count_personal_data(text) == {kind: 1}


@pytest.mark.parametrize("text", NOTHING)
def test_figures_of_a_paper_are_not(text: str) -> None:
    assert count_personal_data(text) == {}


@examples(150)
@given(st.sampled_from(PLANTED), st.text(), st.text(), st.sampled_from(NOTHING), st.sampled_from(NOTHING))
def test_found_whatever_surrounds_it(planted: tuple[str, str], first: str, last: str, before: str, after: str) -> None:
    kind, text = planted
    assert count_personal_data(f"{before}{first}\n\n{text}\n\n{last}{after}").get(kind)


@examples(150)
@given(st.text(st.characters() | st.sampled_from("0123456789 .-/+@()|,:\n"), max_size=400))
def test_no_text_breaks_it_and_no_value_leaves_it(text: str) -> None:
    found = count_personal_data(text)
    assert set(found) <= set(LABELS)
    assert all(isinstance(number, int) and number > 0 for number in found.values())


def last_digit(digits: str, check: Callable[[str], bool]) -> str:
    return next((digits + last for last in "0123456789" if check(digits + last)), "")


@examples(60)
@given(st.randoms(use_true_random=False))
def test_numbers_that_check_are_found_as_people_write_them(chance: random.Random) -> None:
    def figures(count: int) -> str:
        return "".join(chance.choices("0123456789", k=count))

    swiss = last_digit(f"756{figures(9)}", ahv.is_valid)
    british = last_digit(f"{chance.randint(1, 9)}{figures(8)}", is_nhs)
    number = figures(8)
    spanish = next(number + letter for letter in "TRWAGMYFPDXBNJZSQVHLCKE" if is_dni(number + letter))
    german = last_digit(chance.choice("ABCXYZ") + figures(8), is_kvnr)
    order = chance.sample("0123456789", 10)
    order[9] = order[0]
    tax = last_digit("".join(order), idnr.is_valid) if order[0] != "0" else ""
    sex_to_serial = f"{chance.choice('12')}{figures(2)}{chance.randint(1, 12):02d}{figures(8)}"
    french = sex_to_serial + f"{97 - int(sex_to_serial) % 97:02d}"
    assert is_nir(french)
    account = next(
        key for check in range(100) if iban.is_valid(key := f"CH{check:02d}{figures(0)}00762{number}{number[:4]}")
    )
    eleven = f"{chance.randint(2, 9)}{figures(10)}"
    indian = eleven + verhoeff.calc_check_digit(eleven)
    aadhaar = [] if indian == indian[::-1] else [indian, f"{indian[:4]} {indian[4:8]} {indian[8:]}"]
    written = [*aadhaar, swiss, f"{swiss[:3]}.{swiss[3:7]}.{swiss[7:11]}.{swiss[11:]}", spanish, german, tax, french]
    written += [f"{british[:3]} {british[3:6]} {british[6:]}" if british and len(set(british)) > 1 else ""]
    for one in filter(None, written):
        assert count_personal_data(f"He has {one}, she said") == {"national_id": 1}, one
    for one in (account, " ".join(account[place : place + 4] for place in range(0, 21, 4))):
        assert count_personal_data(f"Pay to {one} please") == {"iban": 1}, one


def test_random_figures_rarely_pass() -> None:
    chance = random.Random(7)
    numbers = ["".join(chance.choices("0123456789", k=chance.randint(5, 18))) for _ in range(5_000)]
    assert sum(bool(count_personal_data(f"value {number} units")) for number in numbers) < 50, "1 in 100 at most"


def test_methods_full_of_figures() -> None:
    chance = random.Random(11)

    def sentence() -> str:
        a, b, n, year = (
            chance.random() * 100,
            chance.random() * 9,
            chance.randint(2, 99_999),
            chance.randint(1950, 2024),
        )
        return chance.choice(
            [
                f"The mean was {a:.2f} ({b:.1f}-{a + b:.1f}) in {n:,} patients, p = {b / 100:.4f}. ",
                f"Between {year} and {year + 3} we took {n} ml at {a:.1f} °C (95% CI {b:.2f} to {a:.2f}). ",
                (
                    f"On {n % 28 + 1}.{n % 12 + 1}.{year} the centre had {n} beds; see "
                    f"pages {n}-{n + 9} and 12({n % 9}):{n}-{n + 3}. "
                ),
                f"Group {n % 9}: {n} {n + 7} {n * 3} {a:.1f} {b:.3f} +{b:.2f} -{a:.2f} {n}/{n * 2}. ",
                f"Registered as NCT{n:08d} (ISRCTN{n:08d}), doi:10.{n % 9000 + 1000}/s{n}-{year}-{n}. ",
            ]
        )  # fmt: skip

    text = "".join(sentence() for _ in range(4_000))
    assert count_personal_data(text) == {}


def test_each_is_counted_once_however_often_it_stands_there() -> None:
    page = "Anna.Muster@usb.ch, Tel. +41 61 265 25 25, born 12.03.1954. Patient: Anna Muster. MRN 4711001\n"
    again = "anna.muster@USB.CH, Tel. 061 265 25 25, DOB 12.03.1954. Patient: Muster, Anna. MRN 47-11-001\n"
    once = {"patient_name": 1, "birth_date": 1, "patient_number": 1, "phone": 1, "email": 1}
    assert count_personal_data(page) == count_personal_data(page + again + page) == once
    assert count_personal_data("a@usb.ch, b@usb.ch and c@usb.ch") == {"email": 3}


@pytest.mark.parametrize(
    "table",
    [
        "first_name,last_name,dob,hb\nAnna,Muster,12.03.1954,120\nBeat,Meier,12.03.1954,131\n",
        "Name;Vorname;Geburtsdatum\nMuster;Anna;12.03.1954\nMeier;Beat;12.03.1954",
        '"First name"\t"Surname"\t"Date of birth"\nAnna\tMuster\t12.03.1954\nBeat\tMeier\t12.03.1954',
        (
            "| Nom | Prénom | Date de naissance |\n|---|---|---|\n| Muster | "
            "Anna | 12/03/1954 |\n| Meier | Beat | 12/03/1954 |"
        ),
        (
            "Rows 2 to 2\n\nlast_name | dob | hb\nMuster | 12.03.1954\n\nRows 3 to "
            "3\n\nlast_name | dob | hb\nMuster | 12.03.1954 | 9"
        ),
        'last_name,dob\n"Muster, Anna",1954-03-12\n"Meier, Beat",1954-03-12',
    ],
)  # fmt: skip
def test_rows_of_a_table_of_persons_are_counted(table: str) -> None:
    assert count_personal_data(f"Table 1\n\n{table}\n\nThe end, at last.") == {"patient_name": 2, "birth_date": 2}


def test_codes_in_the_place_of_names_are_none() -> None:
    assert count_personal_data("last_name,dob,mrn\nP01,1954,17\nP02,1961,18\n") == {"birth_date": 2}
    assert count_personal_data("first_name,mobile,street\nAnna,079 123 45 67,Hauptstrasse 5\n") == {
        "patient_name": 1,
        "address": 1,
        "phone": 1,
    }


def test_in_words() -> None:
    assert counts_in_words({}) == ""
    assert counts_in_words({"email": 2, "birth_date": 1}) == "1 date of birth and 2 e-mail addresses"
    assert (
        counts_in_words({"patient_name": 1200, "address": 2, "iban": 1})
        == "1,200 names of persons, 1 bank account and 2 postal addresses"
    )
    assert counts_in_words({"something_new": 3}) == "3 something news", "a kind of a newer Scholium"  # fmt: skip


LONG = 60_000  # characters
HOSTILE = {
    text[:16].strip() or "spaces": (text * LONG)[:LONG]
    for text in (
        "1", "12 34 ", "061-234.56 78/", "a@", "a@a.", "+41 ", "A", "born on ", "Address: 1 Aaa ", " ", "first_name,",
        "Name: Al van de der den di da del ", "first_name,dob\n", "http://", "MRN 1 ", "10.1000/", "tel: 0( ", ".",
    )
}  # fmt: skip
HOSTILE |= {
    "one account": "CH93" + "A" * LONG,
    "one cue": "tel: " + " " * LONG,
    "quotes": "first_name,dob\n" + '"' * LONG,
    "bars": "first_name|dob\n" + "|" * LONG,
}


@pytest.mark.sample(3)
@pytest.mark.timeout(HANGS)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_takes_long(text: str) -> None:
    """What grew with the square of the length would take minutes."""
    count_personal_data(text)


COLUMNS = [  # (name, cells, kind)
    ("Mother's Name", ["Asha Rao", "Mina Das", "Ruth Ng"], "patient_name"),
    ("AADHAAR_NO.", ["2341 2341 2346", "", "x"], "national_id"),
    ("Voter ID Card No", ["ABC1234567"], "national_id"),
    ("Passport", ["M1234567", "K7654321"], "national_id"),
    ("passport", ["yes", "no"], ""),
    ("contact", ["9876543210", "9812345670"], "phone"),
    ("contact", ["yes", "no", "no"], ""),
    ("IP No", ["123/19", "124/19"], "patient_number"),
    ("Patient ID", ["P001", "P002"], ""),
    ("Patient ID", ["4711001", "4711002"], "patient_number"),
    ("d.o.b.", ["12/3/54"], "birth_date"),
    ("E-mail", ["a@b.org"], "email"),
    ("c7", ["98765 43210", "9812345670", "7012345678", "ward 7"], "phone"),
    ("code", ["234123412346", "1", "2", "3", "4"], ""),
    ("ref", ["BNZPM2501F", "ABCDE1234F", "x", "y"], ""),
    ("health", ["good", "12345"], ""),
    ("National ID no.", ["12345678"], "national_id"),
    ("ward no", ["12345"], ""),
    ("ref", ["BNZPM2501F", "BNZPA7085R"], "national_id"),
    ("remarks", ["fine", "mail a@b.org", "x", "y"], "email"),
    ("hb", ["10.1", "11.2", "9.9"], ""),
    ("visit", ["12.03.2019", "13.03.2019"], ""),
    ("barcode", ["812345678901", "812345678902", "812345678903", "812345678904", "812345678905"], ""),
    ("name", [], ""),
]


@pytest.mark.parametrize(("name", "cells", "kind"), COLUMNS)
def test_columns_of_data(name: str, cells: list[str], kind: str) -> None:
    assert kind_of_column(name, cells) == kind


@pytest.mark.parametrize(
    ("header", "cells", "kind"),
    [
        ("age,aadhaar_no", ["54,2341 2341 2340", "61,9999 8888 7777"], "national_id"),
        ("sex | Village | UHID", ["f | Rampur 12 | 2019/1234", "m | Sitapur | 2019/1235"], "patient_number"),
        ("mrd no;email id", ["2019123;a@b.org", "2019124;c@d.org"], "email"),
        ("Mother's name,weight", ["Asha Rao,2900", "Mina Das,3100"], "patient_name"),
    ],
)
def test_what_is_a_personal_column_in_data_is_one_in_a_text(header: str, cells: list[str], kind: str) -> None:
    text = "\n".join([header, *cells])
    assert count_personal_data(text).get(kind) == 2
    hidden = redact(text, Names(people=(), emails=(), lines=()), "salt")[0]
    assert "Asha" not in hidden
    assert "2341" not in hidden
    assert "2019" not in hidden


def test_the_numbers_that_are_covered_are_listed() -> None:
    page = (Path(__file__).parents[2] / "docs" / "privacy.md").read_text()
    table = page.partition("| country | identity numbers |\n|---|---|\n")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()]
    listed = {(country, name.removesuffix(" ¹")) for country, names in rows for name in names.split(", ")}
    assert listed == set(COVERED)
    footnoted = {(row[0], name[:-2]) for row in rows for name in row[1].split(", ") if name.endswith(" ¹")}
    assert footnoted == set(BESIDE_A_WORD)
    assert [country for country, _ in rows[:-1]] == sorted(country for country, _ in rows[:-1])


def test_one_mobile_number_may_be_any_figure_three_are_a_list() -> None:
    assert count_personal_data("of 9876543210 reads") == {}
    assert count_personal_data("call 9876543210, 98123 45670 or 7012345678") == {"phone": 3}
