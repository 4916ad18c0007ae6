"""R1, R2: which profile a run gets."""

import pytest

from projects.errors import Refused
from research.profiles import BUILT_IN, resolve

KEYS = {
    "name", "providers", "source_quality_mode", "citation_style", "export_formats", "synthesis_template",
    "enable_citation_tools", "enable_methodology_assessment", "enable_citation_network", "enable_pdf_extraction",
    "enable_claim_verification", "source_type_hierarchy", "disciplinary_scope", "time_period",
    "methodology_preferences",
}  # fmt: skip


def test_the_keys_are_exactly_those_of_r1() -> None:
    assert set(BUILT_IN["general"].model_dump()) == KEYS
    assert BUILT_IN["academic"].citation_style == "apa"
    assert BUILT_IN["academic"].enable_citation_tools
    assert BUILT_IN["local-only"].providers == ("library",)


def test_the_order_is_profile_mode_project_site(settings: object) -> None:
    assert resolve(profile="local-only", project_default="academic")[0].name == "local-only"
    assert resolve(project_default="academic")[0].name == "academic"
    assert resolve()[0].name == "general"
    profile, warnings = resolve(mode="academic", project_default="local-only")
    assert profile.name == "academic"
    assert "deprecated" in warnings[0]


def test_with_both_the_profile_wins_and_a_warning_says_so() -> None:
    profile, warnings = resolve(profile="local-only", mode="academic")
    assert profile.name == "local-only"
    assert "“local-only” was used" in warnings[0]


def test_overrides_apply_on_top() -> None:
    profile, _ = resolve(
        profile="academic", overrides={"citation_style": "ieee", "disciplinary_scope": "soil science, forestry"}
    )
    assert profile.citation_style == "ieee"
    assert profile.disciplinary_scope == ("soil science", "forestry")
    assert BUILT_IN["academic"].citation_style == "apa"


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"profile": "acadmic"}, "Known: general, academic, technical, local-only"),
        ({"mode": "fast"}, "Known: general, academic, technical"),
        ({"overrides": {"citation_stile": "apa"}}, "Did you mean citation_style"),
        ({"overrides": {"name": "x"}}, "no key “name”"),
        ({"overrides": {"source_quality_mode": "sloppy"}}, "source_quality_mode"),
        ({"overrides": {"enable_citation_tools": "perhaps"}}, "enable_citation_tools"),
        ({"overrides": {"providers": "pubmeed"}}, "providers"),
        ({"overrides": {"synthesis_template": "nonsense"}}, "synthesis_template"),
        ({"overrides": {"export_formats": "md, exe"}}, "export_formats"),
        ({"overrides": {"time_period": "a\0b"}}, "NUL"),
        ({"overrides": {"citation_style": "no-such-style-anywhere"}}, "No citation style"),
    ],
)
def test_what_is_unknown_is_refused_with_what_is_known(asked: dict, says: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(Refused, match=says):
        resolve(**asked)
