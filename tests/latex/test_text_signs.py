"""Commands that print one character (SPEC T6)."""

import pytest

from latex.text_signs import DING, RARE, SIGNS, ding


@pytest.mark.parametrize(("code", "sign"), [(51, "✓"), (55, "✗"), (72, "★"), (110, "■"), (108, "●"), (43, "☞")])
def test_a_dingbat_is_its_character(code: int, sign: str) -> None:
    assert DING.sub(ding, f"x \\ding{{{code}}} y") == f"x {sign} y"


def test_what_is_no_dingbat_stays() -> None:
    assert DING.sub(ding, r"\ding{200} \ding{x} \ding 51") == r"\ding{200} \ding{x} \ding 51"


def test_rare_signs_can_stand_in_latex_as_they_are() -> None:
    assert not set("\\{}$%&#_^~") & set("".join(RARE.values()))
    assert RARE.items() <= SIGNS.items()
