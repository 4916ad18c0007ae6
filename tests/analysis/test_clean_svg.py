"""SVG figures are sanitised before they are saved: only safe elements stay (contract of the service, Security 5)."""

from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from analysis.running.sanitize_svg import _ATTRIBUTES, _ELEMENTS, sanitize_svg
from tests.analysis.results import SVG

OPEN = "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"
HOSTILE = {
    "script": f"{OPEN}><script>alert(1)</script><rect/></svg>",
    "script in capitals": f"{OPEN}><SCRIPT>alert(1)</SCRIPT><rect/></svg>",
    "script of another namespace": f"{OPEN} xmlns:h='http://www.w3.org/1999/xhtml'><h:script>alert(1)</h:script></svg>",
    "handler": f"{OPEN} onload='alert(1)'><rect onclick='alert(1)' ONMOUSEOVER='alert(1)'/></svg>",
    "foreignObject": (
        f"{OPEN}><foreignObject><body xmlns='http://www.w3.org/1999/xhtml'><img "
        "src='x' onerror='alert(1)'/></body></foreignObject></svg>"
    ),
    "link": f"{OPEN}><a href='javascript:alert(1)' xlink:href='javascript:alert(1)'><text>alert me</text></a></svg>",
    "use of elsewhere": (
        f"{OPEN}><use xlink:href='http://evil.example/x.svg#a'/><use href='data:image/svg+xml,x'/></svg>"
    ),
    "image": f"{OPEN}><image href='http://evil.example/x.png' xlink:href='file:///etc/passwd'/></svg>",
    "animation": (
        f"{OPEN}><rect><set attributeName='onclick' to='alert(1)'/><animate "
        "attributeName='href' values='javascript:alert(1)'/></rect></svg>"
    ),
    "style that imports": f"{OPEN}><style>@import 'http://evil.example/x.css';</style></svg>",
    "style that fetches": (
        f"{OPEN}><style>rect {{ fill: url(http://evil.example/x) "
        "}</style><rect style='fill: url(\"//evil.example\")'/></svg>"
    ),
    "style by escapes": (
        f"{OPEN}><rect style='fill: u\\72l(http://evil.example/x)'/><rect fill='URL( http://evil.example )'/></svg>"
    ),
    "style ends itself": f"{OPEN}><style>x&lt;/style&gt;&lt;script&gt;alert(1)&lt;/script&gt;</style></svg>",
    "two urls, one of elsewhere": f"{OPEN}><rect fill='url(#a) url(http://evil.example)'/></svg>",
    "base": f"{OPEN} xml:base='http://evil.example/'><rect/></svg>",
    "filter and feImage": f"{OPEN}><filter><feImage href='http://evil.example/x'/></filter></svg>",
    "iframe": (
        f"{OPEN}><iframe src='http://evil.example'/><embed "
        "src='http://evil.example'/><object data='http://evil.example'/></svg>"
    ),
    "instruction": f"<?xml-stylesheet href='http://evil.example/x.css'?>{OPEN}><rect/></svg>",
    "text that looks like markup": f"{OPEN}><text>&lt;script&gt;alert(1)&lt;/script&gt;</text></svg>",
    "svg in svg": f"{OPEN}><svg onload='alert(1)'><script>alert(1)</script></svg></svg>",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_that_runs_or_fetches_stays(name: str) -> None:
    cleaned = sanitize_svg(HOSTILE[name])
    assert cleaned.startswith("<svg")
    root = ElementTree.fromstring(cleaned)
    for element in root.iter():
        assert element.tag.removeprefix("{http://www.w3.org/2000/svg}") in _ELEMENTS, element.tag
        for attribute, value in element.attrib.items():
            assert attribute in _ATTRIBUTES, attribute
            assert "evil.example" not in value
            assert "alert" not in value
        if not element.tag.endswith(("text", "title", "desc", "tspan")):
            assert "evil.example" not in (element.text or "")
            assert "alert(1)" not in (element.text or "")
    assert "<script" not in cleaned


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "<html><body>no</body></html>",
        "<svg><rect/></svg>",  # of no namespace: a browser shows nothing of it
        "<svg xmlns='http://www.w3.org/2000/svg'><rect></svg>",
        "<!DOCTYPE svg [<!ENTITY a 'b'>]><svg xmlns='http://www.w3.org/2000/svg'><text>&a;</text></svg>",
        "<!DOCTYPE svg [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><svg xmlns='http://www.w3.org/2000/svg'>&x;</svg>",
        f"{OPEN}>" + "<g>" * 100_000 + "</g>" * 100_000 + "</svg>",
        f"{OPEN}><text>" + "x" * 3_000_001 + "</text></svg>",
        "\0",
    ],
    ids=["empty", "html", "no namespace", "torn", "entity", "outer entity", "deep", "long", "nul"],
)
def test_what_is_no_svg_is_not_kept(text: str) -> None:
    assert sanitize_svg(text) == ""


def test_a_figure_of_r_stays_as_it_was_drawn() -> None:
    before, after = ElementTree.fromstring(SVG), ElementTree.fromstring(sanitize_svg(SVG))
    drawn = [[(one.tag, one.attrib, (one.text or "").strip()) for one in root.iter()] for root in (before, after)]
    assert drawn[0] == drawn[1]
    assert sanitize_svg(sanitize_svg(SVG)) == sanitize_svg(SVG)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=60))
@example("a\ufffeb")
def test_any_label_stays_and_none_becomes_markup(label: str) -> None:
    text = ElementTree.Element("text")
    text.text = label
    made = sanitize_svg(f"{OPEN}>{ElementTree.tostring(text, encoding='unicode')}</svg>")
    root = ElementTree.fromstring(made)
    assert [one.tag.rpartition("}")[2] for one in root.iter()] == ["svg", "text"]
    assert (root[0].text or "") == label.replace("\ufffe", "").replace("\uffff", "")
