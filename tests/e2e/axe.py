"""What axe-core finds serious on a page (SPEC P8), in light and in dark: one walk for both.

A page takes its colours from the style sheet alone (`light-dark()`), so that one which turns dark before our eyes is
the same as one that was opened so; the transitions of its buttons are brought to their end. Since nothing but
colours differs, the second scheme is read by the rules about colours alone.
"""

from typing import Any

from playwright.sync_api import Page

from tests.servers.processes import ROOT

AXE = (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
GRAVE = ("serious", "critical")
# The tool reads the page as it stands: styles are not fetched a second time.
RUN = """async (rules) => {
  const found = await axe.run(document, {preload: false, resultTypes: ["violations"], ...(rules && {runOnly: rules})});
  return found.violations.map(
    ({id, impact, nodes}) => ({id, impact, places: nodes.map(node => node.target.join(" "))}),
  );
}"""
# Once no button is on its way from one colour to the other.
# Brought to their end: in a window behind another they would not go on. What inherits a colour may begin one later.
SETTLED = """() => {
  for (let round = 0; round < 5; round += 1)
    document.getAnimations().filter(one => one instanceof CSSTransition).forEach(one => one.finish());
}"""
# Rows out of sight that are not laid out keep the colours that they had: their transitions stand still.
LAID_OUT = """() => {
  const all = new CSSStyleSheet();
  all.replaceSync("* { content-visibility: visible !important }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, all];
}"""
SCHEMES = ("light", "dark")
COLOURS = ["color-contrast", "link-in-text-block"]  # the rules that read a colour


def serious(page: Page, *schemes: Any) -> list[str]:
    """What is serious on the page as it stands, in each of `schemes` (light and dark): "scheme rule at selector"."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
        page.evaluate(LAID_OUT)
    found: list[str] = []
    for number, scheme in enumerate(schemes or SCHEMES):
        page.emulate_media(color_scheme=scheme)
        page.evaluate(SETTLED)
        violations: list[dict[str, Any]] = page.evaluate(RUN, COLOURS if number else None)
        found += [
            f"{scheme}: {violation['id']} at {place}"
            for violation in violations
            if violation["impact"] in GRAVE
            for place in violation["places"]
        ]
    return found


def serious_at(page: Page, *addresses: str) -> list[str]:
    """What is serious on the pages at `addresses`, once each has come to rest: "address scheme: rule at selector"."""
    found: list[str] = []
    for address in addresses:
        page.goto(address)
        page.wait_for_load_state("networkidle")
        found += [f"{address} {said}" for said in serious(page)]
    return found
