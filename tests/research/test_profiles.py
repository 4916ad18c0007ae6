"""R1, R2: which profile a run gets."""

import pytest

from core.errors import Refused
from research.setup.profile_registry import resolve
from research.setup.profiles import BUILT_IN

pytestmark = pytest.mark.django_db

KEYS = {
    "name", "providers", "source_quality_mode", "citation_style", "export_formats", "synthesis_template",
    "enable_citation_tools", "enable_methodology_assessment", "enable_citation_network", "enable_pdf_extraction",
    "enable_claim_verification", "source_type_hierarchy", "disciplinary_scope", "time_period",
    "methodology_preferences",
}  # fmt: skip


def test_the_keys_are_exactly_those_of_r1() -> None:
    assert set(BUILT_IN["general"].model_dump()) == KEYS


TOOLS = (
    "enable_citation_tools", "enable_methodology_assessment", "enable_citation_network", "enable_pdf_extraction",
)  # fmt: skip
S2, OA = "semantic_scholar", "openalex"


@pytest.mark.parametrize(
    ("name", "providers", "mode", "style", "tools"),
    [
        ("general", ("tavily", S2), "general", "default", ()),
        ("academic", (S2, OA, "tavily"), "academic", "apa", TOOLS[:1]),
        ("systematic-review", (S2, OA, "pubmed", "tavily"), "academic", "apa", (TOOLS[0], TOOLS[1], TOOLS[3])),
        ("bibliometric", (OA, S2), "academic", "apa", (TOOLS[0], TOOLS[2])),
        ("technical", ("tavily", "google"), "technical", "default", ()),
        ("local-only", ("library",), "general", "apa", ()),
    ],
)
def test_the_built_in_ones_are_those_of_r1(
    name: str, providers: tuple[str, ...], mode: str, style: str, tools: tuple[str, ...]
) -> None:
    profile = BUILT_IN[name]
    assert (profile.providers, profile.source_quality_mode, profile.citation_style) == (providers, mode, style)
    assert tuple(tool for tool in TOOLS if getattr(profile, tool)) == tools
    assert profile.source_type_hierarchy[:1] == (("peer-reviewed articles",) if mode == "academic" else ())
    assert profile.enable_claim_verification
    assert resolve(profile=name, overrides={"providers": [*providers, "crossref"]})[0].name == name


def test_there_are_no_others() -> None:
    assert list(BUILT_IN) == ["general", "academic", "systematic-review", "bibliometric", "technical", "local-only"]


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
    ("key", "typed", "value"),
    [
        ("providers", "crossref, pubmed", ("crossref", "pubmed")),
        ("source_quality_mode", "technical", "technical"),
        ("citation_style", "vancouver", "vancouver"),
        ("export_formats", "md,docx,ris", ("md", "docx", "ris")),
        ("synthesis_template", "howto", "howto"),
        ("synthesis_template", "none", None),
        ("enable_citation_tools", "no", False),
        ("enable_methodology_assessment", "yes", True),
        ("enable_citation_network", "true", True),
        ("enable_pdf_extraction", "1", True),
        ("enable_claim_verification", "false", False),
        ("source_type_hierarchy", "books, preprints", ("books", "preprints")),
        ("disciplinary_scope", "forestry", ("forestry",)),
        ("time_period", "2015 to 2025", "2015 to 2025"),
        ("methodology_preferences", "", ()),
    ],
)
def test_every_key_can_be_typed(key: str, typed: str, value: object) -> None:
    """What --set takes."""
    assert getattr(resolve(profile="academic", overrides={key: typed})[0], key) == value


def test_local_only_stays_so_whatever_is_named() -> None:
    profile, warnings = resolve(profile="local-only", overrides={"providers": "openalex"})
    assert profile.is_local_only
    assert profile.catalogues == ()
    assert "contacts no other services" in warnings[0]
    assert resolve(profile="general", overrides={"providers": "library"})[0].is_local_only, (
        "the library and nobody else"
    )
    for name, built_in in BUILT_IN.items():
        assert built_in.is_local_only == (name == "local-only")


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (
            {"profile": "acadmic"},
            "Available: general, academic, systematic-review, bibliometric, technical, local-only",
        ),
        ({"mode": "fast"}, "Available: general, academic, technical"),
        ({"overrides": {"citation_stile": "apa"}}, "Did you mean citation_style"),
        ({"overrides": {"name": "x"}}, "profile key “name”"),
        ({"overrides": {"source_quality_mode": "sloppy"}}, "source_quality_mode"),
        ({"overrides": {"enable_citation_tools": "perhaps"}}, "enable_citation_tools"),
        ({"overrides": {"providers": "pubmeed"}}, "providers"),
        ({"overrides": {"synthesis_template": "nonsense"}}, "synthesis_template"),
        ({"overrides": {"export_formats": "md, exe"}}, "export_formats"),
        ({"overrides": {"time_period": "a\0b"}}, "NUL"),
        ({"overrides": {"time_period": "x" * 201}}, "time_period"),
        ({"overrides": {"disciplinary_scope": ["x"] * 21}}, "disciplinary_scope"),
        ({"overrides": {"providers": {"a": 1}}}, "providers"),
        ({"overrides": {"citation_style": "no-such-style-anywhere"}}, "No citation style"),
    ],
)
def test_what_is_unknown_is_refused_with_what_is_known(asked: dict, says: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(Refused, match=says):
        resolve(**asked)
