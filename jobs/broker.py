"""The queue broker: django-q2's database queue, polled with a cheap query (docs/decisions/jobs.md).

The cluster polls twenty times a second, so that a job starts at once. The queue is nearly always empty, and the query
that django-q2 builds would use more CPU on an idle machine than everything else in Scholium.
"""

from time import sleep
from typing import Any

from django.db import connections
from django_q.brokers.orm import ORM
from django_q.conf import Conf
from django_q.models import OrmQ

_ANYTHING = f'SELECT 1 FROM "{OrmQ._meta.db_table}" LIMIT 1'


class Broker(ORM):  # type: ignore[misc]
    """The database queue, which runs django-q2's query only if there is a task."""

    def dequeue(self) -> list[tuple[int, Any]] | None:
        """Return the tasks that are due; if there are none, wait for one poll interval and return None."""
        self.get_connection()  # closes a connection that is broken or too old
        with connections[Conf.ORM].cursor() as cursor:
            cursor.execute(_ANYTHING)
            if cursor.fetchone():
                found: list[tuple[int, Any]] | None = super().dequeue()
                return found
        sleep(Conf.POLL)
        return None
