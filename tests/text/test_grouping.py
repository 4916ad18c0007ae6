"""Values are grouped by a key in the order in which they come."""

from core.grouping import first_values, grouped

PAIRS = [("b", 1), ("a", 2), ("b", 3)]


def test_values_stay_in_order_under_their_keys() -> None:
    assert list(grouped(PAIRS).items()) == [("b", [1, 3]), ("a", [2])]
    assert grouped(iter(())) == {}


def test_the_first_value_of_each_key_is_kept() -> None:
    assert list(first_values(PAIRS).items()) == [("b", 1), ("a", 2)]
