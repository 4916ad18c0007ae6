"""Grouping of values by a key."""

from collections.abc import Iterable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return the values of each key, from pairs of a key and a value. Both stay in the order of the pairs."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def first_values(pairs: Iterable[tuple[K, V]]) -> dict[K, V]:
    """Return the first value of each key, from pairs of a key and a value. Keys stay in the order of the pairs."""
    return {key: values[0] for key, values in grouped(pairs).items()}
