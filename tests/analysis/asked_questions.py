"""Forty questions as students of several fields ask them, with the answer of a statistician (SPEC N4).

Each has its columns in the order in which the question mentions them, the outcome first (or time and status first):
(name, level of measurement, different values). The expected answer is an analysis, "sample_size", "none" if Scholium
has no analysis for it, or "asks" if the wizard must ask back.
"""

from typing import NamedTuple

from analysis.advice.classify_question import classify_question
from analysis.advice.question_catalogue import QUESTIONS
from analysis.advice.question_rules import SAMPLE_SIZE
from analysis.advice.suggest import Facts, Variable, suggest
from core.errors import Refused

Column = tuple[str, str, int]


class LabelledQuestion(NamedTuple):
    question: str
    columns: list[Column]
    expected: str


N, O, M = "nominal", "ordinal", "numeric"  # noqa: E741

FORTY: list[LabelledQuestion] = [
    LabelledQuestion("Is low birth weight more common in mothers who smoke than in mothers who do not?", [("low birth weight", N, 2), ("smoker", N, 2)], "chi_square"),
    LabelledQuestion("Did the VAS pain score fall from before to 24 hours after the nerve block in the same patients?", [("vas before", O, 11), ("vas 24h", O, 11)], "wilcoxon"),
    LabelledQuestion("Is low-dose bupivacaine non-inferior to the standard dose for the duration of motor block?", [("block minutes", M, 60), ("dose", N, 2)], "none"),
    LabelledQuestion("Is the new suture as good as the old one in terms of days to wound healing?", [("healing days", M, 25), ("suture", N, 2)], "none"),
    LabelledQuestion("Does the effect of metformin on weight loss differ by sex?", [("weight loss", M, 80), ("metformin", N, 2), ("sex", N, 2)], "none"),
    LabelledQuestion("Which factors are associated with readmission within 30 days after adjusting for age and comorbidity?", [("readmitted", N, 2), ("age", M, 50), ("comorbidity", M, 9)], "logistic"),
    LabelledQuestion("Is the incidence rate of falls per 1000 patient-days higher on geriatric than on surgical wards?", [("falls", M, 9), ("ward", N, 2)], "none"),
    LabelledQuestion("Did HbA1c change differently over 12 months in the telemedicine group compared with usual care?", [("hba1c 12 months", M, 70), ("group", N, 2), ("hba1c baseline", M, 70)], "none"),
    LabelledQuestion("How long until relapse in patients on lithium versus valproate?", [("weeks", M, 80), ("relapsed", N, 2), ("drug", N, 2)], "kaplan_meier"),
    LabelledQuestion("Which variables predict the modified Rankin scale at three months after stroke?", [("mRS", O, 7), ("age", M, 50), ("NIHSS", M, 25)], "none"),
    LabelledQuestion("Does the number of asthma attacks last year depend on passive smoking and age?", [("attacks", M, 8), ("passive smoking", N, 2), ("age", M, 14)], "linear"),
    LabelledQuestion("Are two examiners in agreement on the Mallampati class?", [("examiner 1", O, 4), ("examiner 2", O, 4)], "kappa"),
    LabelledQuestion("What is the agreement of five pathologists on the Gleason grade group?", [(f"pathologist {n}", O, 5) for n in range(1, 6)], "none"),
    LabelledQuestion("How accurate is point-of-care ultrasound for appendicitis compared with histology?", [("histology", N, 2), ("ultrasound", N, 2)], "diagnostic"),
    LabelledQuestion("What cut-off of procalcitonin best identifies patients with bacteraemia?", [("bacteraemia", N, 2), ("procalcitonin", M, 90)], "roc"),
    LabelledQuestion("Does the corneal thickness measured by Pentacam agree with ultrasound pachymetry?", [("pentacam", M, 80), ("pachymetry", M, 80)], "bland_altman"),
    LabelledQuestion("Is serum vitamin D correlated with HbA1c?", [("vitamin d", M, 70), ("hba1c", M, 60)], "correlation"),
    LabelledQuestion("What is the partial correlation of BMI and CRP controlling for age?", [("bmi", M, 80), ("crp", M, 80), ("age", M, 50)], "none"),
    LabelledQuestion("Is the mean haemoglobin of our donors different from the reference value of 13 g/dl?", [("hb", M, 60)], "one_sample_t"),
    LabelledQuestion("Is there a dose-response trend of caries over the four steps of sugar intake?", [("caries", N, 2), ("sugar", O, 4)], "none"),
    LabelledQuestion("Does self-efficacy mediate the effect of the course on the exam result?", [("exam", M, 60), ("course", N, 2), ("self-efficacy", M, 30)], "none"),
    LabelledQuestion("Were the groups comparable at baseline?", [("age", M, 50), ("sex", N, 2), ("arm", N, 2)], "table1"),
    LabelledQuestion("How many patients do I need to show that drug A is not inferior to drug B with a margin of 5 %?", [], "none"),
    LabelledQuestion("How many patients per group do I need to find a difference of 10 mmHg?", [], "sample_size"),
    LabelledQuestion("Is the quality of life questionnaire internally consistent (Cronbach's alpha)?", [(f"item {n}", O, 5) for n in range(1, 11)], "none"),
    LabelledQuestion("Is early mobilisation associated with a shorter ICU stay when patients are clustered in hospitals?", [("icu days", M, 30), ("early", N, 2), ("hospital", N, 12)], "none"),
    LabelledQuestion("What is the cumulative incidence of relapse with death as a competing risk?", [("months", M, 70), ("status", N, 3)], "none"),
    LabelledQuestion("Is statin use associated with lower mortality after propensity score matching?", [("died", N, 2), ("statin", N, 2)], "none"),
    LabelledQuestion("Does mortality differ between men and women?", [("died", N, 2), ("sex", N, 2)], "chi_square"),
    LabelledQuestion("Is the hospital stay longer in patients with delirium than in those without?", [("stay days", M, 40), ("delirium", N, 2)], "t_test"),
    LabelledQuestion("Is there any diffrence in birth wieght between the three districts?", [("birth weight", M, 90), ("district", N, 3)], "anova"),
    LabelledQuestion("Survival of patients with colon cancer by stage", [("months", M, 80), ("status", N, 3), ("stage", O, 4)], "asks"),
    LabelledQuestion("Has the monthly number of admissions changed since the lockdown, as an interrupted time series?", [("admissions", M, 40), ("period", N, 2)], "none"),
    LabelledQuestion("Is home dialysis cost-effective compared with dialysis in a centre?", [("cost", M, 90), ("place", N, 2)], "none"),
    LabelledQuestion("Are the answers to the twenty items explained by a few underlying factors?", [(f"item {n}", O, 5) for n in range(1, 21)], "none"),
    LabelledQuestion("Do the stress levels of nurses (none, mild, moderate, severe) differ between the four wards?", [("stress", O, 4), ("ward", N, 4)], "kruskal"),
    LabelledQuestion("Did the same patients report nausea before and after the change of drug?", [("nausea before", N, 2), ("nausea after", N, 2)], "mcnemar"),
    LabelledQuestion("Is the age of the patients normally distributed?", [("age", M, 50)], "normality"),
    LabelledQuestion("Please help me with my thesis data", [("age", M, 50), ("sex", N, 2)], "asks"),
    LabelledQuestion("What is the pooled odds ratio of stillbirth over the eight studies?", [("study", "text", 8), ("events 1", M, 8), ("n 1", M, 8), ("events 2", M, 8), ("n 2", M, 8)], "meta"),
]  # fmt: skip


# Written when the code was finished, and asked once.
LATER: list[LabelledQuestion] = [
    LabelledQuestion("Are preterm babies more likely to fail the newborn hearing screen than term babies?", [("failed", N, 2), ("preterm", N, 2)], "chi_square"),
    LabelledQuestion("Does warming of the local anaesthetic reduce injection pain on a 0-10 scale compared to room temperature?", [("pain", O, 11), ("warmed", N, 2)], "mann_whitney"),
    LabelledQuestion("Can we treat uncomplicated appendicitis with antibiotics alone without doing worse than surgery?", [("complication", N, 2), ("treatment", N, 2)], "none"),
    LabelledQuestion("Is the protective effect of breastfeeding against otitis weaker in children who attend daycare?", [("otitis", N, 2), ("breastfed", N, 2), ("daycare", N, 2)], "none"),
    LabelledQuestion("I measured intraocular pressure in both eyes of 60 patients, is it higher in eyes with pseudoexfoliation?", [("iop", M, 40), ("pex", N, 2)], "none"),
    LabelledQuestion("How many exacerbations per patient-year occurred under triple therapy and under dual therapy?", [("exacerbations", M, 7), ("therapy", N, 2)], "none"),
    LabelledQuestion("What is the sensitivity and specificity of the Ottawa ankle rules using x-ray as the reference?", [("fracture", N, 2), ("ottawa", N, 2)], "diagnostic"),
    LabelledQuestion("At which PSA value should we biopsy?", [("cancer", N, 2), ("psa", M, 90)], "asks"),
    LabelledQuestion("Do the peak flow values of the cheap meter match those of the hospital spirometer?", [("cheap", M, 80), ("spirometer", M, 80)], "bland_altman"),
    LabelledQuestion("Do my two raters give the same ASA class?", [("rater 1", O, 5), ("rater 2", O, 5)], "kappa"),
    LabelledQuestion("Do patients with higher anxiety scores have higher postoperative opioid consumption?", [("opioid", M, 80), ("anxiety", M, 40)], "correlation"),
    LabelledQuestion("Do seizures decline from visit to visit in the ketogenic diet group compared to the normal diet group?", [("seizures", M, 9), ("diet", N, 2), ("visit", O, 4)], "none"),
    LabelledQuestion("Which of age, tumour size and nodal status are independent predictors of recurrence, yes or no?", [("recurrence", N, 2), ("age", M, 50), ("size", M, 40), ("nodes", N, 2)], "logistic"),
    LabelledQuestion("Five-year overall survival after gastrectomy, laparoscopic versus open", [("months", M, 60), ("died", N, 2), ("approach", N, 2)], "kaplan_meier"),
    LabelledQuestion("Does the burnout scale measure three distinct dimensions?", [(f"item {n}", O, 7) for n in range(1, 23)], "none"),
    LabelledQuestion("Would screening every two years save money per life-year gained?", [("cost", M, 90), ("screening", N, 2)], "none"),
    LabelledQuestion("Did knowledge about contraception improve after the workshop among the girls who attended?", [("before", M, 15), ("after", M, 15)], "paired_t"),
    LabelledQuestion("What explains why the blood pressure pill lowers stroke risk: is it only the pressure, or something in between?", [("stroke", N, 2), ("pill", N, 2), ("pressure", M, 60)], "none"),
    LabelledQuestion("Is the sex ratio in our cohort 1:1?", [("sex", N, 2)], "chi_square_gof"),
    LabelledQuestion("How big must my sample be to estimate the prevalence of anaemia within five percent?", [], "sample_size"),
]  # fmt: skip


# Twenty more, written after what the twenty above had shown was put right.
LAST: list[LabelledQuestion] = [
    LabelledQuestion("Is wound infection rarer with chlorhexidine than with povidone iodine?", [("infection", N, 2), ("prep", N, 2)], "chi_square"),
    LabelledQuestion("Is oral iron just as effective as intravenous iron in pregnancy?", [("hb", M, 50), ("route", N, 2)], "none"),
    LabelledQuestion("Does the link between obesity and knee pain depend on age group?", [("pain", M, 60), ("obese", N, 2), ("age group", O, 3)], "none"),
    LabelledQuestion("Do nurses and patients rate pain alike?", [("nurse", O, 11), ("patient", O, 11)], "asks"),
    LabelledQuestion("Is the slope of eGFR loss over two years steeper in patients on drug A than on drug B?", [("egfr", M, 60), ("drug", N, 2)], "none"),
    LabelledQuestion("Are patients' visits nested within practices, and does practice size predict vaccination?", [("vaccinated", N, 2), ("size", M, 30)], "none"),
    LabelledQuestion("What is the median time to extubation in the two groups?", [("hours", M, 40), ("extubated", N, 2), ("group", N, 2)], "kaplan_meier"),
    LabelledQuestion("How reproducible are repeated CT volume measurements by three radiologists?", [("r1", M, 50), ("r2", M, 50), ("r3", M, 50)], "icc"),
    LabelledQuestion("Is a higher TNM stage associated with more depression (none, mild, moderate, severe)?", [("depression", O, 4), ("stage", O, 4)], "correlation"),
    LabelledQuestion("Does troponin T rule out infarction better than copeptin?", [("infarction", N, 2), ("troponin", M, 60), ("copeptin", M, 60)], "none"),
    LabelledQuestion("Are there any differences in gestational age, parity and BMI between the groups at the start of the trial?", [("ga", M, 20), ("parity", M, 6), ("bmi", M, 50), ("arm", N, 2)], "table1"),
    LabelledQuestion("Is the mean operating time of 95 minutes in our hospital different from the 80 minutes published?", [("minutes", M, 60)], "one_sample_t"),
    LabelledQuestion("Which patients are likely to develop delirium?", [("delirium", N, 2), ("age", M, 40), ("frailty", M, 9)], "logistic"),
    LabelledQuestion("Did the number of needle-stick injuries per month go down after training?", [("injuries", M, 9), ("period", N, 2)], "none"),
    LabelledQuestion("Does marital status affect treatment adherence categories low, medium, high after accounting for income?", [("adherence", O, 3), ("marital", N, 4), ("income", M, 50)], "none"),
    LabelledQuestion("What proportion of dengue patients had thrombocytopenia?", [("thrombocytopenia", N, 2)], "descriptive"),
    LabelledQuestion("Is there a gradient of lung function across never, light and heavy smokers?", [("fev1", M, 60), ("smoking", O, 3)], "none"),
    LabelledQuestion("Do blood groups differ in their distribution between donors and the general population?", [("group", N, 4)], "chi_square_gof"),
    LabelledQuestion("Is handgrip strength of the dominant hand higher than that of the other hand in the same person?", [("dominant", M, 40), ("other", M, 40)], "paired_t"),
    LabelledQuestion("What is the average cost per patient?", [("cost", M, 90)], "descriptive"),
]  # fmt: skip


def answered(asked: LabelledQuestion) -> str:
    """Return Scholium's answer: an analysis, "sample_size", "none" or "asks".

    The columns take the roles of the recognised kind of question in their order, so a misunderstood question gets a
    test too.
    """
    found = classify_question(asked.question)
    if found.intent == SAMPLE_SIZE:
        return SAMPLE_SIZE
    try:
        variables = _in_roles(found.intent or "differ", asked.columns)
        return suggest(asked.question, variables, Facts()).analysis
    except Refused as refused:
        return {"no_analysis": "none", "asks": "asks", "no_question": "asks"}[refused.code]


def _in_roles(intent: str, columns: list[Column]) -> list[Variable]:
    """The columns in the parts of a kind of question: what is about the outcome stands first."""
    roles = [role.id for role in QUESTIONS[intent].roles]
    if intent in ("relate", "detect"):
        roles = roles[::-1]  # the outcome is the second
    if intent == "characteristics":
        roles = ["columns"] * (len(columns) - 1) + ["group"]
    if len(roles) < len(columns) and QUESTIONS[intent].roles[-1].is_many:
        roles += roles[-1:] * (len(columns) - len(roles))
    parts = zip(columns, roles, strict=False)
    return [Variable(f"c{at}", role, level, groups, name) for at, ((name, level, groups), role) in enumerate(parts, 1)]
