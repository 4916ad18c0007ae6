"""What a column of a table holds about persons, by its name: for tables in a text and for columns of data alike.

Names are compared by their letters alone, in small: "Patient's Name:" is "patientsname".
"""

import re

from text.personal.checkdigits import NUMBERS

_NUMBER = "no nr num number id"


def _each(firsts: str, lasts: str) -> str:
    return " ".join(first + last.rstrip("-") for first in firsts.split() for last in lasts.split())


def _letters(text: str) -> str:
    return "".join(_LETTERS.findall(text.lower()))


_LETTERS = re.compile(r"[^\W\d_]+")
_ADDRESSES = (
    "address addresses addr street village pincode pin postcode postalcode zip zipcode adresse wohnadresse anschrift strasse straße "
    "rue indirizzo via dirección direccion domicilio"
)
_NAMES = [
    ("patient_name", _each(
        "patient patients pt pts participant subject full first last middle sur given family maiden father fathers mother mothers "
        "husband husbands wife spouse guardian child childs baby doctor doctors nurse consultant surgeon attendant relative",
        "name names fullname",
    )),
    ("patient_name", _each("nameof nameofthe", "patient participant subject person mother father child doctor")),
    ("patient_name", "forename initials vorname nachname familienname rufname vorundnachname namevorname patientenname prénom prenom "
     "nomdefamille nometcognome cognome nomeecognome apellido apellidos nombreyapellidos voornaam achternaam name names nom nome "
     "nombre naam"),
    ("birth_date", "dob dateofbirth birthdate birthday birthdt geburtsdatum geburtstag gebdatum gebdat datenaissance datedenaissance "
     "naissance datanascita datadinascita fechanacimiento fechadenacimiento geboortedatum datadenascimento"),
    ("phone", "phone telephone tel mobile mobil mob cell cellphone contact contactphone mobilephone whatsapp ph landline telefon "
     "telefonnummer handy handynummer natel téléphone telefono teléfono cellulare móvil"),
    ("email", _each("email mail", "- address adresse")),
    ("address", _each("home postal permanent residential present current local", "address addresses")),
    ("address", _ADDRESSES),
    ("iban", _each("account bankaccount acct", "- no nr number") + " iban"),
    ("national_id", "aadhaar aadhar adhaar adhar uidai voter voters epic elector passport pan abha national identitycard "
     "nationalidentity steuer numérodesécuritésociale sozialversicherungsnummer health reisepass pass passeport"),
    ("national_id", " ".join(_letters(word) for number in NUMBERS for word in number.words.split(", ") if number.words)),
    ("patient_number", _each("hospital insurance policy medicalrecord admission registration patient cr ip op reg", _NUMBER)),
    ("patient_number", "uhid mrn mrd ipd opd pid patientennummer patientennr patientenid fallnummer fallnr fallid "
     "versichertennummer versicherungsnummer krankenversichertennummer"),
]  # fmt: skip
KIND = {name: kind for kind, names in _NAMES for name in names.split()}
# What may stand behind a name: "Voter ID Card No" is "voter".
_BEHIND = re.compile(r"(?:id|card|nos?|nr|num|number|nummer|details)$")
# They may be about something else: in a text they count beside a column that is sure.
DOUBTFUL = {
    "name", "names", "nom", "nome", "nombre", "naam", "initials", "tel", "mobile", "mob", "mobil", "cell", "contact", "ph", "pid",
    "nie", "nif", "nir", "nhs", "avs", "insee", "niss", "pan", "pin", "epic", "voter", "voters", "account", "acct", "passport", "pass", "mail", "cpf", "elector",
    "national", "health", "steuer", "ipd", "opd", "opid", "ipid", "admissionnum", *_ADDRESSES.split(),
}  # fmt: skip
# Of these a number is one, the bare word is not: "health", "national".
_ONLY_WITH_NUMBER = {"national", "health", "steuer", "pass", "socialsecurity"}
_DIGITS = {"birth_date": 4, "phone": 7, "patient_number": 5, "national_id": 5, "iban": 5, "address": 0, "email": 0}
_LONGEST_NAME = 60  # characters


def kind_of_name(name: str) -> tuple[str, bool]:
    """What a column called `name` holds (a kind of `LABELS`, "" when its name says nothing of persons), and whether that is sure."""
    letters = whole = _letters(name)
    while letters:
        if letters in KIND and not (letters == whole and letters in _ONLY_WITH_NUMBER):
            return KIND[letters], letters not in DOUBTFUL
        shorter = _BEHIND.sub("", letters)
        if shorter == letters:
            break
        letters = shorter
    return "", False


def is_filled(cell: str, kind: str) -> bool:
    """Whether a cell holds what its column is called: no code ("P01") for a name, no number of a list for a patient."""
    digits = sum(sign.isdigit() for sign in cell)
    letters = sum(sign.isalpha() for sign in cell)
    if kind == "patient_name":
        return letters > 1 and not digits and len(cell) <= _LONGEST_NAME
    if kind == "email":
        return "@" in cell
    if kind == "national_id" and 0 < digits < _DIGITS[kind]:
        return letters + digits >= 9 and len(cell.split()) == 1  # a PAN, a German passport
    return digits >= _DIGITS[kind] and (letters > 1 or digits > 1)
