"""Identity numbers of each country are found however people write them, and other figures are not (SPEC X2)."""

import random

import pytest

from tests.llm.redacted import redact
from text.personal_data import count_personal_data, kind_of_column
from text.personal_data.find_names import Names
from text.personal_data.identity_numbers import BESIDE_A_WORD, COVERED, NUMBERS, is_one

# By line of the table in docs/privacy.md: the name beside which it stands, how it is found alone, and how beside its
# name only.
WRITTEN = {
    ("Austria", "social insurance number"): ("SVNR", ["1237 010180", "1237-010180", "1237 01 01 80"], ["1237010180"]),
    ("Belgium", "national number"): (
        "numéro national",
        ["85.07.30-033.28", "85073003328", "850730-033-28", "850730 033 28", "85 07 30 033 28"],
        ["850730/03328"],
    ),
    ("Brazil", "CPF"): ("CPF", ["529.982.247-25", "529982247-25", "529 982 247 25"], ["52998224725"]),
    ("Finland", "personal identity code"): ("henkilötunnus", ["131052-308T", "131052-308t", "030268E8118"], []),
    ("France", "NIR"): (
        "NIR",
        ["255081416802538", "2550814168025 38", "2 55 08 14 168 025 38", "2-55-08-14-168-025-38",
         "2 49 06 2B 326 080 53"],
        ["2 55 08 14 168 025"],
    ),
    ("Germany", "tax number (IdNr)"): (
        "Steuer-ID",
        ["86095742719", "86 095 742 719", "86-095-742-719", "86/095/742/719"],
        ["860 957 427 19"],
    ),
    ("Germany", "health insurance number"): ("KVNR", ["A123456780"], ["a123456780", "A 123 456 780", "A-123456780"]),
    ("India", "Aadhaar number"): (
        "Aadhaar",
        ["234123412346", "2341 2341 2346", "2341-2341-2346", "2341–2341–2346", "2341\u00a02341\u00a02346",
         "2341.2341.2346"],
        ["2341 2341 2340"],
    ),
    ("India", "PAN"): ("PAN", ["BNZPM2501F", "BNZPM 2501 F", "BNZPM-2501-F"], ["bnzpm2501f"]),
    ("India", "number of a voter's card (EPIC)"): ("voter ID", ["WKH1186253", "WKH/1186253"],
     ["wkh1186253", "WKH 1186253"]),
    ("India", "passport number"): ("passport", [], ["M1234567", "M 1234567", "m1234567", "M12 34567"]),
    ("India", "health account number (ABHA)"): ("ABHA", [],
     ["91-1234-5678-9012", "91 1234 5678 9012", "91123456789012"]),
    ("Italy", "codice fiscale"): (
        "codice fiscale",
        ["RSSMRA85T10A562S", "rssmra85t10a562s", "RSS MRA 85T10 A562S", "RSSMRA 85 T10 A562S"],
        [],
    ),
    ("Netherlands", "BSN"): ("BSN", [], ["111222333", "111 222 333", "1112.22.333"]),
    ("Norway", "birth number"): ("fødselsnummer", ["01010750160", "010107 50160", "010107-50160"], []),
    ("Poland", "PESEL"): ("PESEL", ["44051401359", "440514 01359", "440514-01359"], []),
    ("Spain", "DNI and NIE"): (
        "DNI",
        ["12345678Z", "12345678-Z", "12.345.678-Z", "X1234567L", "X-1234567-L", "X-1.234.567-L", "X 1234567 L"],
        ["12345678 Z", "12345678z"],
    ),
    ("Sweden", "personal number"): (
        "personnummer",
        ["811218-9876", "19811218-9876", "811218 9876"],
        ["8112189876", "198112189876"],
    ),
    ("Switzerland", "AHV number"): (
        "AHV",
        ["7569217076985", "756.9217.0769.85", "756 9217 0769 85", "756-9217-0769-85"],
        ["756.9217.076985"],
    ),
    ("United Kingdom", "NHS number"): ("NHS", ["943 476 5919"], ["9434765919", "943-476-5919"]),
    ("United States", "social security number"): ("SSN", ["123-45-6789"], ["123456789", "123 45 6789"]),
    ("any country", "passport number"): ("passport", [], ["472806285", "C01X00T47", "CFJPRF3G5"]),
    ("any country", "number of an identity card"): ("identity card", [], ["OE5568153", "OE 5568153", "1990-12345-678"]),
}  # fmt: skip


def test_every_line_of_the_page_is_tried() -> None:
    assert set(WRITTEN) == set(COVERED)
    assert {line for line, (_, alone, _) in WRITTEN.items() if not alone} == set(BESIDE_A_WORD)


@pytest.mark.parametrize("line", WRITTEN, ids=" ".join)
def test_each_number_is_found_however_it_is_written(line: tuple[str, str]) -> None:
    word, alone, beside = WRITTEN[line]
    for one in (*alone, *beside):
        assert bool(count_personal_data(f"He gave {one} at the desk.").get("national_id")) == (one in alone), one
        for text in (f"{word}: {one}", f"Her {word} number is {one}, she said.", f"{word} no. ({one})"):
            assert count_personal_data(text) == {"national_id": 1}, text
        assert kind_of_column(word, [one, ""]) == "national_id", one
    for one in alone:
        assert kind_of_column("ref", [one]) == "national_id", one


BY_THE_CHECK = [  # (a number without its last sign, what that sign can be)
    ("943476", "nhs", 4),
    ("111222", "bsn", 3),
    ("23412341", "aadhaar", 4),
]


@pytest.mark.parametrize(("begins", "name", "more"), BY_THE_CHECK)
def test_a_column_of_numbers_that_all_check_is_one_whatever_it_is_called(begins: str, name: str, more: int) -> None:
    """As spreadsheets hold them: in one piece, under a name that says nothing.
    Other numbers of the same length are none."""
    number = next(one for one in NUMBERS if name in one.name.lower())
    every = [f"{begins}{last:0{more}d}" for last in range(10**more)]
    valid = [one for one in every if is_one(number, one)]
    assert kind_of_column("c7", valid[:20]) == "national_id"
    assert kind_of_column("c7", [*valid[:19], "not known"]) == "national_id"
    assert kind_of_column("c7", every[:60]) != "national_id"


@pytest.mark.parametrize(
    "text",
    [
        "in 2022 1983 1972 and 2023 1998 1979",
        "written at 201907160327, 201901022339 and 201909060814",
        "CPF 000.000.000-00, 000 000 0000 and 11111111111 stand for nothing",
        "ISBN 0501011803, 6479010493; reference 5631270472; time 1610010905",
        "(Knopp2015a; Trapp2012b; kempe2019c)",
    ],
)
def test_figures_of_the_same_length_are_not(text: str) -> None:
    assert count_personal_data(text) == {}


def test_a_column_of_any_ten_figures_is_no_list_of_telephones() -> None:
    chance = random.Random(3)
    numbers = [str(chance.randint(1_000_000_000, 9_999_999_999)) for _ in range(60)]
    assert kind_of_column("sample", numbers) == ""


IN_A_TEXT = [  # as LaTeX, Markdown, JSON and other scripts have it
    "His Aadhaar is 2341~2341~2346.",
    "2341\\,2341\\,2346 here",
    "2341--2341--2346",
    "2341{-}2341{-}2346",
    "Aadhaar no: \\emph{2341 2341 2340}",
    "NHS number: \\textbf{9434765919}",
    "Aadhaar: **2341 2341 2340**",
    '{"aadhaar": "2341 2341 2340"}',
    "Aadhaar number of the patient: 2341 2341 2340",
    "Aadhaar No – 2341 2341 2340",
    "CPF n° 52998224725",
    "२३४१ २३४१ २३४६",
    "２３４１ ２３４１ ２３４６",
    "MRN~\\textbf{0042317}",
]


@pytest.mark.parametrize("text", IN_A_TEXT)
def test_it_is_found_and_covered_as_a_text_has_it(text: str) -> None:
    assert sum(count_personal_data(text).values()) == 1
    hidden = redact(text, Names(people=(), emails=(), lines=()), "salt")[0]
    for group in ("2341", "2346", "9434765919", "0042317", "52998224725", "२३४१", "２３４１"):
        assert group not in hidden


def test_a_tilde_of_a_link_parts_nothing() -> None:
    assert count_personal_data("see https://example.org/~asha/123-45-6789 and Fig.~2--4, 12~345~678 visits") == {}
