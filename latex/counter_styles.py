r"""The styles in which LaTeX prints counters: \arabic, \roman, \Alph ..."""

_MOST_ROMAN = 5_000
_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


def styled(style: str, value: int) -> str | None:
    r"""Return `value` as \arabic, \Roman ... print it; None if LaTeX would stop with an error."""
    if style == "arabic":
        return str(value)
    is_roman = style.lower() == "roman"
    if value > _MOST_ROMAN if is_roman else not 0 <= value <= 26:
        return None
    signs = roman(value) if is_roman else chr(64 + value) if value else ""
    return signs if style in ("Roman", "Alph") else signs.lower()


def roman(value: int) -> str:
    """Return `value` in capital Roman numerals; "" for 0 and below, as TeX does."""
    made = ""
    for worth, signs in _ROMAN:
        times, value = divmod(max(value, 0), worth)
        made += signs * times
    return made
