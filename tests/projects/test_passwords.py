"""Which passwords are refused, with a reason at the field; a passphrase of a few words always passes."""

import re

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from projects.models import User
from tests.people import signed_in

ASHA = User(email="asha.menon@example.org", name="Asha Menon")
WORDS = [
    "alder",
    "birch",
    "cedar",
    "elm",
    "fir",
    "hazel",
    "larch",
    "maple",
    "oak",
    "pine",
    "rowan",
    "spruce",
    "willow",
    "river",
    "stone",
    "cloud",
    "ladder",
    "window",
    "kettle",
    "ribbon",
    "pepper",
    "candle",
    "basket",
    "anchor",
    "violin",
    "copper",
    "saddle",
    "button",
    "garden",
    "pillow",
    "magnet",
    "tunnel",
]


def refused(password: str, user: User = ASHA) -> str:
    try:
        validate_password(password, user)
    except ValidationError as error:
        return " ".join(error.messages)
    return ""


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("x7#Kq9!vT", "This has 9 characters. Use 10 or more"),
        ("aaaaaaaaaa", "too few different characters, or repeats itself"),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "too few different characters, or repeats itself"),
        ("abababababab", "too few different characters, or repeats itself"),
        ("abcabcabcabcab", "too few different characters, or repeats itself"),
        ("Kettle!Kettle!Kettle!", "too few different characters, or repeats itself"),
        ("aaaaabbbbbccccc", "too few different characters, or repeats itself"),
        ("12345678910", "very common"),
        ("7291 1987 4110", "date or a number"),
        ("1990-11-23 04", "date or a number"),
        ("+91 98765 43210", "date or a number"),
        ("abcdefghijklm", "a sequence"),
        ("zyxwvutsrqpo", "a sequence"),
        ("asdfghjkl;asdfg", "a sequence"),
        ("a1b2c3d4e5f6", "a sequence"),
        ("q w e r t y u i o p", "very common"),
        ("1-2-3-4-5-6-7-8-9", "very common"),
        ("!@#$%^&*()", "a sequence"),
        ("p a s s w o r d", "very common"),
        ("pass word 12 3", "very common"),
        ("Password123!", "very common"),
        ("P@ssw0rd2024", ""),
        ("liverpool2020", "very common"),
        ("scholium123", "easy to guess"),
        ("Scholium2024!", "easy to guess"),
        ("sch0l1um-2024", "easy to guess"),
        ("my-thesis-26", "easy to guess"),
        ("thesis scholium", "easy to guess"),
        ("ashamenon1990", "easy to guess"),
        ("Menon.Asha.99", "easy to guess"),
        ("example-asha1", "easy to guess"),
    ],
)
def test_what_is_guessed_first_is_refused(password: str, why: str) -> None:
    said = refused(password)
    assert said
    assert why in said


@pytest.mark.parametrize(
    "password",
    [
        "correct horse",
        "alder roots fix nitrogen",
        "my thesis is about alder roots",
        "asha likes maple trees",
        "x7#Kq9!vTz",
        "Tr0ub4dor&3x",
        "ich liebe dich sehr",
        "மரம் நதி கல் மேகம்",
        "चार शब्द यहाँ लिखो",
        "树木 河流 石头 云朵 窗户",
    ],
)
def test_words_that_only_one_would_choose_pass(password: str) -> None:
    assert refused(password) == ""


@given(st.lists(st.sampled_from(WORDS), min_size=4, max_size=8, unique=True), st.sampled_from([" ", "-", "", "."]))
def test_a_passphrase_always_passes(words: list[str], between: str) -> None:
    assert refused(between.join(words)) == ""


@given(st.text(min_size=1, max_size=5), st.integers(2, 60))
def test_repeating_never_makes_a_password(part: str, times: int) -> None:
    assert refused(part * times)


@given(st.text(max_size=300))
def test_whatever_is_typed_is_judged(password: str) -> None:
    refused(password)


def test_a_very_long_one_takes_no_time() -> None:
    assert refused("ab" * 500_000)
    assert refused(" ".join(WORDS) * 1000) == ""


def test_the_reason_stands_at_the_field(owner: User) -> None:
    typed = {"oldpassword": "correct horse", "password1": "Scholium2024!", "password2": "Scholium2024!"}
    page = signed_in(owner).post("/accounts/password/change/", typed).content.decode()
    found = re.search(r'id="id_password1_error">(.*?)</div>', page, re.DOTALL)
    assert found
    assert "easy to guess" in found[1]


def test_signing_up_looks_at_the_name_too(db: None) -> None:
    typed = {"name": "Nora Holmgren", "email": "n@example.org", "password1": "NoraHolmgren7"}
    assert "easy to guess" in Client().post("/accounts/signup/", typed).content.decode()
    assert not User.objects.exists()


def test_who_has_a_password_of_before_signs_in(db: None) -> None:
    User.objects.create_user("old@example.org", "abababab")
    answer = Client().post("/accounts/login/", {"login": "old@example.org", "password": "abababab"})
    assert answer.status_code == 302
