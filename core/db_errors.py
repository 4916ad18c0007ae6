"""Classifying database errors: the database was busy and a retry makes sense, or the row no longer exists."""

from django.core.exceptions import ObjectDoesNotExist
from django.db import Error as DatabaseError
from django.db import IntegrityError, OperationalError

# PostgreSQL error codes that pass: serialisation failure, deadlock, lock timeout, idle transaction timeout, shutdown,
# crash, start, too many clients. 08 is the class of connection errors.
_PASSING = ("40001", "40P01", "55P03", "25P03", "57P01", "57P02", "57P03", "53300", "08")
_NO_SUCH_ROW = "23503"  # foreign key violation


def is_temporary(error: Exception) -> bool:
    """Return whether `error` means that the database was busy or unreachable, so that a retry may succeed."""
    if not isinstance(error, DatabaseError):
        return False
    # The driver's error is the cause of Django's. It has no code if the connection broke before one arrived.
    code = getattr(error.__cause__, "sqlstate", "")
    if code is None:
        return isinstance(error, OperationalError)
    return "locked" in str(error) or code.startswith(_PASSING)


def is_deleted(error: Exception) -> bool:
    """Return whether `error` means that a row, or the thesis it belongs to, was deleted meanwhile."""
    if "did not affect any rows" in str(error):  # Django's message for saving a row that no longer exists
        return isinstance(error, DatabaseError)
    if isinstance(error, IntegrityError):
        return getattr(error.__cause__, "sqlstate", "") == _NO_SUCH_ROW or "FOREIGN KEY" in str(error)
    return isinstance(error, ObjectDoesNotExist)
