r"""Quantities of the package siunitx as plain LaTeX: \SI, \qty, \num, \ang, their ranges and lists (SPEC T6).

pandoc knows only some of these commands and prints digits, uncertainties and ranges in its own way.
"""

import re
from collections.abc import Iterator, Mapping

from latex.arguments import braced, math_spans, optional
from latex.cite_keys import visible
from latex.text_edits import Edit, apply_edits

# Each command with its arguments: n number, u unit, l list, a angle
_COMMANDS = {
    "SI": "nu", "qty": "nu", "num": "n", "si": "u", "unit": "u", "ang": "a",
    "SIrange": "nnu", "qtyrange": "nnu", "numrange": "nn", "numlist": "l", "SIlist": "lu", "qtylist": "lu",
    "numproduct": "n", "qtyproduct": "nu", "tablenum": "n",
}  # fmt: skip
_COMMAND = re.compile(r"\\(" + "|".join(sorted(_COMMANDS, key=len, reverse=True)) + r")(?![A-Za-z@])")
_SETUP = re.compile(r"\\sisetup\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_DECLARED = re.compile(
    r"\\DeclareSIUnit\s*(?:\[[^\[\]]*\])?\s*(?:\{\s*)?\\([A-Za-z]+)\s*\}?\s*\{((?:[^{}]|\{[^{}]*\})*)\}"
)
_PREFIXES = {
    "quecto": "q", "ronto": "r", "yocto": "y", "zepto": "z", "atto": "a", "femto": "f", "pico": "p", "nano": "n",
    "micro": "µ", "milli": "m", "centi": "c", "deci": "d", "deca": "da", "deka": "da", "hecto": "h", "kilo": "k",
    "mega": "M", "giga": "G", "tera": "T", "peta": "P", "exa": "E", "zetta": "Z", "yotta": "Y", "kibi": "Ki",
    "mebi": "Mi", "gibi": "Gi", "tebi": "Ti",
}  # fmt: skip
_UNITS = {
    "ampere": "A", "candela": "cd", "kelvin": "K", "kilogram": "kg", "gram": "g", "metre": "m", "meter": "m",
    "mole": "mol", "second": "s", "becquerel": "Bq", "celsius": "°C", "degreeCelsius": "°C", "coulomb": "C",
    "farad": "F", "gray": "Gy", "hertz": "Hz", "henry": "H", "joule": "J", "katal": "kat", "lumen": "lm", "lux": "lx",
    "newton": "N", "ohm": "Ω", "pascal": "Pa", "radian": "rad", "siemens": "S", "sievert": "Sv", "steradian": "sr",
    "tesla": "T", "volt": "V", "watt": "W", "weber": "Wb", "astronomicalunit": "au", "bel": "B", "dalton": "Da",
    "day": "d", "decibel": "dB", "electronvolt": "eV", "hectare": "ha", "hour": "h", "litre": "L", "liter": "L",
    "minute": "min", "neper": "Np", "tonne": "t", "degree": "°", "arcminute": "′", "arcsecond": "″", "percent": "%",
    "bar": "bar", "mmHg": "mmHg", "angstrom": "Å", "atomicmassunit": "u", "barn": "b", "knot": "kn", "bit": "bit",
    "byte": "B", "are": "a", "inch": "in", "celcius": "°C", "dB": "dB", "eV": "eV", "Hz": "Hz", "degC": "°C",
    "molar": "M", "permille": "‰", "micron": "µm",
}  # fmt: skip
_SHORT = {  # the abbreviations of siunitx: \kg, \um
    **{f"{sign}{name}": f"{'µ' if sign == 'u' else sign}{unit}"
       for signs, name, unit in (
           ("fpnumk", "g", "g"), ("pnumcdk", "m", "m"), ("afpnum", "s", "s"), ("fpnumk", "mol", "mol"),
           ("pnumk", "A", "A"), ("mkMGT", "Hz", "Hz"), ("mkM", "N", "N"), ("kMG", "Pa", "Pa"), ("numkMG", "W", "W"),
           ("umk", "J", "J"), ("pnumk", "V", "V"), ("mkMGT", "eV", "eV"), ("fpnum", "F", "F"), ("fpnum", "H", "H"),
           ("num", "C", "C"), ("mkM", "ohm", "Ω"), ("umh", "l", "L"), ("umh", "L", "L"), ("", "K", "K"),
       ) for sign in ("", *signs)},
    "kWh": "kWh",
}  # fmt: skip
_NUMBER = re.compile(
    r"\s*(?P<before>[<>≤≥~]|\\(?:approx|leq?|geq?|ll|gg|sim|le|ge)(?![A-Za-z]))?\s*(?P<sign>\+-|\\pm|[-+−±])?\s*"
    r"(?P<whole>\d[\d ]*)?(?:[.,](?P<part>[\d ]*))?\s*(?:\((?P<short>\d+)\)|(?:\+-|\\pm|±)\s*(?P<long>[\d.,]+))?"
    r"\s*(?:[eEdD]\s*(?P<power>[-+]?\d+))?\s*\Z"
)
_BEFORE = {"\\approx": "≈", "\\sim": "∼", "~": "∼", "\\ll": "≪", "\\gg": "≫"} | dict.fromkeys(
    ["\\le", "\\leq", "≤"], "≤"
) | dict.fromkeys(["\\ge", "\\geq", "≥"], "≥")  # fmt: skip
_UNIT_PART = re.compile(
    r"\\(?P<command>[A-Za-z]+)(?:(?:(?<=\\tothe)|(?<=\\raiseto))\s*\{(?P<power>[^{}]*)\})?"
    r"|\^\s*(?:\{(?P<raised>[^{}]*)\}|(?P<sign>\S))|(?P<text>\\%|[^\\^_.~\s{}]+)"
)
_POWERS = {"squared": "2", "cubed": "3", "tothe": ""}
_NARROW, _JOINED = "\u202f", "\u00a0"  # between groups of digits; between a number and its unit
Options = Mapping[str, str]


def with_plain_quantities(latex: str, macros: str = "") -> str:
    r"""Return `latex` with the quantities in it as plain text; `macros` may have \sisetup and \DeclareSIUnit.

    A quantity that cannot be read stays as it is.
    """
    seen = visible(latex)
    found = list(_COMMAND.finditer(seen))
    if not found:
        return latex
    shared: dict[str, str] = {}
    for setup in _SETUP.finditer(visible(macros)):
        shared |= _options(setup[1])
    own = {one[1]: one[2] for one in _DECLARED.finditer(visible(macros) + seen)}
    setups = [(one.start(), _options(one[1])) for one in _SETUP.finditer(seen)]
    in_math = math_spans(seen)
    edits: list[Edit] = []
    done = 0
    for command in found:
        while setups and setups[0][0] < command.start():
            shared = shared | setups.pop(0)[1]
        if command.start() < done:
            continue
        read = _read(seen, command, shared)
        if read is None:
            continue
        done, options, arguments = read
        written = _Writer(options, own, is_math=in_math(command.start()))
        if new := written.command(_COMMANDS[command[1]], arguments):
            edits.append(Edit(command.start(), done, new + "%\n" * seen.count("\n", command.start(), done)))
    return apply_edits(latex, edits)


def _read(seen: str, command: re.Match[str], shared: Options) -> tuple[int, dict[str, str], list[str]] | None:
    """Return the end of a command, its options, and its arguments."""
    at, given = optional(seen, command.end())
    options = {**shared, **_options(given)}
    arguments = []
    for kind in _COMMANDS[command[1]]:
        if kind == "u":
            at, _ = optional(seen, at)  # \SI{3}[\$]{...} has a unit before the number
        at, inside = braced(seen, at)
        if inside is None:
            return None
        arguments.append(inside)
    return at, options, arguments


def _options(text: str) -> dict[str, str]:
    made = {}
    for one in re.split(r",(?![^{}]*\})", text):
        name, equals, value = one.partition("=")
        value = value.strip()
        made[name.strip()] = value.removeprefix("{").removesuffix("}") if equals else "true"
    return made


class _Writer:
    """Writes quantities, in a formula (`is_math`) or in the text."""

    def __init__(self, options: Options, own: Mapping[str, str], *, is_math: bool) -> None:
        self.options, self.own, self.is_math = options, own, is_math

    def command(self, kinds: str, arguments: list[str]) -> str:
        """Return the plain LaTeX of a command with `arguments` of `kinds`; "" when one cannot be read."""
        unit = self._unit(arguments[-1]) if kinds[-1] == "u" else ""
        if unit is None:
            return ""
        if kinds == "u":
            return unit
        if kinds == "a":
            return self._angle(arguments[0])
        is_list = kinds[0] == "l"
        numbers = re.split(r"\s*;\s*", arguments[0]) if is_list else arguments[: kinds.count("n")]
        once = self.options.get("list-units" if is_list else "range-units") in ("single", "brackets", "bracket")
        written = [self._product(number) for number in numbers]
        if not all(written):
            return ""
        if unit:
            written = [
                number if once and place < len(written) - 1 else f"{self._in_brackets(number)}{self._gap(unit)}{unit}"
                for place, number in enumerate(written)
            ]
        return self._join(written) if is_list else self._word("range-phrase", " to ").join(written)

    def _word(self, option: str, usual: str) -> str:
        word = self.options.get(option, usual).replace("~", " ")
        word = re.sub(r"\\(?:text|ensuremath)\b|\\,|[{}$]", "", word)
        return self._text(word.replace("---", "—").replace("--", "–").replace("\\ ", " ")) or usual

    def _join(self, parts: list[str]) -> str:
        if len(parts) < 2:
            return "".join(parts)
        last = self._word("list-pair-separator" if len(parts) == 2 else "list-final-separator", " and ")
        return f"{self._word('list-separator', ', ').join(parts[:-1])}{last}{parts[-1]}"

    def _text(self, words: str) -> str:
        return rf"\text{{{words}}}" if self.is_math and words else words

    def _raised(self, power: str) -> str:
        power = power.replace("-", "−") if not self.is_math else power
        return f"^{{{power}}}" if self.is_math else rf"\textsuperscript{{{power}}}"

    def _gap(self, unit: str) -> str:
        bare = unit.removeprefix(r"\text{")
        return "" if bare[:1] in "°′″" and not bare.startswith("°C") else r"\," if self.is_math else _JOINED

    def _in_brackets(self, number: str) -> str:
        """Return a number with an uncertainty in brackets, when a unit follows."""
        return f"({number})" if "±" in number else number

    def _product(self, number: str) -> str:
        parts = [self._number(one) for one in re.split(r"\s*(?:(?<=\d)\s*x\s*(?=[\d.])|\\times)\s*", number)]
        return self._text(" × ").join(parts) if all(parts) else ""

    def _number(self, number: str) -> str:
        found = _NUMBER.match(number.replace(r"\,", ""))
        if found is None or not (found["whole"] or found["part"] or found["power"]):
            return "" if "\\" in number else self._text(number.strip())
        whole, part = ((found[name] or "").replace(" ", "") for name in ("whole", "part"))
        mark = self.options.get("output-decimal-marker", ".")
        has_digits = bool(whole or part)
        made = self._digits(whole or "0", part, mark) if has_digits else ""
        if found["short"] or found["long"]:
            made += self._uncertainty(found["short"], found["long"], len(part), mark)
        sign = {"-": "−", "−": "−", "+": "+", None: ""}.get(found["sign"], "±")
        before = _BEFORE.get(found["before"] or "", found["before"] or "")
        made = f"{before}{sign}{made}"
        made = self._text(made)
        if found["power"]:
            power = self._raised(re.sub(r"\A\+?(-?)0*(?=\d)", r"\1", found["power"]))
            by = "·" if "cdot" in self.options.get("exponent-product", "") else "×"
            made += f"{self._text(f'{_JOINED}{by}{_JOINED}') if has_digits else ''}10{power}"
        return made

    def _digits(self, whole: str, part: str, mark: str) -> str:
        grouped = self.options.get("group-digits", "true")
        least = self.options.get("group-minimum-digits", "5")
        between = self.options.get("group-separator", _NARROW)
        between = between if between in (",", ".", "'", " ") else _NARROW
        longest = int(least) if least.isdigit() else 5
        if grouped in ("true", "all", "integer") and len(whole) >= longest:
            whole = re.sub(r"(?<=\d)(?=(?:\d{3})+\Z)", between, whole)
        if grouped in ("true", "all", "decimal") and len(part) >= longest:
            part = re.sub(r"(\d{3})(?=\d)", rf"\1{_NARROW}", part)
        return f"{whole}{mark}{part}" if part else whole

    def _uncertainty(self, short: str | None, long: str | None, places: int, mark: str) -> str:
        separate = self.options.get("separate-uncertainty", "false") == "true"
        separate = separate or self.options.get("uncertainty-mode") == "separate"
        if not separate:
            digits = short or re.sub(r"[.,]", "", long or "").lstrip("0")
            return f"({digits})"
        if short:
            padded = short.rjust(places + 1, "0")
            long = f"{padded[:-places]}.{padded[-places:]}" if places else short
        whole, _, part = (long or "").replace(",", ".").partition(".")
        return f"{_JOINED}±{_JOINED}{self._digits(whole or '0', part, mark)}"

    def _angle(self, angle: str) -> str:
        parts = [one.strip() for one in angle.split(";")]
        written = [self._number(one) if one else "" for one in parts[:3]]
        made = "".join(f"{one}{self._text(sign)}" for one, sign in zip(written, "°′″", strict=False) if one)
        return made if made and all(one or not given for one, given in zip(written, parts, strict=False)) else ""

    def _unit(self, unit: str) -> str | None:
        """Return a unit; None when it has a command that is not known."""
        above: list[str] = []
        below: list[str] = []
        mode = self.options.get("per-mode", "power")
        for name, power, is_below in self._parts(unit, 3):
            if name is None:
                return None
            is_sign = mode in ("symbol", "fraction", "repeated-symbol", "symbol-or-fraction", "single-symbol")
            apart = is_below and is_sign
            power = power if apart or not is_below else f"-{power or '1'}".replace("--", "")
            (below if apart else above).append(self._text(name) + (self._raised(power) if power else ""))
        between = r"\," if self.is_math else _JOINED
        made = between.join(above)
        if below:
            inside = "/".join(below) if mode == "repeated-symbol" else between.join(below)
            needs = len(below) > 1 and mode != "repeated-symbol"
            made = f"{made or '1'}/{f'({inside})' if needs else inside}"
        return made

    def _parts(self, unit: str, left: int) -> Iterator[tuple[str | None, str, bool]]:
        """Yield (unit with its prefix, power, whether it is divided by); None for an unknown command."""
        prefix = power = ""
        is_below = False
        made: list[tuple[str | None, str, bool]] = []
        for found in _UNIT_PART.finditer(unit):
            command, raised, text = found["command"], found["raised"] or found["sign"], found["text"]
            if command == "raiseto":
                power = found["power"]
            elif raised or command in _POWERS:
                raised = raised or _POWERS[command] or found["power"]
                made[-1:] = [(one[0], raised or "", one[2]) for one in made[-1:]]
            elif command in ("square", "cubic"):
                power = "2" if command == "square" else "3"
            elif command == "per":
                is_below = True
            elif command in _PREFIXES:
                prefix = _PREFIXES[command]
            elif command or text:
                made.append((prefix + name if (name := self._name(command, text, left)) else None, power, is_below))
                prefix, power, is_below = "", "", False
        yield from made

    def _name(self, command: str | None, text: str | None, left: int) -> str | None:
        if command and command in self.own and left:
            return "".join(one[0] or "" for one in self._parts(self.own[command], left - 1)) or None
        name = _UNITS.get(command) or _SHORT.get(command) if command else text
        return r"\%" if name in ("%", r"\%") else name
