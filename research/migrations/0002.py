"""The full-text index over passages: FTS5 on SQLite, kept by triggers so that no code can forget it."""

from django.db import migrations

CREATE = [
    "CREATE VIRTUAL TABLE research_passage_fts USING fts5("
    " project, title, heading, text, tokenize='porter unicode61 remove_diacritics 2')",
    "CREATE TRIGGER research_passage_in AFTER INSERT ON research_passage BEGIN"
    " INSERT INTO research_passage_fts(rowid, project, title, heading, text)"
    " VALUES (new.id, new.project_id, new.title, new.heading, new.text); END",
    "CREATE TRIGGER research_passage_out AFTER DELETE ON research_passage BEGIN"
    " DELETE FROM research_passage_fts WHERE rowid = old.id; END",
    "CREATE TRIGGER research_passage_change AFTER UPDATE ON research_passage BEGIN"
    " UPDATE research_passage_fts SET project = new.project_id, title = new.title, heading = new.heading,"
    " text = new.text WHERE rowid = new.id; END",
]
DROP = [
    "DROP TRIGGER research_passage_change",
    "DROP TRIGGER research_passage_out",
    "DROP TRIGGER research_passage_in",
    "DROP TABLE research_passage_fts",
]


def run(statements):
    def on_sqlite(apps, schema_editor):
        if schema_editor.connection.vendor == "sqlite":
            for statement in statements:
                schema_editor.execute(statement)

    return on_sqlite


class Migration(migrations.Migration):
    dependencies = [("research", "0001_initial")]
    operations = [migrations.RunPython(run(CREATE), run(DROP))]
