"""The walk through editor and manuscript in Debian's Firefox, as a student and her supervisor (SPEC T2, T3, G1, P8).

Playwright cannot drive that Firefox; Puppeteer can (manuscript_walk.mjs). With FIREFOX_PICTURES, the name of a folder,
each step leaves a picture there.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.e2e.conftest import OpenWindow, Server
from tests.e2e.test_comments import new_supervisor
from tests.e2e.writing import Written, new_section
from tests.servers.processes import ROOT

EXPECTED = "412 "  # the second of two windows that write the same
TABLE = r"""Where the trees stood.

\begin{table}\caption{Plots of the walk}\label{LABEL}\begin{tabular}{lr}\toprule Plot & Trees \\ \midrule North & 12 \\
\bottomrule\end{tabular}\end{table}"""
TEXT = r"""\section{Trees}
Alder fixes nitrogen. The mean was $\bar{x} = \frac{3}{2}$ in fourteen plots of red alder.
"""


@pytest.fixture(scope="module")
def supervisor(browser: Browser, server: Server, thesis: str) -> Any:
    return new_supervisor(browser, server, thesis, "Edda Berg", "edda.berg@example.org")


def place(written: Written, **more: str) -> dict[str, str]:
    return {"id": written.id, "path": written.path, "slug": written.path.strip("/").split("/")[-1], **more}


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["desktop", "phone"])
def test_the_walk_in_firefox(
    open_window: OpenWindow, server: Server, demo: Any, supervisor: Any, thesis: str, size: tuple[int, int], scheme: str
) -> None:
    firefox, node = shutil.which("firefox-esr"), shutil.which("node")
    assert firefox is not None, "docker/setup test-long installs Firefox"
    assert node is not None
    page = open_window(signed_in=demo)
    label = f"tab:plots-{size[0]}-{scheme}"
    table = new_section(page, server, thesis, TABLE.replace("LABEL", label), "Plots of the walk")
    chapter = new_section(page, server, thesis, TEXT, "The walk")
    pictures = os.environ.get("FIREFOX_PICTURES")
    if pictures:
        pictures = str(Path(pictures, f"{size[0]}-{scheme}").absolute())
        Path(pictures).mkdir(parents=True, exist_ok=True)
    asked = {
        "firefox": firefox,
        "address": server.address,
        "width": size[0],
        "height": size[1],
        "dark": scheme == "dark",
        "axe": str(ROOT / "node_modules" / "axe-core" / "axe.min.js"),
        "pictures": pictures,
        "student": cookies_of(demo),
        "supervisor": cookies_of(supervisor),
        "thesis": thesis,
        "chapter": place(chapter),
        "table": place(table, label=label),
    }
    walk = [node, str(Path(__file__).with_name("manuscript_walk.mjs"))]
    ended = subprocess.run(walk, cwd=ROOT, input=json.dumps(asked), capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    trouble = json.loads(ended.stdout)["trouble"]
    assert [said for said in trouble if not said.startswith(EXPECTED)] == []


def cookies_of(state: Any) -> list[dict[str, str]]:
    """The cookies of a signed in person, as Puppeteer sets them."""
    return [{key: cookie[key] for key in ("name", "value", "domain", "path")} for cookie in state["cookies"]]
