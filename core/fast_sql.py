"""Fast inserts and updates with SQL that is built once and cached.

With every answer a research run writes a few rows in several tables. Creating model objects and compiling a query for
each batch took several times as long as the database itself (docs/decisions/concurrency.md).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db import connection, models

AT_ONCE = 200  # rows per statement, within the parameter limit of every database
_TEXT = (models.CharField, models.TextField)


def insert(
    model: type[models.Model], fields: Sequence[str], rows: Iterable[Sequence[Any]], *, conflict: str = ""
) -> None:
    """Insert `rows`, each with a value for each of `fields` (column names: "job_id", not "job").

    Model defaults are not applied. `conflict` is an ON CONFLICT clause in SQL that both SQLite and PostgreSQL accept.
    Raises the errors of the database.
    """
    with connection.cursor() as cursor:
        for sql, values in _inserts(model, tuple(fields), rows):
            cursor.execute(f"{sql} {conflict}", values)


def create(objects: "Sequence[models.Model]") -> None:
    """Insert new objects of one model, in order, and set their primary keys, which the database generates.

    Like bulk_create, but without pre-save steps such as auto_now dates.
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
    """Update the row `pk`: set the columns in `values`, and increase the columns in `added` by their numbers."""
    added = added or {}
    table, columns, prepare, key = _plan(model, (*values, *added))
    plain, more = columns[: len(values)], columns[len(values) :]
    sets = [f"{name} = %s" for name in plain]
    # SQLite stores decimals as text, so they need a cast, as Django writes it.
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
    """Yield the INSERT statements for `rows`, each with its values."""
    table, columns, prepare, _ = _plan(model, fields)
    before: Sequence[Any] = ()
    last: list[Any] = []
    values: list[list[Any]] = []
    for row in rows:
        # Rows of a batch share many values (the run, the time), so prepared values are reused.
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
    """Return the quoted table name, quoted column names, a converter per column (None: no conversion), and the quoted
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
    """Return a function that converts a value for the database as the field would, but faster; None if not needed."""
    ops = connection.ops
    if isinstance(field, models.ForeignKey):
        return _preparing(field.target_field)
    if isinstance(field, models.IntegerField | models.BooleanField | models.FloatField):
        return None
    if isinstance(field, _TEXT):
        return _if_given(str)  # not every driver accepts an enum member as text
    if isinstance(field, models.UUIDField) and not connection.features.has_native_uuid_field:
        return lambda value: value.hex if isinstance(value, UUID) else field.get_db_prep_save(value, connection)
    if isinstance(field, models.DateTimeField):
        return _if_given(ops.adapt_datetimefield_value)
    if isinstance(field, models.JSONField):
        return _if_given(lambda value: ops.adapt_json_value(value, field.encoder))
    return lambda value: field.get_db_prep_save(value, connection)


def _if_given(prepare: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else prepare(value)
