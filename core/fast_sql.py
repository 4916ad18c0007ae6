"""Writing the rows that come with every answer, by statements that are put together once.

What a run writes with every answer is a handful of rows in several tables. Making model objects of them and compiling
a query for each batch took several times as long as the database itself (docs/decisions/concurrency.md).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any
from uuid import UUID

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
    with connection.cursor() as cursor:
        for sql, values in _inserts(model, tuple(fields), rows):
            cursor.execute(f"{sql} {conflict}", values)


def create(objects: "Sequence[models.Model]") -> None:
    """Insert new objects of one model, in their order; each gets its primary key, a number that the database gives.

    As bulk_create does, without what is done before a row is saved (dates that are filled in by themselves, signals).
    """
    if not objects:
        return
    model = type(objects[0])
    fields = [str(field.column) for field in model._meta.local_concrete_fields if not field.primary_key]
    rows = ([getattr(one, name) for name in fields] for one in objects)
    made: list[int] = []
    with connection.cursor() as cursor:
        for sql, values in _inserts(model, tuple(fields), rows):
            cursor.execute(f"{sql} RETURNING {connection.ops.quote_name(str(model._meta.pk.column))}", values)
            made += [row[0] for row in cursor.fetchall()]
    for one, pk in zip(objects, made, strict=True):
        one.pk = pk
        one._state.adding, one._state.db = False, connection.alias


def change(
    model: type[models.Model], pk: Any, values: Mapping[str, Any], *, added: "Mapping[str, Any] | None" = None
) -> None:
    """Set the columns `values` of the row `pk`, and add the numbers `added` to those that stand there."""
    added = added or {}
    table, columns, prepare, key = _plan(model, (*values, *added))
    plain, more = columns[: len(values)], columns[len(values) :]
    sets = [f"{name} = %s" for name in plain]
    # A decimal number is a text to SQLite until it is told otherwise; as Django writes it.
    sets += [
        f"{name} = CAST({name} + CAST(%s AS NUMERIC) AS NUMERIC)" if one else f"{name} = {name} + %s"
        for name, one in zip(more, prepare[len(values) :], strict=True)
    ]
    said = [
        one(value) if one else value for one, value in zip(prepare, (*values.values(), *added.values()), strict=True)
    ]
    named = model._meta.pk.get_db_prep_value(pk, connection)
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {table} SET {', '.join(sets)} WHERE {key} = %s", [*said, named])


def _inserts(
    model: type[models.Model], fields: tuple[str, ...], rows: Iterable[Sequence[Any]]
) -> Iterable[tuple[str, list[Any]]]:
    """Return the statements that insert `rows`, each with its values."""
    table, columns, prepare, _ = _plan(model, fields)
    before: Sequence[Any] = ()
    last: list[Any] = []
    values: list[list[Any]] = []
    for row in rows:
        # Rows of one batch share much of what they say: the run, the time.
        last = [
            last[place] if before and value is before[place] else one(value) if one else value
            for place, (one, value) in enumerate(zip(prepare, row, strict=True))
        ]
        before = row
        values.append(last)
    for start in range(0, len(values), AT_ONCE):
        part = values[start : start + AT_ONCE]
        places = ", ".join([f"({', '.join(['%s'] * len(columns))})"] * len(part))
        yield (
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES {places}",
            [value for one in part for value in one],
        )


@lru_cache
def _plan(model: type[models.Model], fields: tuple[str, ...]) -> tuple[str, list[str], list[Any], str]:
    """Return the quoted names of the table and columns, what makes a value of each for the database (None: it is one), and the
    name of the primary key.
    """
    by_column = {str(field.column): field for field in model._meta.local_concrete_fields}
    quote = connection.ops.quote_name
    return (
        quote(model._meta.db_table),
        [quote(name) for name in fields],
        [_preparing(by_column[name]) for name in fields],
        quote(str(model._meta.pk.column)),
    )


def _preparing(field: "models.Field[Any, Any]") -> "Callable[[Any], Any] | None":
    """Return what the field itself would do with a value of its type, by the shortest way."""
    ops = connection.ops
    if isinstance(field, models.ForeignKey):
        return _preparing(field.target_field)
    if isinstance(field, models.IntegerField | models.BooleanField | models.FloatField):
        return None
    if isinstance(field, _TEXT):
        return _if_given(str)  # a member of an enumeration is no text to every driver
    if isinstance(field, models.UUIDField) and not connection.features.has_native_uuid_field:
        return lambda value: value.hex if isinstance(value, UUID) else field.get_db_prep_save(value, connection)
    if isinstance(field, models.DateTimeField):
        return _if_given(ops.adapt_datetimefield_value)
    if isinstance(field, models.JSONField):
        return _if_given(lambda value: ops.adapt_json_value(value, field.encoder))
    return lambda value: field.get_db_prep_save(value, connection)


def _if_given(prepare: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else prepare(value)
