"""The identity gate compares authors: first authors, groups, initials and index names (SPEC C2)."""

from typing import Any

import pytest

from citations.identity.author_lists import compare_first_authors, find_all_authors
from citations.identity.gate import gate
from citations.identity.person_names import person_likeness
from citations.identity.reference import Reference, reference_from_csl, reference_from_work
from tests.citations.real_works import work

TEN, FIVE = "Adams Baker Clarke Dixon Evans Foster Green Hughes Irving Jones", "Okonjo Petrov Quandt Rao Sato"


def names(*people: str, **more: Any) -> Reference:
    return reference_from_work(work("A title", "; ".join(people), 2020, **more))


@pytest.mark.parametrize(
    ("claim", "record", "agree"),
    [
        (["Müller, J."], ["Mueller, Jan"], True),
        (["Møller, M."], ["Moller, M."], True),
        (["Savović, J."], ["Savovic, Jelena"], True),
        (["van der Berg, A."], ["Berg, A. van der"], True),
        (["Berg, A."], ["van der Berg, Anna"], True),
        (["de la Cruz, P."], ["Cruz, P. de la"], True),
        (["Al-Beidh, F."], ["Beidh, F."], True),
        (["Alhameed, F."], ["Al-Hameed, F."], True),
        (["Corral Gudino, L."], ["Corral-Gudiño, Luis"], True),
        (["Garcia, A."], ["García López, A."], True),
        (["O'Brien, K."], ["OBrien, K."], True),
        (["McArthur, C."], ["Mc Arthur, C."], True),
        (["Nicolau Jr., D."], ["Nicolau, Dan V"], True),
        (["Du, Bin"], ["Bin, Du"], True),
        (["Sterne, J."], ["Stern, J."], True),
        (["Wang, W."], ["Yang, W."], False),
        (["Li, W."], ["Liu, W."], False),
        (["Lee, K."], ["Leeson, K."], False),
        (["Villar, J."], ["Munch, M."], False),
        (["World Health Organization"], ["World Health Organisation"], True),
        (["WHO"], ["World Health Organization"], True),
        (["RECOVERY Collaborative Group"], ["The RECOVERY Collaborative Group", "Horby, P."], True),
        (["RECOVERY Collaborative Group"], ["DISCOVERY Collaborative Group"], False),
        (["RECOVERY Collaborative Group"], ["Horby, Peter", "Lim, Wei Shen"], False),
        (["Horby, P."], ["RECOVERY Collaborative Group", "Horby, Peter"], True),
        (["Horby, P."], ["RECOVERY Collaborative Group"], None),
        (["Jane Smith"], ["Smith, Jane"], True),
        (["Plato"], ["Plato"], True),
        ([], ["Horby, P."], None),
        (["Horby, P."], [], None),
    ],
)
def test_first_authors(claim: list[str], record: list[str], agree: bool | None) -> None:
    assert compare_first_authors(names(*claim), names(*record))[0] is agree


def test_groups_that_bibtex_took_apart_are_groups() -> None:
    """Without braces BibTeX makes "Group" a surname."""
    for given, family in (("RECOVERY Collaborative", "Group"), ("World Health", "Organization"), ("R Core", "Team")):
        claim = reference_from_csl({"author": [{"family": family, "given": given}]})
        assert [name.group for name in claim.people] == [f"{given} {family}".lower()]
    for family, given in (("Bureau", "Christophe"), ("Group", ""), ("Force", ""), ("College", "R.")):
        (name,) = reference_from_csl({"author": [{"family": family, "given": given}]}).people
        assert (name.surname, name.group) == (family.lower(), "")


def test_every_claimed_author_must_be_in_a_record() -> None:
    people = [f"{name}, A." for name in TEN.split()]
    strangers = [f"{name}, A." for name in FIVE.split()]
    assert find_all_authors(names(*people), names(*people)) == (True, "")
    assert find_all_authors(names(*people[3:7]), names(*people)) == (True, "")
    for place in range(len(people) + 1):
        claim = names(*people[:place], strangers[0], *people[place:])
        said = "No record that was found names “Okonjo, A.” among the authors."
        assert find_all_authors(claim, names(*people)) == (False, said)
    assert find_all_authors(names(*strangers), names(*people))[1] == (
        "No record that was found names “Okonjo, A.”, “Petrov, A.”, “Quandt, A.” and 2 more among the authors."
    )


def test_an_author_may_be_in_the_record_of_another_registry() -> None:
    """Some registries know the first author alone."""
    claim, record = names("Adams, A.", "Baker, B.", "Clarke, C."), names("Adams, A.")
    assert find_all_authors(claim, record)[0] is False
    assert find_all_authors(claim, record, [names("Adams, A.", "Baker, B."), names("Clarke, C.")])[0] is True
    assert find_all_authors(claim, record, [names("Adams, A.", "Baker, B."), names("Clarke, D.")])[0] is False


def test_initials_of_one_registry_do_not_outweigh_a_name_in_another() -> None:
    claim, record, other = (
        names("Adams, A.", "Smith, Jane"),
        names("Adams, A.", "Smith, John"),
        names("Adams, A.", "Smith, J."),
    )
    assert find_all_authors(claim, record, [other])[0] is False
    assert find_all_authors(claim, other, [record])[0] is False
    assert find_all_authors(claim, other)[0] is True


@pytest.mark.parametrize(
    ("claim", "record", "alike"),
    [
        ("Smith, J.", "Smith, John", "same"),
        ("Smith, M. N.", "Smith, Maj-Brit Nørre", "same"),
        ("Smith, Ngozi", "Smith, A. N.", ""),
        ("Jonathan A., Sterne", "Sterne, J. A. C.", "same"),
        ("Bin, D.", "Du, Bin", "alike"),
        ("Sørensen, Nørre", "Soerensen, Noerre", "same"),
        ("Smith, John", "Smith, J", "same"),
        ("Smith, JA", "Smith, John Albert", "same"),
        ("Smith, J. A.", "Smith, John", "same"),
        ("Smith, ", "Smith, John", "same"),
        ("Smith, Xavier", "Smith, John", ""),
        ("Smith, X.", "Smith, J.", ""),
        ("Smith, J. K.", "Smith, J. R.", ""),
        ("Wang, Wei", "Wang, Wenhui", ""),
        ("Wang, Xiao-Ming", "Wang, Xiaoming", "same"),
        ("Wang, X.-M.", "Wang, Xiaoming", "same"),
        ("Smith, Jon", "Smith, Jonathan", "same"),
        ("Smith, P.", "Smith, J. Peter", "alike"),
        ("Smith, Jonh", "Smith, John", ""),
        ("Smith, Katharine", "Smith, Katherine", "alike"),
        ("Higgins, J. T. P.", "Higgins, J. P. T.", "alike"),
        ("Müller, J.", "Mueller, Jan", "same"),
        ("Sørensen, J.", "Soerensen, Jens", "same"),
        ("Kjr, Maj-Brit", "Kjær, Maj-Brit", "alike"),
        ("Kj?r, Maj-Brit", "Kjær, Maj-Brit", "alike"),
        ("García, A.", "García López, A.", "alike"),
        ("Stern, J.", "Sterne, Jonathan", "alike"),
        ("Stern, ", "Sterne, Jonathan", ""),
        ("Zheng, Wei", "Zhang, Wei", ""),
        ("Chen, Li", "Cheng, Li", ""),
        ("Bin, Du", "Du, Bin", "same"),
        ("LI, Wei", "Li, Wei", "same"),
    ],
)
def test_persons(claim: str, record: str, alike: str) -> None:
    """One author whichever way round; initials that contradict each other are two."""
    (mine,), (theirs,) = (names(one).people for one in (claim, record))
    assert person_likeness(mine, theirs) == person_likeness(theirs, mine) == alike


def test_an_index_name_that_was_read_as_given_name_and_surname() -> None:
    (mine,) = reference_from_csl({"author": [{"family": "SV", "given": "Kumar"}]}).people
    assert person_likeness(mine, names("Kumar, Sanjay V.").people[0]) == "same"
    assert person_likeness(mine, names("Kumar, Ravi").people[0]) == ""


def test_a_name_counts_once() -> None:
    assert find_all_authors(names("Wang, A.", "Wang, B.", "Wang, C."), names("Wang, A.", "Okonjo, B."))[0] is False


def test_and_others_claims_nobody() -> None:
    csl = {"author": [{"family": "Adams"}, {"literal": "et al."}], "custom": {}}
    claim = reference_from_csl(csl)
    assert [name.surname for name in claim.people] == ["adams"]
    assert claim.others
    assert gate(claim, names("Adams, A.", "Okonjo, B.")).tests[1].passed
