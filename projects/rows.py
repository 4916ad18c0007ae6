"""Writing rows that are only ever added, without an object for each of them.

What a run writes with every answer is a handful of rows in several tables. Making model objects of them and compiling
a query for each batch took several times as long as the database itself (docs/decisions/concurrency.md).
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from django.db import connection, models

AT_ONCE = 200  # rows in one statement: every database takes that many values
_TEXT = (models.CharField, models.TextField)


def insert(
    model: type[models.Model], fields: Sequence[str], rows: Iterable[Sequence[Any]], *, conflict: str = ""
) -> None:
    """Insert `rows`, each with a value for each of `fields` (names of columns, "job_id" and not "job").

    Defaults of the model are not filled in. `conflict` is the ON CONFLICT clause, in SQL that SQLite and PostgreSQL
    share. Raises what the database raises.
    """
    table, columns, prepare = _plan(model, tuple(fields))
    values = [
        [one(value, connection) if one else value for one, value in zip(prepare, row, strict=True)] for row in rows
    ]
    with connection.cursor() as cursor:
        for start in range(0, len(values), AT_ONCE):
            part = values[start : start + AT_ONCE]
            places = ", ".join([f"({', '.join(['%s'] * len(columns))})"] * len(part))
            sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES {places} {conflict}"
            cursor.execute(sql, [value for row in part for value in row])


@lru_cache
def _plan(model: type[models.Model], fields: tuple[str, ...]) -> tuple[str, list[str], list[Any]]:
    """The quoted names of the table and columns, and what makes a value of each for the database; None: it is one."""
    by_column = {str(field.column): field for field in model._meta.local_concrete_fields}
    quote = connection.ops.quote_name
    prepare = [_preparing(by_column[name]) for name in fields]
    return quote(model._meta.db_table), [quote(name) for name in fields], prepare


def _preparing(field: "models.Field[Any, Any]") -> Any:
    if isinstance(field, models.IntegerField):
        return None
    # A text may be a member of an enumeration, which not every driver writes as its value.
    return (lambda value, _: str(value)) if isinstance(field, _TEXT) else field.get_db_prep_save
