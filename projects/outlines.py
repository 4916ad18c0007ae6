r"""The outlines a thesis can start from: which sections, and which headings stand in them already (SPEC T1).

The first is what the thesis of a clinical study in South Asia usually holds. The headings of the others follow what reports of
that design are asked to contain (PRISMA 2020, CARE, STARD 2015, STROBE), in free words. Numbers are the order: 0 is
the front matter. References and appendices are put together when the thesis is built.
"""

from typing import NamedTuple

from django.utils.text import slugify

from core.errors import Refused


class Part(NamedTuple):
    r"""One section of an outline. `starter` is its LaTeX to begin with: headings (`\section{...}`), or nothing."""

    slug: str
    title: str
    starter: str


class Outline(NamedTuple):
    """A named outline. `whom` says in a sentence for whom it is."""

    slug: str
    name: str
    whom: str
    parts: tuple[Part, ...]


_COMMANDS = {"- ": r"\subsection", "* ": r"\section*"}


def _part(title: str, *headings: str) -> Part:
    r"""A section with a line per heading: "- " before it makes a \subsection, "* " an unnumbered \section."""
    lines = []
    for heading in headings:
        command = _COMMANDS.get(heading[:2])
        lines.append(f"{command}{{{heading[2:]}}}" if command else rf"\section{{{heading}}}")
    return Part(slugify(title), title, "\n\n\n".join(lines) + "\n" if lines else "")


FRONT = _part("Front matter", "* Declaration", "* Certificates", "* Acknowledgements", "* Abbreviations")
ABSTRACT = _part("Abstract", "* Background and objectives", "* Methods", "* Results", "* Conclusions", "* Keywords")
AIMS = _part("Aims and objectives", "Research question", "Aim", "Primary objective", "Secondary objectives")
CONCLUSION = _part("Summary and conclusion", "Summary", "Conclusion", "Recommendations")
DISCUSSION = _part(
    "Discussion",
    "Main findings",
    "Comparison with other studies",
    "Explanations",
    "Strengths and limitations",
    "Meaning for practice",
    "Further research",
)

ORIGINAL = Outline(
    "original-study",
    "Original study",
    "For a clinical thesis on people who were observed or treated: a trial, a cohort, a case-control or cross-sectional study.",
    (
        FRONT,
        ABSTRACT,
        _part("Introduction", "Background", "What is not known", "Why this study"),
        AIMS,
        _part("Review of literature", "The condition", "Earlier studies", "Controversies", "The gap"),
        _part(
            "Materials and methods",
            "Study design",
            "Setting and period",
            "Participants",
            "- Inclusion criteria",
            "- Exclusion criteria",
            "Sample size",
            "Intervention or exposure",
            "Outcomes",
            "Data collection",
            "Statistical analysis",
            "Ethics and registration",
        ),
        _part(
            "Results",
            "Flow of participants",
            "Baseline characteristics",
            "Primary outcome",
            "Secondary outcomes",
            "Harms",
        ),
        DISCUSSION,
        CONCLUSION,
    ),
)

REVIEW = Outline(
    "systematic-review",
    "Systematic review and meta-analysis",
    "For a thesis that finds, appraises and pools the studies of others.",
    (
        FRONT,
        ABSTRACT,
        _part("Introduction", "Rationale", "Earlier reviews", "Why a new review"),
        _part(
            "Aims and objectives", "Review question", "Population, intervention, comparison and outcome", "Objectives"
        ),
        _part("Review of literature", "The condition", "The intervention", "How it might work"),
        _part(
            "Materials and methods",
            "Protocol and registration",
            "Eligibility criteria",
            "Information sources",
            "Search strategy",
            "Selection of studies",
            "Data collection",
            "Risk of bias in the studies",
            "Effect measures",
            "Synthesis",
            "- Heterogeneity",
            "- Subgroups and sensitivity",
            "Reporting bias",
            "Certainty of the evidence",
        ),
        _part(
            "Results",
            "Study selection",
            "Characteristics of the studies",
            "Risk of bias in the studies",
            "Results of single studies",
            "Results of the syntheses",
            "Reporting bias",
            "Certainty of the evidence",
        ),
        _part(
            "Discussion",
            "Summary of the evidence",
            "Agreement with other reviews",
            "Limits of the evidence",
            "Limits of the review process",
            "Meaning for practice and research",
        ),
        CONCLUSION,
    ),
)

CASES = Outline(
    "case-report",
    "Case report or case series",
    "For an account of one patient, or of a few with the same condition.",
    (
        FRONT,
        _part("Abstract", "* Background", "* The case", "* Conclusions", "* Keywords"),
        _part("Introduction", "The condition", "Why this case is reported"),
        _part("Review of literature", "Search for earlier reports", "What they describe"),
        _part(
            "Case presentation",
            "Patient information",
            "Clinical findings",
            "Timeline",
            "Diagnostic assessment",
            "Treatment",
            "Follow-up and outcomes",
            "The patient's view",
            "Consent",
        ),
        _part(
            "Discussion",
            "What is remarkable",
            "Diagnostic and therapeutic reasoning",
            "Comparison with earlier reports",
            "Limitations",
        ),
        _part("Conclusion", "Lessons", "Recommendations"),
    ),
)

DIAGNOSTIC = Outline(
    "diagnostic-accuracy",
    "Diagnostic accuracy",
    "For a study that holds a test against a reference standard.",
    (
        FRONT,
        ABSTRACT,
        _part("Introduction", "The condition and its diagnosis", "Intended use of the test", "Why this study"),
        _part("Aims and objectives", "Research question", "Objectives", "Hypotheses"),
        _part("Review of literature", "The index test", "The reference standard", "Earlier accuracy studies"),
        _part(
            "Materials and methods",
            "Study design",
            "Participants and recruitment",
            "Index test",
            "Reference standard",
            "Cut-offs and blinding",
            "Sample size",
            "Measures of accuracy",
            "Indeterminate and missing results",
            "Statistical analysis",
            "Ethics and registration",
        ),
        _part(
            "Results",
            "Flow of participants",
            "Baseline characteristics",
            "Cross-tabulation of the results",
            "Estimates of accuracy",
            "Subgroups",
            "Adverse events",
        ),
        _part(
            "Discussion",
            "Main findings",
            "Comparison with other studies",
            "Sources of bias",
            "Place of the test in practice",
        ),
        CONCLUSION,
    ),
)

NURSING = Outline(
    "nursing",
    "Nursing",
    "For a thesis on care, education or the experience of patients, measured or told.",
    (
        FRONT,
        ABSTRACT,
        _part("Introduction", "Background", "Need for the study", "Statement of the problem"),
        _part(
            "Aims and objectives",
            "Objectives",
            "Hypotheses",
            "Operational definitions",
            "Assumptions and delimitations",
        ),
        _part("Review of literature", "The problem", "The nursing intervention", "Conceptual framework"),
        _part(
            "Methodology",
            "Research approach and design",
            "Variables",
            "Setting",
            "Population and sample",
            "Sampling",
            "Tools and their validity and reliability",
            "Pilot study",
            "Data collection",
            "Plan of analysis",
            "Ethics",
        ),
        _part(
            "Results",
            "Characteristics of the sample",
            "Findings by objective",
            "Tests of the hypotheses",
            "Associations",
        ),
        _part("Discussion", "Findings by objective", "Comparison with other studies", "Limitations"),
        _part(
            "Summary and conclusion",
            "Summary",
            "Conclusion",
            "Implications",
            "- Nursing practice",
            "- Nursing education",
            "- Nursing administration",
            "- Nursing research",
            "Recommendations",
        ),
    ),
)

DENTAL = Outline(
    "dental",
    "Dental",
    "For a thesis in dentistry, in patients or in the laboratory on teeth and materials.",
    (
        FRONT,
        ABSTRACT,
        _part("Introduction", "Background", "The clinical problem", "Why this study"),
        _part("Aims and objectives", "Aim", "Objectives", "Null hypothesis"),
        _part("Review of literature", "Materials and techniques", "Methods of testing", "Earlier studies"),
        _part(
            "Materials and methods",
            "Study design",
            "Patients or specimens",
            "Grouping and randomisation",
            "Materials and armamentarium",
            "Preparation",
            "Procedure",
            "Measurement and calibration of examiners",
            "Sample size",
            "Statistical analysis",
            "Ethics",
        ),
        _part("Results", "Sample", "Measurements by group", "Comparisons between groups"),
        _part(
            "Discussion",
            "Main findings",
            "Comparison with other studies",
            "Clinical relevance",
            "Limitations",
            "Further research",
        ),
        CONCLUSION,
    ),
)

PHARMACY = Outline(
    "pharmacy",
    "Pharmacy",
    "For work on a medicine: its formulation, analysis, pharmacology or use.",
    (
        FRONT,
        ABSTRACT,
        _part("Introduction", "The disease", "The dosage form or approach", "Need for the study"),
        _part("Aims and objectives", "Aim", "Objectives", "Plan of work"),
        _part("Review of literature", "Drug profile", "Excipient or plant profile", "Earlier studies"),
        _part(
            "Materials and methods",
            "Materials",
            "Equipment",
            "Preformulation",
            "Formulation",
            "Evaluation",
            "Analytical method and its validation",
            "Stability",
            "Pharmacological study",
            "Statistical analysis",
            "Ethics",
        ),
        _part(
            "Results",
            "Preformulation",
            "Evaluation of the formulations",
            "Validation of the method",
            "Stability",
            "Pharmacological findings",
        ),
        _part("Discussion", "Main findings", "Comparison with other studies", "Limitations"),
        _part("Summary and conclusion", "Summary", "Conclusion", "Future scope"),
    ),
)

PUBLIC_HEALTH = Outline(
    "public-health",
    "Public health",
    "For a survey, a surveillance study or the evaluation of a programme in a population.",
    (
        FRONT,
        ABSTRACT,
        _part("Introduction", "Burden of the problem", "Policy and programmes", "Justification"),
        AIMS,
        _part("Review of literature", "Distribution", "Determinants", "Interventions", "Conceptual framework"),
        _part(
            "Materials and methods",
            "Study design",
            "Study area and population",
            "Sample size",
            "Sampling",
            "Definitions and variables",
            "Instruments and field work",
            "Quality of the data",
            "Bias and confounding",
            "Statistical analysis",
            "Ethics",
        ),
        _part(
            "Results",
            "Response",
            "Characteristics of the population",
            "Prevalence or incidence",
            "Associated factors",
            "Effect of the programme",
        ),
        _part(
            "Discussion",
            "Main findings",
            "Comparison with other populations",
            "Strengths and limitations",
            "Generalisability",
        ),
        _part(
            "Summary and conclusion",
            "Summary",
            "Conclusion",
            "Recommendations for policy",
            "Recommendations for research",
        ),
    ),
)

BASIC_SCIENCE = Outline(
    "basic-science",
    "Basic science",
    "For experiments in a laboratory: cells, animals, molecules, soils.",
    (
        FRONT,
        ABSTRACT,
        _part("Introduction", "Background", "What is not known", "Approach"),
        _part("Aims and objectives", "Hypothesis", "Aims"),
        _part("Review of literature", "The system", "Mechanisms", "Open questions"),
        _part(
            "Materials and methods",
            "Materials and reagents",
            "Organisms and samples",
            "Experimental design",
            "Assays",
            "Imaging and measurement",
            "Randomisation and blinding",
            "Replicates and sample size",
            "Statistical analysis",
            "Ethics and biosafety",
            "Availability of data and code",
        ),
        _part("Results", "First experiment", "Second experiment", "Third experiment"),
        _part(
            "Discussion",
            "What the experiments show",
            "Relation to earlier work",
            "Alternative explanations",
            "Limitations",
            "Outlook",
        ),
        _part("Summary and conclusion", "Summary", "Conclusion"),
    ),
)

PSYCHOLOGY = Outline(
    "psychology",
    "Psychology",
    "For a thesis with one or more studies of behaviour or experience.",
    (
        FRONT,
        ABSTRACT,
        _part("Introduction", "The problem", "Why it matters", "The present research"),
        _part("Theory and literature", "Theory", "Empirical findings", "The gap"),
        _part("Aims and hypotheses", "Research questions", "Hypotheses", "Preregistration"),
        _part(
            "Method",
            "Design",
            "Participants",
            "Power analysis",
            "Measures",
            "Procedure",
            "Plan of analysis",
            "Ethics",
        ),
        _part(
            "Results",
            "Preliminary analyses",
            "Descriptive statistics",
            "Tests of the hypotheses",
            "Exploratory analyses",
        ),
        _part(
            "Discussion",
            "Main findings",
            "Theoretical implications",
            "Practical implications",
            "Constraints on generality",
            "Further research",
        ),
        _part("Conclusion"),
    ),
)

SOCIAL_SCIENCES = Outline(
    "social-sciences",
    "Social sciences and humanities",
    "For an argument built from fieldwork, interviews, archives or texts.",
    (
        FRONT,
        _part("Abstract"),
        _part("Introduction", "The question", "Why it matters", "The argument in brief", "Plan of the thesis"),
        _part("Literature and theory", "State of the debate", "Concepts", "Theoretical framework"),
        _part(
            "Sources and methods",
            "Approach",
            "The case or corpus",
            "Sources and fieldwork",
            "Ways of analysis",
            "Position of the researcher",
            "Ethics",
        ),
        _part("Context", "History", "Place and people"),
        _part("Analysis", "First theme", "Second theme", "Third theme"),
        _part("Discussion", "What the analysis shows", "Answer to the debate", "Limits of the evidence"),
        _part("Conclusion", "Answer to the question", "What follows from it"),
    ),
)

ENGINEERING = Outline(
    "engineering",
    "Engineering and computing",
    "For something built, modelled or measured, told as introduction, methods, results and discussion.",
    (
        FRONT,
        _part("Abstract"),
        _part("Introduction", "Motivation", "Problem statement", "Contributions", "Structure of the thesis"),
        _part("Background and related work", "Background", "Related work", "Comparison"),
        _part("Requirements and objectives", "Objectives", "Requirements", "Assumptions"),
        _part(
            "Methods",
            "Overview",
            "Design or model",
            "Implementation",
            "Experimental setup",
            "Data",
            "Measures",
        ),
        _part("Results", "Validation", "Experiments", "Comparison with the state of the art", "Sensitivity"),
        _part("Discussion", "Interpretation", "Threats to validity", "Limitations"),
        _part("Conclusion and future work", "Conclusion", "Future work"),
    ),
)

EMPTY = Outline("empty", "Empty", "I make my own sections, or bring a text I have already.", ())

OUTLINES = (
    ORIGINAL,
    REVIEW,
    CASES,
    DIAGNOSTIC,
    NURSING,
    DENTAL,
    PHARMACY,
    PUBLIC_HEALTH,
    BASIC_SCIENCE,
    PSYCHOLOGY,
    SOCIAL_SCIENCES,
    ENGINEERING,
    EMPTY,
)
# What a program or a command starts without choosing: the nine usual sections with nothing in them.
UNCHOSEN = Outline(
    "", "The usual sections, empty", ORIGINAL.whom, tuple(Part(p.slug, p.title, "") for p in ORIGINAL.parts)
)

_BY_SLUG = {outline.slug: outline for outline in (UNCHOSEN, *OUTLINES)}


def find_outline(slug: str) -> Outline:
    """The outline called `slug`; "" is the usual sections, empty. Raises Refused, with the list, for an unknown one."""
    found = _BY_SLUG.get(slug)
    if found is None:
        listed = ", ".join(outline.slug for outline in OUTLINES)
        raise Refused(f"There is no outline “{slug[:60]}”. Choose one of these: {listed}.", field="outline")
    return found
