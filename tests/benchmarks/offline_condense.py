"""The offline engine reads 200 passages for one question: cold, and with the words of the texts known already."""

import asyncio

from config.demo.install import HERE, QUESTION
from llm.offline.engine import OfflineEngine
from llm.roles import CondenseAsked, Passage
from tests.benchmarks.figure import Figure, seconds

PASSAGES = 200


def passages() -> list[Passage]:
    """Paragraphs of the demo's files and chapters, made different from each other by a number,
    until there are enough."""
    paragraphs = [
        (path.name, paragraph)
        for path in [*sorted((HERE / "files").glob("*.md")), *sorted((HERE / "chapters").glob("*.tex"))]
        for paragraph in path.read_text(encoding="utf-8").split("\n\n")
        if len(paragraph) > 200
    ]
    chosen = [paragraphs[number % len(paragraphs)] for number in range(PASSAGES)]
    return [
        Passage(
            source_id=f"{name}::S{number}",
            document=f"{number // 20}-{name}",
            title=name,
            text=f"{text} It was seen in {number + 2} wards.",
            is_file=True,
        )
        for number, (name, text) in enumerate(chosen)
    ]


def measure() -> list[Figure]:
    asked = CondenseAsked(question=QUESTION, node_question=QUESTION, passages=passages())
    engine = OfflineEngine()
    cold, warm = (seconds(lambda: asyncio.run(engine.ask(asked))) for _ in range(2))
    return [
        Figure(f"offline condense over {PASSAGES} passages, cold", cold, "s"),
        Figure(f"offline condense over {PASSAGES} passages, warm", warm, "s"),
    ]
