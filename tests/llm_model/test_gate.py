"""SPEC T4: what leaves for a model has no private detail in it, and what comes back has them again."""

import json
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from pydantic import BaseModel, SecretStr
from pytest_django import Settings

from llm.claude import ClaudeEngine
from llm.engine import choose_engine
from llm.placeholders import NOTE, placeholder
from llm.prompt import Prompt, fenced
from llm.redaction_gate import Gate, names_of
from llm.result import Redacted
from llm.roles import Synthesis, SynthesizeAsked
from llm.tools import Tool, results
from projects import invitations
from projects.models import Project, User
from tests.llm_model.conftest import BRIEF, KEY, QUESTION
from tests.servers.messages import Service
from text.personal_data import LABELS
from text.personal_data.find_names import Names

pytestmark = pytest.mark.django_db

# 40 details: where they stand, and what must not be sent. The members are those of tests/people.py.
PLANTED = [
    ("Asha Menon wrote it.", "Asha"), ("\\author{Edda~Berg}", "Edda"), ("as Iyer, Ravi says", "Ravi"),
    ("IYER", "IYER"), ("Menon's plots", "Menon"), ("Rosa\nVidal", "Vidal"), ("seen by Maria Keller", "Keller"),
    ("Ward 7B", "Ward 7B"), ("das 黒沢病院で", "黒沢病院"), ("the Lundgren Foundation", "Lundgren"),
    ("asha@example.org", "asha@"), ("new@example.org", "new@"), ("ravi@example.org", "ravi@"),
    ("a.muster@usb.ch", "a.muster"),
    ("o'brien@med.uni-muenchen.de", "o'brien"), ("Tel. 061 265 25 25", "265 25 25"), ("+41 61 265 25 26", "265 25 26"),
    ("+1 (202) 555-0173", "555-0173"), ("+447700900123", "7700900123"), ("030/1234567", "1234567"),
    ("Phone: 020 7946 0018", "7946 0018"), ("born on 12 March 1954", "12 March"), ("DOB: 03/12/54", "03/12/54"),
    ("geboren am 4.5.1971", "4.5.1971"), ("né le 3 mai 1961", "3 mai"), ("756.9217.0769.85", "9217"),
    ("123-45-6789", "123-45"), ("943 476 5919", "943 476"), ("A123456780", "A123456780"), ("12345678Z", "12345678Z"),
    ("RSSMRA85T10A562S", "RSSMRA85"), ("131052-308T", "131052"), ("MRN 0042317", "0042317"),
    ("Fallnummer: 20231234", "20231234"),
    ("PID 3829183", "3829183"), ("CH93 0076 2011 6238 5295 7", "0076 2011"), ("GB29NWBK60161331926819", "NWBK"),
    ("Address: Petersgraben 4, 4031 Basel", "Petersgraben"), ("She lives at 221 Baker Street, London", "221 Baker"),
    ("Patient: Anna Muster", "Muster"),
]  # fmt: skip
ALL = "\n\n".join(text for text, _ in PLANTED)


class Look(BaseModel):
    query: str = ""


TOOLS = (Tool("look_elsewhere", "Look.", Look), Tool("look_here", "Look.", Look, stays_here=True))


@pytest.fixture
def thesis(project: Project, owner: User, editor: User, supervisor: User, reader: User) -> Project:
    Project.objects.filter(pk=project.pk).update(kept_private="Maria Keller\nWard 7B\n黒沢病院\nLundgren\nKeller")
    invitations.invite(project, "new@example.org", "reader", owner)
    return project


@pytest.fixture
def chosen(thesis: Project, service: Service, settings: Settings) -> ClaudeEngine:
    """The engine as the rooms above get it, for the thesis with its people."""
    settings.LLM_ENGINE, settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL = "auto", KEY, service.url
    engine = choose_engine(thesis)
    assert isinstance(engine, ClaudeEngine)
    return engine


def left(service: Service) -> list[str]:
    """What of the planted details is in any request."""
    bodies = "\n".join(json.dumps(request, ensure_ascii=False) for request in service.requests)
    assert service.requests
    return [words for _, words in PLANTED if words in bodies]


def everywhere() -> Prompt:
    as_json = json.dumps({"text": ALL}, ensure_ascii=False)
    return Prompt(
        system=("You help.", ALL), context=(fenced("notes", ALL), fenced("passages", f"{as_json}\n" * 3)), user=ALL
    )


@pytest.mark.parametrize("how", [{}, {"streams": False}, {"seconds": 0.0001}], ids=["streamed", "whole", "pieces"])
def test_nothing_of_forty_details_is_sent(chosen: ClaudeEngine, service: Service, how: dict[str, Any]) -> None:
    assert len(PLANTED) == 40
    service.says(answer={"text": ALL, "nothing": "fitting"}, **how)
    service.says(answer=BRIEF, **how)
    answered = async_to_sync(chosen.ask)(QUESTION, prompt=everywhere())
    assert len(service.requests) == 2, "with the complaint, which shows the first answer"
    assert left(service) == []
    assert {one.kind for one in answered.redacted} == set(LABELS)
    assert len(set(answered.redacted)) == len(answered.redacted)
    assert Redacted("patient_name", "Asha Menon") in answered.redacted
    assert Redacted("kept_private", "Ward 7B") in answered.redacted


def test_nothing_is_sent_of_a_conversation(chosen: ClaudeEngine, service: Service) -> None:
    call = {"name": "look_elsewhere", "input": {"query": ALL}}
    service.says(ALL, calls=[call])
    service.says("Done.", seconds=0.0001)
    first = async_to_sync(chosen.converse)("research", Prompt(system=(), user="Who?"), tools=TOOLS)
    history = [first.message, results(first, {"toolu_1": ALL}), {"role": "assistant", "content": ALL}]
    history.append({"role": "user", "content": [{"type": "text", "text": ALL}]})
    reply = async_to_sync(chosen.converse)("research", everywhere(), history, TOOLS)
    assert left(service) == []
    assert Redacted("patient_number", "0042317") in reply.redacted
    assert first.message == history[0], "a caller's history does not change"


def test_the_same_conversation_is_told_in_the_same_words(chosen: ClaudeEngine, service: Service) -> None:
    """Else nothing of it would be found in the prompt cache."""
    for _ in range(2):
        service.says("Done.")
        async_to_sync(chosen.converse)("draft", everywhere())
    service.says("Done.")
    history = [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "Go on, Ravi."}]
    async_to_sync(chosen.converse)("draft", everywhere(), history)
    one, two, longer = service.requests
    assert one == two
    assert longer["system"] == one["system"]
    assert longer["messages"][0] == one["messages"][0]
    assert one["messages"][0]["content"][-1]["text"] == NOTE
    assert one["system"][-1]["cache_control"]


def test_a_model_is_told_of_placeholders_only_where_there_are_any(chosen: ClaudeEngine, service: Service) -> None:
    service.says("Done.")
    reply = async_to_sync(chosen.converse)("draft", Prompt(system=("You help.",), user="What of alder?"))
    assert NOTE not in json.dumps(service.requests)
    assert reply.redacted == ()


def as_told(thesis: Project, kind: str, value: str) -> str:
    return placeholder(str(thesis.pk), kind, value)


@pytest.mark.parametrize("how", [{}, {"seconds": 0.0001}, {"streams": False}], ids=["streamed", "pieces", "whole"])
def test_a_draft_has_them_back(chosen: ClaudeEngine, service: Service, thesis: Project, how: dict[str, Any]) -> None:
    surname, phone = as_told(thesis, "patient_name", "Iyer"), as_told(thesis, "phone", "061 265 25 25")
    spoilt = surname.replace("-", "\\-")
    service.says(
        f"\\emph{{{surname}}} and {spoilt} are at {phone}; {phone[:-2]} and PRIVATE-NAME-XXXXXXXXXX stay.", **how
    )
    shown: list[str] = []

    async def on_text(piece: str, _: int) -> None:
        shown.append(piece)

    prompt = Prompt(system=("Draft.",), user="Where is Iyer? Tel. 061 265 25 25")
    reply = async_to_sync(chosen.converse)("draft", prompt, on_text=on_text)
    assert reply.text == f"\\emph{{Iyer}} and Iyer are at 061 265 25 25; {phone[:-2]} and PRIVATE-NAME-XXXXXXXXXX stay."
    if how != {"streams": False}:
        assert "".join(shown) == reply.text
        assert not any(surname in piece for piece in shown)
    assert surname in reply.message["content"][0]["text"], "it goes back as it came"


def test_an_answer_in_json_has_them_back(chosen: ClaudeEngine, service: Service, thesis: Project) -> None:
    surname = as_told(thesis, "patient_name", "Iyer")
    body = {"title": surname, "sections": [{"key": "summary", "body": f"{surname} said “{surname}”."}]}
    service.says(json.dumps(body).replace("PRIVATE-", "\\u0050RIVATE\\u002d"), seconds=0.0001)
    shown: list[str] = []

    async def on_text(piece: str, _: int) -> None:
        shown.append(piece)

    asked = SynthesizeAsked(question="What of Iyer?", brief="", query_type="", headings=[], findings=[])
    prompt = Prompt(system=(), user="What of Iyer?")
    answer = async_to_sync(chosen.ask)(asked, prompt=prompt, on_text=on_text).answer
    assert isinstance(answer, Synthesis)
    assert (answer.title, answer.sections[0].body) == ("Iyer", "Iyer said “Iyer”.")
    assert "".join(shown) == "Iyer\n\nIyer said “Iyer”."
    assert len(shown) > 1


def test_what_leaves_with_a_tool_has_none(chosen: ClaudeEngine, service: Service, thesis: Project) -> None:
    surname = as_told(thesis, "patient_name", "Iyer")
    service.says(calls=[{"name": tool.name, "input": {"query": f"{surname} alder"}} for tool in TOOLS])
    reply = async_to_sync(chosen.converse)("research", Prompt(system=(), user="What of Iyer?"), tools=TOOLS)
    assert [call.arguments["query"] for call in reply.calls] == [f"{surname} alder", "Iyer alder"]
    assert [block["input"]["query"] for block in reply.message["content"]] == [f"{surname} alder"] * 2


def test_what_a_model_thought_goes_back_as_it_came(chosen: ClaudeEngine, service: Service) -> None:
    thought = {"type": "thinking", "thinking": "Of Asha Menon.", "signature": "Asha Menon"}
    service.says("Done.")
    history = [{"role": "assistant", "content": [thought, {"type": "text", "text": "Asha Menon"}]}]
    async_to_sync(chosen.converse)(
        "research", Prompt(system=(), user="Who?"), [*history, {"role": "user", "content": "?"}]
    )
    sent = service.requests[0]["messages"][1]["content"]
    assert sent[0] == thought
    assert "Menon" not in sent[1]["text"]


def test_who_is_kept_private(thesis: Project) -> None:
    assert names_of(thesis) == Names(
        people=("Asha Menon", "Edda Berg", "Ravi Iyer", "Rosa Vidal"),
        emails=("asha@example.org", "edda@example.org", "ravi@example.org", "rosa@example.org", "new@example.org"),
        lines=("Maria Keller", "Ward 7B", "黒沢病院", "Lundgren", "Keller"),
    )
    assert names_of(Project(title="Not there")) == Names()


def test_theses_do_not_share_placeholders(service: Service) -> None:
    """Nobody who sees requests of two theses can tell that they are about one person."""
    names = Names(people=("Ravi Iyer",))
    for salt in ("one", "another"):
        service.says("Done.")
        engine = ClaudeEngine(SecretStr(KEY), Gate(salt, lambda: names), service.url)
        async_to_sync(engine.converse)("draft", Prompt(system=(), user="Ravi Iyer"))
    first, second = (request["messages"][0]["content"][0]["text"].split() for request in service.requests)
    assert not set(first) & set(second)
