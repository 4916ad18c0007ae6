"""Personal data recognised only by the label before it: "born 12.03.1954", "MRN 0042317" (SPEC X2).

Labels are in the languages of medical theses and their files.
"""

import re
from collections.abc import Iterator
from os.path import commonprefix

from core.grouping import grouped
from text.personal_data.identity_numbers import NUMBERS, compact, is_day, is_of_a_person, is_one, lengths_of
from text.personal_data.phone_and_record_numbers import Mark, digits_of
from text.personal_data.plain_view import LETTERS, parted

# Labels in lower case; those in capitals must be in capitals. A space also matches "-" and "_".
_CUES: dict[str, str] = {
    "phone": "tel, tél, tlf, telephone, téléphone, telefono, teléfono, telefon, telefonnummer, telefonnr, phone, "
    "telefax, fax, "
    "mobile, mobil, mobiltelefon, handy, handynummer, natel, portable, cellulare, móvil, rufnummer, mob, mob no, ph, "
    "ph no, "
    "cell, cell phone, contact, contact no, contact number, whatsapp",
    "birth": "born, birthdate, birth date, birthdatum, date of birth, birthday, dob, d.o.b, geboren, geburtsdatum, "
    "geburtstag, geb, "
    "geb. dat, né, née, né(e), date de naissance, naissance, nato, nata, data di nascita, nacido, nacida, "
    "fecha de nacimiento, nascido, nascida, data de nascimento, geboortedatum, född, født, fødselsdato",
    **{number.name: number.words for number in NUMBERS if number.words},
    "aadhaar": "aadhaar, aadhar, adhaar, adhar, aadhaar card, aadhar card, uidai",
    "pan": "pan, pan card, permanent account number",
    "epic": "voter, voter id, voter card, voter id card, voters id, voter's id, epic, elector's photo identity card",
    "passport": "passport, reisepass, reisepassnummer, passnummer, passeport, passaporto, pasaporte, paspoort",
    "abha": "abha, abha id, abha number, health id",
    "identity": "national id, national identity, national identity number, national identification number, id card, "
    "identity card, "
    "identity number, personalausweis, personalausweisnummer, ausweisnummer, carte d'identité, carta d'identità, "
    "driving licence, "
    "driving license, driver's license, ration card",
    "number": "MRN, PID, IPP, NHC, UHID, medical record, hospital id, hospital number, hospital no, hospital nr, "
    "patient id, "
    "patient identifier, patient number, patient no, patient nr, insurance id, insurance number, insurance no, policy "
    "number, "
    "policy no, admission number, admission no, chart number, chart no, patientennummer, patienten id, patienten nr, "
    "fallnummer, fall id, fall nr, aufnahmenummer, aufnahme nr, versichertennummer, versicherten nr, "
    "versicherungsnummer, "
    "versicherungs nr, krankenkassennummer, krankenkassen nr, krankenversichertennummer, sozialversicherungsnummer, "
    "ahv nummer, ahv nr, numéro de dossier, n° de dossier, numéro patient, numéro de patient, "
    "numéro de sécurité sociale, n° de sécurité sociale, numéro d'assuré, numero di cartella, numero paziente, "
    "numero di tessera sanitaria, número de historia, número de paciente, número de seguridad social",
    "address": "address, adresse, anschrift, wohnadresse, residence, domicile, domicilio, indirizzo, dirección",
    "home": "wohnhaft, wohnort, lives at, lives in, live at, living at, resides at, resides in, residing at, residing "
    "in, "
    "resident at, resident in, domicilié, domiciliée, demeurant, residente",
    "first": "first name, firstname, given name, forename, vorname, rufname, prénom, voornaam",
    "last": "last name, lastname, family name, surname, nachname, familienname, cognome, apellido, apellidos, "
    "nom de famille, achternaam",
    "named": "patient named, patient called, patient namens, patientin namens, man named, woman named, boy named, "
    "girl named, "
    "child named, mann namens, frau namens, kind namens, patient nommé, patiente nommée",
    "called": "name, nom, nome, nombre, naam",
    "name": "patient name, patient's name, participant name, participant's name, subject name, subject's name, "
    "name of patient, name of the patient, name des patienten, name der patientin, patient, patientin, patientenname, "
    "proband, probandin, versicherter, versicherte, full name, paziente, paciente",
}
_ALIKE = str.maketrans("-_’", "  '")
_LONGEST = 40  # characters of a label


_WORDS = re.compile(r"[^\W\d_]+")
# By first word in lower case: labels and their kinds, longest first.
_BY_FIRST_WORD = grouped(
    (_WORDS.findall(cue)[0].lower(), (cue, kind))
    for cue, kind in sorted(
        ((cue, kind) for kind in _CUES for cue in _CUES[kind].split(", ")), key=lambda one: -len(one[0])
    )
)
# The common beginning of all labels with the same first word, used to search a text: "n° de ", and not "n".
_BEGINNINGS = {first: commonprefix([cue.lower() for cue, _ in cues]) for first, cues in _BY_FIRST_WORD.items()}

_IN_BYTES = {first.encode(): first for first in _BY_FIRST_WORD}


def _first_words(text: str) -> list[tuple[int, str]]:
    """Return the positions and first words of possible labels, in the order of `text`.

    Only first words that occur in the text at all are searched, which is much faster than checking each word of a long
    text.
    """
    small = text.lower()
    if len(small) != len(text):  # "İ" has two characters in lower case, which shifts positions
        words = ((found.start(), found[0].lower()) for found in _WORDS.finditer(text))
        return [(start, word) for start, word in words if word in _BY_FIRST_WORD]
    alike = small.translate(_ALIKE) if not small.isascii() else small.replace("-", " ").replace("_", " ")
    found = []
    for first in _that_stand_in(small):
        beginning = _BEGINNINGS[first]
        at = alike.find(beginning)
        while at >= 0:
            end = at + len(first)
            if not _is_letter(small[at - 1 : at]) and not _is_letter(small[end : end + 1]):
                found.append((at, first))
            at = alike.find(beginning, end)
    return sorted(found)


def _that_stand_in(text: str) -> set[str]:
    """Return the first words of labels that occur in `text` (lower case)."""
    words, others = parted(text, LETTERS)
    return {_IN_BYTES[word] for word in _IN_BYTES.keys() & words} | (_BY_FIRST_WORD.keys() & _WORDS.findall(others))


def _is_letter(sign: str) -> bool:
    """Return whether a character is a letter, as defined by _WORDS."""
    return sign.isalnum() and not sign.isdecimal()


def _cues(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each label (the longest match): its kind, start and end."""
    for start, word in _first_words(text):
        if text[start - 1 : start].isdecimal():
            continue
        said = text[start : start + _LONGEST]
        small = said.lower().translate(_ALIKE)
        for cue, kind in _BY_FIRST_WORD[word]:
            here = said if cue.isupper() else small
            if here.startswith(cue) and not here[len(cue) : len(cue) + 1].isalnum():
                yield kind, start, start + len(cue)
                break


# Telephones

_PHONE = re.compile(
    r"(\.?(?: ?(?:no|nr|number|nummer|numéro|n°)\b\.?)?(?: ?\([^\W\d_]{1,10}\))? ?[:=|]?)[ \n]{0,3}"
    r"([+(]{0,2}[0-9](?:[ ().\-/]{0,3}[0-9]){6,14})(?![0-9])",
    re.IGNORECASE,
)


def _phone(text: str, at: int) -> Iterator[Mark]:
    found = _PHONE.match(text, at)
    if found and (found[1].strip() or found[2][0] in "0+(") and not {".", " "} <= set(found[2]):
        yield Mark("phone", *found.span(2), digits_of(found[2])[-8:])


# Dates of birth

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january januar jänner janvier gennaio enero janeiro januari",
            "feb february februar février fevrier febbraio febrero fevereiro februari",
            "mar march märz maerz mars marzo março maart mrz",
            "apr april avril aprile abril",
            "may mai maggio mayo maio mei maj",
            "jun june juni juin giugno junio junho",
            "jul july juli juillet luglio julio julho",
            "aug august août aout agosto augustus augusti",
            "sep sept september septembre settembre septiembre setembro",
            "oct october oktober octobre ottobre octubre outubro okt",
            "nov november novembre noviembre novembro",
            "dec december dezember décembre decembre dicembre diciembre dezembro dez",
        ),
        start=1,
    )
    for name in names.split()
}
_BEFORE_DATE = re.compile(
    r"[\s.:=,;()|\"'-]{0,6}(?:(?:on|the|le|il|el|am|em|op|den|der|is|was|in [^\W\d_]{2,30},?)\s{1,3}){0,3}",
    re.IGNORECASE,
)
_STAR = re.compile(r"(?<![\w*.)\]])\*(?=[0-9]{1,2}\.[0-9]{1,2}\.(?:19|20)[0-9]{2})")  # "Anna, *12.03.1954"
_DATE = re.compile(
    r"([0-9]{4})([-./])([0-9]{1,2})\2([0-9]{1,2})(?![0-9])"
    r"|([0-9]{1,2}) ?([-./]) ?([0-9]{1,2}) ?\6 ?([0-9]{4}|[0-9]{2})(?![0-9])"
    r"|([0-9]{1,2})(?:st|nd|rd|th|er|º|\.)?(?: de| of)?[ -]([^\W\d_]{3,10})\.?,?(?: de| del)?[ -]([0-9]{4})(?![0-9])"
    r"|([^\W\d_]{3,10})\.? ([0-9]{1,2})(?:st|nd|rd|th)?,? ([0-9]{4})(?![0-9])"
)


def _birth(text: str, at: int) -> Iterator[Mark]:
    begin = _BEFORE_DATE.match(text, at)
    found = _DATE.match(text, begin.end() if begin else at)
    if found and _is_date(found):
        yield Mark("birth_date", *found.span(), "".join(found[0].lower().split()))


def _is_date(found: "re.Match[str]") -> bool:
    if found[1]:
        return is_day(int(found[1]), int(found[3]), int(found[4]))
    if found[5]:
        year = int(found[8]) + (1900 if len(found[8]) == 2 else 0)
        first, second = int(found[5]), int(found[7])
        return is_day(year, second, first) or is_day(year, first, second)
    day, month, written = (found[9], found[10], found[11]) if found[9] else (found[13], found[12], found[14])
    return is_day(int(written), _MONTHS.get(month.lower(), 0), int(day))


# Numbers

_NUMBER = re.compile(r"((?-i:[A-Z]{0,4})-?[0-9](?:[-./ ]?(?-i:[0-9A-Z])){4,19})(?![^\W_])", re.IGNORECASE)
_YEARS = re.compile(r"(?:19|20)[0-9]{2}[-/. ](?:19|20)?[0-9]{2}")
# Formats of numbers with letters, by label; "no." and the like may be in between.
_WRITTEN = {
    "aadhaar": re.compile(r"[2-9](?:[ .-]?[0-9]){11}"),  # with its label, an invalid number (a typo) counts too
    "pan": re.compile("[A-Z]{5}[ -]?[0-9]{4}[ -]?[A-Z]", re.IGNORECASE),
    "epic": re.compile(r"[A-Z]{3}[ /-]?[0-9]{7}|[A-Z]{2}/[0-9]{2,3}/[0-9]{2,3}/[0-9]{5,7}", re.IGNORECASE),
    "passport": re.compile(
        "(?=(?:[A-Z]{0,8}[0-9]){4})[A-Z0-9]{7,10}|(?=[A-Z]{1,8}[0-9])[CFGHJK][0-9CFGHJKLMNPRTV-Z]{8}"
        "|(?i:[A-Z][0-9]{2} ?[0-9]{5}|[A-Z][ -]?[0-9]{7})"
    ),
    "abha": re.compile("[0-9]{2}([ -]?)[0-9]{4}\\1[0-9]{4}\\1[0-9]{4}"),
    "identity": re.compile("(?=(?:[A-Z/ -]{0,8}[0-9]){5})[A-Z0-9](?:[ /-]?[A-Z0-9]){5,19}"),
}
_SIGNS = re.compile(r"[\W_]+")
_COVERED = {number.name: number for number in NUMBERS}
# Between label and number: "card no. of the patient: ", with markup of Markdown, JSON and LaTeX.
_AROUND = r"[ .:=#|(,\"“*`'{–-]"
_BEFORE_NUMBER = re.compile(
    rf"(?:{_AROUND}{{0,6}}(?:is|was|lautet|ist|card|id|number|nummer|numéro|num|no|nr|n°|nº|bearing|"
    r"of (?:the |this |her |his )?(?:patient|participant|subject|person|child|mother))(?!\w)){0,3}"
    rf"(?:{_AROUND}|\n){{0,6}}(?:\\[a-z]{{2,8}}\{{)?",
    re.IGNORECASE,
)


def _begin(text: str, at: int) -> int:
    """Return the position of the number itself, after "card no.: " and the like."""
    found = _BEFORE_NUMBER.match(text, at)
    return found.end() if found else at


def _number(text: str, at: int) -> Iterator[Mark]:
    found = _NUMBER.match(text, _begin(text, at))
    digits = digits_of(found[1]) if found and not _YEARS.fullmatch(found[1]) else ""
    if found and len(digits) >= 5:
        yield Mark("national_id" if is_of_a_person(digits) else "patient_number", *found.span(1), digits)


_AS_WRITTEN = re.compile("[A-Z0-9](?:[ ./-]?[A-Z0-9])*", re.IGNORECASE)


def _covered(cue: str, text: str, at: int) -> Iterator[Mark]:
    """Yield an identity number next to its name, in any spelling: the check digits tell where it ends."""
    start = _begin(text, at)
    found = _AS_WRITTEN.match(text, start, start + _LONGEST)
    ends = [place.end() for place in _SIGN.finditer(text, start, found.end())] if found else []
    for end in (ends[length - 1] for length in lengths_of(_COVERED[cue]) if len(ends) >= length):
        if not text[end : end + 1].isalnum() and is_one(_COVERED[cue], text[start:end]):
            yield Mark("national_id", start, end, compact(text[start:end]))
            break


_SIGN = re.compile("[A-Z0-9]", re.IGNORECASE)


def _written(cue: str, text: str, at: int) -> Iterator[Mark]:
    found = _WRITTEN[cue].match(text, _begin(text, at))
    if found and not text[found.end() : found.end() + 1].isalnum() and not _YEARS.fullmatch(found[0]):
        yield Mark("national_id", *found.span(), _SIGNS.sub("", found[0]).upper())


# Addresses

_NEAR = 100  # characters after the label
_NOT_OF_A_PERSON = re.compile(
    r"(?:e-?mail|mail|web|ip|mac|url|internet|bitcoin|correspond\w{0,6}|authors?|institution\w{0,3})[ '’:s-]{0,3}$",
    re.IGNORECASE,
)
_FOR_LETTERS = re.compile(r"[ :]{0,2}(?:for|of) (?:correspondence|reprints?|the author)", re.IGNORECASE)
_STREET = re.compile(
    r"[A-ZÄÖÜ][\w.-]{1,30}"
    r"(?:stra(?:ss|ß)e|str\.|weg|gasse|platz|allee|ring|damm|ufer|rain|halde|graben|straat|laan|plein|gracht) ?"
    r"[0-9]{1,4}"
    r"|[A-ZÄÖÜ][\w.-]{1,30} (?:Stra(?:ss|ß)e|Str\.|Weg|Platz|Allee|Ring) [0-9]{1,4}"
    r"|[0-9]{1,5}[A-Za-z]?,? (?:[A-Z][\w'’.]{1,20} ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Close|Court|"
    r"Ct|Way|Boulevard|Blvd|Place|Terrace|Crescent|Gardens|Square|Grove)\b"
    r"|[0-9]{1,4}(?: ?(?:bis|ter))?,? "
    r"(?:rue|avenue|av\.|boulevard|bd|chemin|ch\.|route|place|impasse|allée|quai|cours) \w"
    r"|\b(?:[Rr]ue|[Cc]hemin|[Aa]venue|[Rr]oute|[Vv]ia(?:le)?|[Pp]iazza|[Cc]orso|[Vv]icolo|[Cc]alle|[Aa]venida|[Pp]laza|"
    r"[Pp]aseo|[Rr]ua) (?:[\w'’.-]{1,20},? ){1,5}(?:n\.?[°º]? ?)?[0-9]{1,4}"
    r"|[A-ZÄÖÜÉ][\w.-]{2,30} [0-9]{1,4}[a-z]?,?[ \n]{1,2}(?:[A-Z]{1,2}-)?[0-9]{4,5} [A-ZÄÖÜÉ][\w-]{2,30}"
)
_DIGIT = re.compile("[0-9]")
_TOWN = re.compile(r"(?: in)?[ :|\n]{1,3}(?:[A-Z]{1,2}-)?[0-9]{4,5} [A-ZÄÖÜÉ][\w-]{2,30}")


def _address(cue: str, text: str, begin: int, at: int) -> Iterator[Mark]:
    near = text[at : at + _NEAR].partition("\n\n")[0]
    before = text[max(0, begin - 24) : begin]
    if not _DIGIT.search(near) or _NOT_OF_A_PERSON.search(before) or _FOR_LETTERS.match(near):
        return
    # "address" is also a verb, so a town alone after it does not count.
    found = _STREET.search(near) or (_TOWN.match(near) if cue == "home" or near[:1] == ":" else None)
    if found:
        yield Mark("address", at + found.start(), at + found.end(), " ".join(found[0].lower().split()))


# Names

_WORD = r"[A-ZÀ-ÖØ-ÞŠŽČĆŁŚŻŹŐŰĞİŞ][\w'’-]{1,25}"
_PARTICLES = r"(?:(?:van|von|vom|de|der|den|di|da|del|della|la|le|el|al|bin|ben|dos|ter|zu|y) ){0,3}"
_IS = re.compile(r" ?(?:[:=]|(?:is|ist|lautet|est|è|es)\b)[ \n]{0,3}")
_ALONE = re.compile(
    r"(?:^|[\n.;,:|(*\"]|\b(?:my|her|his|full|mein|ihr|sein)) *$", re.IGNORECASE
)  # not "Brand name: ..."
_SPACE = re.compile(" ")
_PART_IS = re.compile(r" ?[:=|] {0,3}")
_NAME = re.compile(rf"{_WORD},? {_PARTICLES}{_WORD}(?: {_PARTICLES}{_WORD})?(?![\w-])")
_PART = re.compile(rf"{_PARTICLES}{_WORD}(?:[ -]{_WORD})?(?= *(?:[\n,;.)|]|$))")
_WORDS_OF_NO_NAME = """
study trial protocol hospital university institute department clinic klinik universität universitätsspital spital
variable test male female group gruppe table tabelle figure age alter sex geschlecht männlich weiblich date datum
unknown unbekannt confidential reported outcome outcomes health questionnaire yes no ja nein well the der die das we
wir ich not none anonymous anonymised id number nummer signature unterschrift consent informed white black asian
diagnosis diagnose therapy version title titel street address adresse first last name vorname nachname surname type
data file project projekt centre center zentrum foundation society journal model score scale index acute chronic mean
median total value code label description first-name last-name doctor dr prof nurse interviewer
"""
_NO_NAME = set(_WORDS_OF_NO_NAME.split())


def _name(cue: str, text: str, begin: int, at: int) -> Iterator[Mark]:
    is_part = cue in ("first", "last")
    if cue == "called" and not _ALONE.search(text[max(0, begin - 12) : begin]):
        return
    said = (_SPACE if cue == "named" else _PART_IS if is_part else _IS).match(text, at)
    found = (_PART if is_part else _NAME).match(text, said.end()) if said else None
    words = found[0].replace(",", " ").split() if found else []
    if found and not any(word.lower() in _NO_NAME for word in words if word[0].isupper()):
        yield Mark(f"{cue}_name" if is_part else "patient_name", *found.span(), " ".join(sorted(words)).lower())


_BEHIND = {"phone": _phone, "birth": _birth, "number": _number}


def beside_cues(text: str) -> Iterator[Mark]:
    """Yield the items that follow a label. First and last names get kinds of their own."""
    for star in _STAR.finditer(text) if "*" in text else ():
        yield from _birth(text, star.end())
    for kind, start, end in _cues(text):
        if kind in _BEHIND:
            yield from _BEHIND[kind](text, end)
        elif kind in _COVERED or kind in _WRITTEN:
            yield from (_covered if kind in _COVERED else _written)(kind, text, end)
        else:
            yield from (_address if kind in ("address", "home") else _name)(kind, text, start, end)
