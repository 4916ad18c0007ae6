from tests.cast import editor, outsider, owner, project, reader, supervisor

__all__ = ["editor", "outsider", "owner", "project", "reader", "supervisor"]
