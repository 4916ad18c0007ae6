"""The queue of the cluster: what is due comes once, and an empty one is cheap to ask."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_q.brokers import get_broker
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.tasks import async_task

from jobs.broker import Broker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


@pytest.fixture
def broker() -> Broker:
    made = get_broker()
    assert isinstance(made, Broker)
    return made


def test_a_task_comes_once(broker: Broker) -> None:
    async_task("jobs.work.perform", "1")
    row = OrmQ.objects.get()
    assert broker.dequeue() == [(row.pk, row.payload)]
    assert broker.dequeue() is None, "another worker has it"
    broker.acknowledge(row.pk)
    assert not OrmQ.objects.exists()


def test_an_empty_queue_takes_one_query_and_a_rest(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Conf, "POLL", 0.0)
    with CaptureQueriesContext(connection) as asked:
        assert broker.dequeue() is None
    assert len(asked) == 1
