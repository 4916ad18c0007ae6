"""How a cluster learns of tasks: django-q2's queue in the database, asked cheaply (docs/decisions/jobs.md).

The cluster asks twenty times a second, so that a job begins at once. Nearly always nothing is there, and the question as
django-q2 builds it costs more of an idle machine than all else that Scholium does there.
"""

from time import sleep
from typing import Any

from django.db import connections
from django_q.brokers.orm import ORM
from django_q.conf import Conf
from django_q.models import OrmQ

_ANYTHING = f'SELECT 1 FROM "{OrmQ._meta.db_table}" LIMIT 1'


class Broker(ORM):  # type: ignore[misc]
    """The queue in the database, looked into only when something is there."""

    def dequeue(self) -> list[tuple[int, Any]] | None:
        self.get_connection()  # closes a connection that is broken or too old
        with connections[Conf.ORM].cursor() as cursor:
            cursor.execute(_ANYTHING)
            if cursor.fetchone():
                found: list[tuple[int, Any]] | None = super().dequeue()
                return found
        sleep(Conf.POLL)
        return None
