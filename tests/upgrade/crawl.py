"""Every page that a person reaches by links and by what pages load, as a browser asks for it."""

import html
import re
from collections import deque
from typing import Any

from django.test import Client

from config.api import api

_LINK = re.compile(r'(?:href|src|hx-get)="(/[^"#]*)')
# No pages: files of the build, sockets, signing out; and parts of a form that are asked for with what stands in it.
_ELSEWHERE = re.compile(r"/static/|/ws/|/accounts/logout|.*\?part=")


def pages(client: Client) -> dict[str, int]:
    """The status of the answer at each address that leads on from the list of theses, each path once."""
    found, seen, waiting = {}, {"/"}, deque(["/"])
    while waiting:
        address = waiting.popleft()
        answer: Any = client.get(address, follow=True)
        found[address] = answer.status_code
        body = body_of(answer)
        if not answer["Content-Type"].startswith("text/html"):
            continue
        for link in map(html.unescape, _LINK.findall(body.decode())):
            path = link.partition("?")[0]
            if path not in seen and not _ELSEWHERE.match(link):
                seen.add(path)
                waiting.append(link)
    return found


def answers(client: Client, ids: dict[str, list[str]]) -> dict[str, int]:
    """The status of the API's answer at each address that is asked for with one of `ids`, {parameter: [id]}."""
    found = {}
    for path, methods in api.get_openapi_schema()["paths"].items():
        names = re.findall(r"{(\w+)}", path)
        if "get" not in methods or len(names) != 1 or names[0] not in ids:
            continue
        for key in ids[names[0]]:
            address = path.replace(f"{{{names[0]}}}", key)
            answer = client.get(address)
            found[address] = answer.status_code
            body_of(answer)
    return found


def body_of(answer: Any) -> bytes:
    """The bytes of an answer, and the file that they came from closed."""
    body: bytes = b"".join(answer.streaming_content) if answer.streaming else answer.content
    answer.close()
    return body
