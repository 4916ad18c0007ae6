"""The calls of a run with a model, made again by the bare libraries, with nothing stored, read or told between them.

What this takes is about what the machine, its stand-ins for the services and the two client libraries take by
themselves; a little more, since each wave waits for the last call of the one before. `python -m
tests.benchmarks.call_overhead MODEL CATALOGUES` reads the calls from standard input.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from tests.servers.thinking_model import Call, Thinking

Wave = list[list[Any]]  # calls made at once: [kind, content] each
WHOLE = 0.9  # of a latency: what was asked within it did not wait for the call before


def waves(asked: Sequence[Call], latencies: Mapping[str, float]) -> list[Wave]:
    """The calls of one run as they followed on each other: those of a wave had not heard the answers of the others."""
    found: list[Wave] = []
    until = float("-inf")
    for call in sorted(asked, key=lambda one: one.at):
        at, content = call.at.timestamp(), json.loads(call.content)
        kind = "model" if isinstance(content, dict) else "search"
        if at > until:
            found.append([])
            until = at + WHOLE * latencies[kind]
        found[-1].append([kind, content])
    return found


def longest(waves_of_run: Sequence[Wave], latencies: Mapping[str, float]) -> float:
    """Seconds of latency, one wave after the other."""
    return sum(max(latencies[kind] for kind, _ in wave) for wave in waves_of_run)


def at_once(thought: Thinking, waves_of_run: Sequence[Wave], number: int) -> float:
    """Seconds that `number` processes take to make the calls of a run each, all begun together."""
    settings = thought.settings
    command = [
        sys.executable,
        "-m",
        "tests.benchmarks.call_overhead",
        settings["ANTHROPIC_BASE_URL"],
        settings["S2_BASE_URL"],
    ]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(number)
    ]
    for process in processes:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(list(waves_of_run)) + "\n")
        process.stdin.flush()
        process.stdout.readline()  # it is ready
    begun = time.perf_counter()
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()  # its calls are made; its end is none of them
    took = time.perf_counter() - begun
    for process in processes:
        process.communicate()
    if any(process.returncode for process in processes):
        raise RuntimeError("A process that makes bare calls has failed.")
    return took


async def make(waves_of_run: Sequence[Wave], model: str, catalogues: str) -> None:
    import anthropic
    import httpx

    async with (
        anthropic.AsyncAnthropic(base_url=model, api_key="none", max_retries=0) as client,
        httpx.AsyncClient() as web,
    ):

        async def ask(kind: str, content: Any) -> None:
            if kind == "model":
                async with await client.messages.create(**content) as stream:
                    async for _ in stream:
                        pass
                return
            method, path, query, body = content
            (await web.request(method, catalogues + path, params=query, content=body or None)).json()

        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.readline)
        for wave in waves_of_run:
            await asyncio.gather(*(ask(kind, content) for kind, content in wave))
        sys.stdout.write("done\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(make(json.loads(sys.stdin.readline()), sys.argv[1], sys.argv[2].removesuffix("/s2")))
