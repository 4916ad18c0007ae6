"""What a database error means to people: it was busy and may be asked again, or what was meant is there no more."""

from django.core.exceptions import ObjectDoesNotExist
from django.db import Error as DatabaseError
from django.db import IntegrityError, OperationalError

# What PostgreSQL says when it met another transaction, or is going down or full: serialisation failure, deadlock,
# lock timeout, transaction left idle, shutdown, crash, start, too many clients. 08 is every broken connection.
_PASSING = ("40001", "40P01", "55P03", "25P03", "57P01", "57P02", "57P03", "53300", "08")
_NO_SUCH_ROW = "23503"  # a row refers to one that is not there


def is_passing(error: Exception) -> bool:
    """Return whether `error` says that the database was merely busy or away: SQLite's lock, or PostgreSQL's likes of it."""
    if not isinstance(error, DatabaseError):
        return False
    # The driver's own error is behind Django's. It has no code when the connection broke before one could come.
    code = getattr(error.__cause__, "sqlstate", "")
    if code is None:
        return isinstance(error, OperationalError)
    return "locked" in str(error) or code.startswith(_PASSING)


def is_gone(error: Exception) -> bool:
    """Return whether `error` says that a row went while it was worked on: somebody deleted it, or the thesis that it was in."""
    if "did not affect any rows" in str(error):  # Django, of a row that is saved and not there
        return isinstance(error, DatabaseError)
    if isinstance(error, IntegrityError):
        return getattr(error.__cause__, "sqlstate", "") == _NO_SUCH_ROW or "FOREIGN KEY" in str(error)
    return isinstance(error, ObjectDoesNotExist)
