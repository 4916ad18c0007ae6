"""The full-text index over passages on PostgreSQL: a generated column, so that no code can forget it.

It finds what the index of 0002 finds on SQLite: Porter stems, diacritics folded, words parted by whatever is
neither letter nor digit. All of it is stock PostgreSQL; an extension would need a superuser.
"""

from django.db import migrations
from django.db.utils import NotSupportedError

# Accents that stand apart once a text is decomposed.
ACCENTS = r"[\u0300-\u036f]"
# Punctuation, symbols and controls as spaces: PostgreSQL's own parser would keep "alder/beech" and "note.md" in one.
BETWEEN = r"[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7\u02c2-\u02df\u2000-\u2bff\u3000-\u3004\u3007-\u3020\u3030\ufe30-\ufe6f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]+"
# Characters that are indexed: with them no text comes near the megabyte that a tsvector holds.
LONGEST = {"title": 2_000, "heading": 2_000, "text": 200_000}


def weighed(column, weight):
    return f"setweight(to_tsvector('research_words', left(research_folded({column}), {LONGEST[column]})), '{weight}')"


CREATE = [
    "CREATE TEXT SEARCH DICTIONARY research_stems (TEMPLATE = pg_catalog.snowball, LANGUAGE = porter)",
    "CREATE TEXT SEARCH CONFIGURATION research_words (PARSER = pg_catalog.default)",
    "ALTER TEXT SEARCH CONFIGURATION research_words"
    " ADD MAPPING FOR asciiword, word, numword, int, uint, sfloat WITH research_stems",
    "CREATE FUNCTION research_folded(written text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE"
    f" RETURN regexp_replace(regexp_replace(normalize(written, NFKD), '{ACCENTS}', '', 'g'), '{BETWEEN}', ' ', 'g')",
    "ALTER TABLE research_passage ADD COLUMN words tsvector GENERATED ALWAYS AS"
    f" ({weighed('title', 'A')} || {weighed('heading', 'B')} || {weighed('text', 'C')}) STORED",
    "CREATE INDEX research_passage_words ON research_passage USING gin (words)",
]
DROP = [
    "DROP INDEX research_passage_words",
    "ALTER TABLE research_passage DROP COLUMN words",
    "DROP FUNCTION research_folded(text)",
    "DROP TEXT SEARCH CONFIGURATION research_words",
    "DROP TEXT SEARCH DICTIONARY research_stems",
]


def create(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SHOW server_encoding")
        (encoding,) = cursor.fetchone()
    if encoding != "UTF8":
        raise NotSupportedError(f"Scholium needs a database whose encoding is UTF8; this one's is {encoding}.")
    for statement in CREATE:
        schema_editor.execute(statement)


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for statement in DROP:
            schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("research", "0002")]
    operations = [migrations.RunPython(create, drop)]
