"""The report: verbatim sentences grouped by facet, each with its citation marker (SPEC R9, R10)."""

import re
from collections.abc import Iterable, Sequence

from llm.offline.facets import BY_KEY, FACETS, OTHER
from llm.roles import CitedFinding, ContradictionDraft, Heading, SectionDraft, Synthesis, SynthesizeAsked

NOTHING = "Nothing in the material at hand speaks to this."
NO_GAP = "Every side that the question names has at least one sentence above."
SUMMARY = 3  # findings repeated in the summary
TITLE = 200  # characters

# What goes under a heading, by its key, title and rule; the first match wins. Headings without a match take themes.
_TAKES = (
    ("summary", re.compile(r"\b(?:summary|abstract|short answer|key (?:points|findings))\b", re.IGNORECASE)),
    ("conclusions", re.compile(r"\bconclusions?\b", re.IGNORECASE)),
    ("debates", re.compile(r"\b(?:debates?|contradictions?|disagree\w*|conflicts?|cautions?)\b", re.IGNORECASE)),
    ("gaps", re.compile(r"\b(?:gaps?|not known|not found|future|open questions?)\b", re.IGNORECASE)),
    ("methods", re.compile(r"\b(?:methods?|methodolog\w+)\b", re.IGNORECASE)),
    ("themes", re.compile(r"###|\bthemes?\b|\bfindings\b|\bresults\b", re.IGNORECASE)),
    ("definitions", re.compile(r"\b(?:theor\w+|foundations?|mechanisms?)\b", re.IGNORECASE)),
    ("scope", re.compile(r"\b(?:introduction|scope|background|definitions?|populations?)\b", re.IGNORECASE)),
)
_ENDED = re.compile(r"[.!?…。！？][\"'”’»)\]*_]*\s*$")
_METHOD = re.compile(
    r"\b(?:randomi[sz]ed|open[- ]label|double[- ]blind\w*|blinded|placebo-controlled|cohort|case-control|"
    r"cross-sectional|"
    r"survey(?:ed)?|interview(?:s|ed)?|meta-analys[ie]s|fixed-effect|random-effects|regression|model(?:l?ed|s)?|"
    r"sampled|"
    r"experiment|trial design|observational|simulation|archiv\w+|measured (?:with|by|using)|design)\b",
    re.IGNORECASE,
)
# Where findings of a facet go if their first choice is not among the headings.
_HOMES = {
    "definition": ("definitions", "scope", "themes"),
    "population": ("scope", "themes"),
    "disagreement": ("debates", "themes"),
}
_THEME_TITLES = {facet.key: facet.label for facet in FACETS} | {OTHER: "Further points"}


def synthesize(asked: SynthesizeAsked) -> Synthesis:
    """Return the report. Every finding appears once in the body; summary and conclusions repeat a few."""
    takes = _roles(asked.headings)
    by_role = {role: key for key, role in reversed(list(takes.items()))}
    paired = _paired(asked.contradictions, asked.findings) if "debates" in by_role else []
    in_pairs = {finding.id for pair in paired for finding in pair}
    homes = [(_home(one, by_role, asked.headings), one) for one in asked.findings if one.id not in in_pairs]
    sections = []
    for key, role in ((heading.key, takes[heading.key]) for heading in asked.headings):
        parts = [_special(role, asked, paired), _grouped(role, [one for home, one in homes if home == key])]
        sections.append(SectionDraft(key=key, body="\n\n".join(filter(None, parts)) or NOTHING))
    return Synthesis(title=title_of(asked.question), sections=sections)


def title_of(question: str) -> str:
    """Return a question as a title: one line, without question mark, shortened at a word if it is very long."""
    words = " ".join(question.split()).rstrip(" ?.!")
    if len(words) > TITLE:
        words = words[:TITLE].rsplit(" ", 1)[0].rstrip(",;:") + "…"
    return words[:1].upper() + words[1:]


def _roles(headings: Sequence[Heading]) -> dict[str, str]:
    """Return what each heading takes. At least one takes the themes, so that no finding is lost."""
    roles = {
        one.key: next(
            (role for text in (one.key, one.title, one.rule) for role, cue in _TAKES if cue.search(text)), "themes"
        )
        for one in headings
    }
    if headings and "themes" not in roles.values():
        roles[headings[-1].key] = "themes"
    return roles


def _home(finding: CitedFinding, by_role: dict[str, str], headings: Sequence[Heading]) -> str:
    if "methods" in by_role and finding.category in ("population", "exposure") and _METHOD.search(finding.content):
        return by_role["methods"]
    if finding.category == "limits" and any(
        "limits" in one.rule for one in headings if one.key == by_role.get("debates")
    ):
        return by_role["debates"]
    return by_role[next((role for role in _HOMES.get(finding.category, ()) if role in by_role), "themes")]


def _special(role: str, asked: SynthesizeAsked, paired: list[tuple[CitedFinding, CitedFinding]]) -> str:
    if role == "summary":
        return _prose(_strongest(asked.findings, SUMMARY))
    if role == "conclusions":
        outcome = _strongest([f for f in asked.findings if f.category in ("outcome", "comparison")], 1)
        return _prose([*outcome, *_strongest([f for f in asked.findings if f.category == "limits"], 1)])
    if role == "gaps":
        return "\n".join(f"- {gap.rstrip('.')}." for gap in dict.fromkeys(asked.gaps)) or NO_GAP
    if role == "debates" and paired:
        return "\n\n".join(["### Sources that differ", *(_prose(pair, apart=True) for pair in paired)])
    return ""


def _strongest(findings: Iterable[CitedFinding], count: int) -> list[CitedFinding]:
    """Return the findings with the highest confidence, outcomes first, from as many facets and sources as possible."""
    ranked = sorted(findings, key=lambda f: (f.category not in ("outcome", "comparison"), -f.confidence, f.id))
    kept: list[CitedFinding] = []
    for finding in ranked:
        if all(finding.content != other.content and finding.source_id != other.source_id for other in kept):
            kept.append(finding)
    kept += [finding for finding in ranked if all(finding.content != other.content for other in kept)]
    return kept[:count]


def _paired(
    contradictions: Sequence[ContradictionDraft], findings: Sequence[CitedFinding]
) -> list[tuple[CitedFinding, CitedFinding]]:
    """Return the two findings of each contradiction of which both sides are findings."""
    pairs = []
    used: set[str] = set()
    for contradiction in contradictions:
        sides: list[CitedFinding] = []
        # Both sides may be in one passage.
        for source_id in (contradiction.source_ids * 2)[:2]:
            sides += [
                finding
                for finding in findings
                if finding.source_id == source_id
                and finding.id not in used | {one.id for one in sides}
                and f"“{finding.content}”" in contradiction.description
            ][:1]
        if len(sides) == 2:
            pairs.append((sides[0], sides[1]))
            used |= {sides[0].id, sides[1].id}
    return pairs


def _grouped(role: str, findings: Sequence[CitedFinding]) -> str:
    """Return the findings with a ### heading per facet (none for a single facet) and a paragraph per document."""
    by_facet = {
        key: [one for one in findings if (one.category if one.category in BY_KEY else OTHER) == key]
        for key in (*BY_KEY, OTHER)
    }
    groups = [(key, group) for key, group in by_facet.items() if group]
    parts = []
    for key, group in groups:
        if role == "themes" or len(groups) > 1:
            parts.append(f"### {_THEME_TITLES[key]}")
        parts += [
            _prose([finding for finding in group if finding.document == document])
            for document in dict.fromkeys(finding.document for finding in group)
        ]
    return "\n\n".join(parts)


def _prose(findings: Sequence[CitedFinding], *, apart: bool = False) -> str:
    """Return sentences in sequence with their markers; tables and texts without a full stop are set apart."""
    parts: list[str] = []
    glue = True
    for finding in findings:
        cited = f"{finding.content.rstrip()} [[{finding.id}]]"
        is_table = "|" in finding.content and "\n" in finding.content
        if parts and not is_table and not apart and glue:
            parts[-1] += f" {cited}"
        else:
            parts.append(cited)
        # Text without a full stop would run into the next sentence.
        glue = not is_table and bool(_ENDED.search(finding.content))
    return "\n\n".join(parts)
