"""More methods that Scholium does not have: causal models, scales, prediction, time series, costs (see unsupported)."""

from analysis.advice.unsupported import UnsupportedMethod

_TESTS = (
    "auc|auroc|aucs|area under|roc curves?|accurac\\w+|sensitivit\\w+|specificit\\w+|predictive values?|c.?statistics?"
)
_BETTER = "better|superior|higher|worse|more (accurate|sensitive|specific)|differ\\w*|compare|comparison|equal|best"

_VERSUS = "versus|vs|or"
_FINDS = (
    r"(predict\w*|detect\w*|diagnos\w*|screen\w*|identif\w*|discriminat\w*|pick(s|ing)? up|rul(e|ing) (in|out)|"
    r"exclud\w*|find(s|ing)?)"
)
_STEPS = (
    r"(grades?|stages?|quartiles?|tertiles?|quintiles?|class(es)?|categor\w+|doses?|severity|levels? (i|1)|trimesters?)"
)
_RISES = (
    r"(rise|rises|rising|increas\w+|decreas\w+|fall|falls|falling|go(es)? (up|down)|declin\w+|worsen\w*|improv\w+|"
    r"higher and higher|more and more|drops?)"
)

UNSUPPORTED_METHODS: tuple[UnsupportedMethod, ...] = (
    UnsupportedMethod(
        "mediation",
        "mediation",
        "It needs a mediation analysis or a path model: the indirect effect through the mediator, with its interval "
        "(bootstrap).",
        "",
        (
            r"\bmediat(e|es|ed|ing|ion|or|ors)\b|indirect(ly)? (effect|affect)\w*|path analys\w+|pathway from|"
            r"\w ?(->|=>|→) ?\w[^.?]*(->|=>|→)|structural equation|explains? why|explain(s|ed)? (the |this |"
            r"that )?(\w+ )?(link|association|relation\w*|effect|correlation)\b|\b(effect|influence|impact|link|"
            r"association|affects?|influences?|acts?|leads? to|causes?)\b[^.?]*\b(via|by way of)\b|"
            r"\bmechanism (of|by|behind|through)|something (else )?in between|\b(affect|influence|act|work|effect|"
            r"impact)\w*\b[^.?]*\bthrough (?!the (day|night|year|week))",
        ),
    ),
    UnsupportedMethod(
        "causal",
        "this kind of causal analysis",
        "It needs propensity scores (matching or weighting), instrumental variables or another method for "
        "observational data.",
        "A regression can adjust for what was measured: “What predicts the outcome?”.",
        (
            r"propensity|\bpsm\b|inverse.?probability|\biptw\b|instrumental variable|mendelian random|"
            r"marginal structural|g.?(formula|computation|estimation)\b|target trial|regression discontinuity|"
            r"doubly robust|synthetic control|causal(ly)? (effect|inference|mediation)|\be-value\b",
        ),
    ),
    UnsupportedMethod(
        "trend",
        "a trend over ordered steps (dose-response)",
        "It needs the Cochran-Armitage test for a yes or no, Jonckheere-Terpstra's for a number, or a regression with "
        "a score for the steps.",
        "A test of groups shows only that they differ, not that they rise. Two ordered scores, or a dose that is a "
        "number, can be correlated by ranks: “Do two things go together?”.",
        (
            r"dose.?(response|dependent|dependence|effect)|\btrend test|tests? (of|for) (a |linear )?trend|"
            r"p (value )?for trend|linear trend|\bgradients? (of|in)\b|cochran.?armitage|jonckheere|"
            r"\btrends?\b (of|in|across|over|with) [^.?]*\b(steps|grades?|stages?|quartiles?|tertiles?|quintiles?|"
            r"categor\w+|dose|levels?)|(rise|fall|increase|decrease)s? (steadily |stepwise )?(with|across|over) (each|"
            r"every|increasing|rising|the) (step|grade|stage|quartile|tertile|quintile|dose|level|categor)\w*|"
            r"step.?wise (increase|decrease)|(chi.?squared?|test|anova) for (a |linear )?trend|"
            r"\b(upward|downward|rising|falling|increasing|decreasing|linear|significant) trends?\b|"
            r"\b(stage|grade|dose|class|quartile|tertile|category)[- ]?wise\b",
            rf"\b{_RISES}\b[^.?]*\b(from|across|over|through|with (each|increasing|rising|higher|worsening))\b "
            rf"[^.?]*\b{_STEPS}\b|\bas (the )?[^.?]*\b{_STEPS}\b[^.?]*\b{_RISES}\b",
        ),
    ),
    UnsupportedMethod(
        "time_series",
        "a time series",
        "It needs a time series analysis: segmented regression (interrupted time series), ARIMA, a seasonal model, or "
        "joinpoint regression.",
        "Months are not independent observations, so a comparison of groups is not suitable.",
        (
            r"time.?series|interrupted|\barima\b|autocorrelat\w+|season(al|ality|s)?\b|joinpoint|forecast\w*|"
            r"change.?point|secular trend|temporal trend|segmented regression",
            r"\b(monthly|weekly|daily|quarterly|yearly|annual) (number|rate|count|incidence|admission|case|death|"
            r"mortality|average|total|consumption|sale)s?\b|\b(number|count|rate|cases|admissions|injuries|"
            r"deaths)\b[^.?]*\bper (month|week|day|quarter|year)\b(?! of (age|life))|\b(19|20)\d\d,? (and |to )?(19|"
            r"20)\d\d,? (and |to )?(19|20)\d\d\b",
            r"\btrends? (in|of|over|from)\b|over the (last|past|previous) (\w+ )?(years|decades?|months)|"
            r"(incidence|prevalence|rate|number|mortality|proportion|frequency|consumption|"
            r"resistance)\b[^.?]*\b(chang\w+|increas\w+|decreas\w+|risen|fallen|rising|falling|gone (up|down)|"
            r"evolv\w+|develop\w*)\b[^.?]*\b(over the years|since (19|20)\d\d|from (19|20)\d\d|"
            r"between (19|20)\d\d and (19|20)\d\d|since the (pandemic|lockdown))",
        ),
    ),
    UnsupportedMethod(
        "cost",
        "health economics",
        "It needs a cost-effectiveness analysis: incremental cost and effect, QALYs, an ICER with its uncertainty, or "
        "a decision model.",
        "Costs alone can be described, or compared between groups.",
        (
            r"cost.?(effective|utility|benefit|minimi[sz]ation|consequence)\w*|\bqalys?\b|\bdalys?\b|\bicers?\b|"
            r"quality.?adjusted|markov|decision (analy|model)\w*|willing(ness)? to pay|economic evaluation|"
            r"value for money|(save|saves|saving) (money|costs)|life.?years? (gained|saved)|"
            r"worth (the|its) (money|cost)",
        ),
    ),
    UnsupportedMethod(
        "factors",
        "the structure of a scale",
        "It needs factor analysis (exploratory or confirmatory), principal components, or item response theory.",
        "",
        (
            r"factor (analy|structure|load|solution|model)\w*|principal components?|\bpca\b|\b[ec]fa\b|"
            r"(underlying|latent|few|common) (factors?|dimensions?|constructs?|structure|variables?|traits?)|"
            r"construct validity|\b(scale|questionnaire|instrument|inventory|items?|test)\b[^.?]*\b(dimensions?|"
            r"constructs?|subscales|sub-scales|domains)\b|(uni)?dimensionality|factor loadings?\b|\bloadings\b|"
            r"items? loads? on|rasch|item.?response|latent (class|profile)|convergent validity|"
            r"discriminant (validity|analys)\w*",
        ),
    ),
    UnsupportedMethod(
        "groups_found",
        "cluster analysis: finding groups in the data",
        "It needs a cluster analysis or latent classes.",
        "",
        (
            r"cluster analys\w+|k.?means|dendrogram|hierarchical clustering|(clusters|phenotypes|profiles|subtypes|"
            r"subgroups) of (patients|people|symptoms|participants|children)[^.?]*(exist|are there|"
            r"be (found|identified)|can)|(identify|find|discover) (clusters|phenotypes|subtypes|profiles)",
        ),
    ),
    UnsupportedMethod(
        "internal_consistency",
        "internal consistency",
        "It needs Cronbach's alpha or McDonald's omega over the items of the scale.",
        "For a scale that was used twice there is the intraclass correlation: “Do raters agree?”.",
        (
            r"cronbach\w*|internal(ly)? (consisten\w*|reliab\w*)|(mc)?donald'?s omega|split.?half|item.?total|"
            r"kuder.?richardson|\bkr.?20\b|items? (hang|belong|fit) together|coherent scale|"
            r"\balpha (coefficient|of the (scale|questionnaire))",
        ),
    ),
    UnsupportedMethod(
        "compare_correlations",
        "a comparison of two correlations",
        "It needs a test of two correlation coefficients (Fisher's z for different people, Steiger's for the same "
        "people).",
        "Each correlation alone is available with its interval: “Do two things go together?”.",
        (
            r"\b(compar\w+|differen\w+)\b[^.?]*\bcorrelations?( coefficients?)?\b[^.?]*\b(between|in|of|for)\b|"
            r"\bcorrelations?\b[^.?]*\b(stronger|weaker|closer|differs?|different)\b[^.?]*\b(in|between|than|for)\b",
        ),
    ),
    UnsupportedMethod(
        "partial",
        "partial correlation",
        "It needs a partial (or multiple) correlation.",
        "Linear regression with both as predictors shows whether the two go together when the third is held fixed: "
        "“What predicts the outcome?”.",
        (r"(semi.?)?partial\w* correlat\w*|partial (r|rho)\b|multiple correlation|canonical correlation",),
    ),
    UnsupportedMethod(
        "many_raters",
        "agreement of several raters on an ordered scale",
        "It needs Kendall's W, Krippendorff's alpha or Gwet's AC2.",
        "For two raters at a time there is weighted kappa.",
        (r"kendall'?s w\b|coefficient of concordance|krippendorff\w*|gwet\w*|\bac[12]\b",),
    ),
    UnsupportedMethod(
        "compare_tests",
        "a comparison of two diagnostic tests",
        "It needs DeLong's test for two ROC curves, or a comparison of sensitivities and specificities on the same "
        "people.",
        "The accuracy of each test alone is available with an interval: “How well does a test find the condition?”. "
        "For two tests that are positive or negative, McNemar's test compares how often they are positive.",
        (
            rf"\b({_BETTER})\b[^.?]*\b({_TESTS})\b[^.?]*\b(than|between|of|and)\b[^.?]*\b(than|and|versus|vs|or)\b|"
            rf"\b({_TESTS})\b[^.?]*\b({_BETTER})\b[^.?]*\b(than|between|from)\b|more (accurate|sensitive|"
            r"specific)( \w+)* than|delong",
            rf"\b({_VERSUS})\b [^.?]*\b(for|in|at|to) (the )?{_FINDS}|"
            r"\bcompar\w+ (of )?(?!.*\b(groups?|arms?|men|women|patients|with and without|survivors)\b)[^.?]*\b(and|"
            rf"with|to|over)\b [^.?]*\b(for|in|at) (the )?{_FINDS}",
            rf"\b({_VERSUS})\b[^.?]*\b(is |as )?(the |a )?(better|best|superior|more reliable|stronger) (\w+ )?(marker|"
            rf"predictor|biomarker|test|indicator|parameter|tool|score|index)\b|\b({_VERSUS})\b[^.?]*\b(which|what|"
            rf"who)\b[^.?]*\b{_FINDS}[^.?]*\b(better|best|more|earlier)\b|\bwhich\b[^.?]*\b{_FINDS}[^.?]*\b(better|"
            r"best)\b",
            r"\b(better|worse|superior|best|more (strongly|accurately|reliably))\b (\w+ ){0,3}(predict(or|ors|s|ed|"
            r"ing)?|discriminat\w*|identif\w*|detect\w*|diagnos\w*|marker|biomarker|"
            r"screening (tool|test))\b[^.?]*\b(than|or|versus|vs)\b|\b(predict|detect|identif|diagnos|discriminat|"
            r"exclude|rule out|rule in)\w*\b[^.?]*\b(better|worse|more accurately|earlier) than\b|"
            r"\b(better|superior|worse) (than|to)\b[^.?]*\b(for|in|at) (predict|detect|identify|diagnos|discriminat|"
            r"screen)\w*|which (of (the|these|our|my|both) )?(\w+ ){0,2}(tests?|scores?|markers?|scans?|biomarkers?|"
            r"tools?|ind(ex|ices)|scales?|models?)\b[^.?]*\b(better|best|most accurate)",
        ),
        (r"better (outcome|quality|survival|recovery)\b",),
    ),
    UnsupportedMethod(
        "prediction_model",
        "building or checking a prediction model",
        "It needs calibration, validation (by bootstrap or in other people), and methods that select or shrink "
        "predictors.",
        "A regression shows how each predictor is related to the outcome; for an existing score there is a ROC curve.",
        (
            r"calibrat\w+|hosmer|(external|internal|cross|temporal)(ly)?.?validat\w+|nomogram|\blasso\b|"
            r"ridge regression|elastic net|machine learning|random forest|neural network|xgboost|deep learning|"
            r"artificial intelligence|support vector|classification tree|decision (tree|curve)|"
            r"net (benefit|reclassification)|\b(nri|idi)\b|(develop|build|derive|create|construct|make|"
            r"validat\w+) (and \w+ )?(a |an |our |the |new )*(\w+ )?(prediction|prognostic|risk|clinical|"
            r"predictive) (\w+ )?(model|score|rule|tool|index)|stepwise (selection|regression)|variable selection",
        ),
    ),
    UnsupportedMethod(
        "other_regression",
        "this regression",
        "It needs ordinal, multinomial, quantile, log-binomial or non-linear regression.",
        "Scholium has linear, logistic and Cox regression.",
        (
            r"ordinal (logistic )?regression|proportional odds|(multinomial|polytomous|quantile|median|log.?binomial|"
            r"probit|tobit|beta|gamma|non.?linear|polynomial|segmented|robust) (\w+ )?regression|splines?\b|"
            r"restricted cubic|(u|j|s).?shaped|non.?linear (relation|association|effect)\w*|"
            r"(adjusted|prevalence) (relative risk|risk|"
            r"prevalence)?.?ratios?\b(?<!odds ratio)(?<!odds ratios)(?<!hazard ratio)(?<!hazard ratios)|"
            r"generali[sz]ed (linear|additive)",
        ),
        (r"adjusted (odds|hazard)",),
    ),
    UnsupportedMethod(
        "imputation",
        "filling in missing values, or a sensitivity analysis",
        "It needs multiple imputation, or a repetition of the analysis under other assumptions.",
        "Scholium leaves out rows with missing values and counts them.",
        (
            r"imput(e|ed|ation|ing)\b|\bmice\b (package|method)|sensitivity analys[ei]s|"
            r"missing (not )?(completely )?at random|last observation carried|\blocf\b",
        ),
    ),
    UnsupportedMethod(
        "meta_other",
        "this kind of meta-analysis",
        "It needs a meta-analysis of single proportions, of diagnostic accuracy, of several treatments (network) or of "
        "individual patient data, or a meta-regression.",
        "Estimates with their standard errors can be pooled, whatever they estimate: “What do published estimates say "
        "together?”.",
        (
            r"network (meta|of (\d+|several|many|all) (trials|studies))|meta.?regression|"
            r"individual (patient|participant) data|umbrella review|\b(pool\w*|meta.?analy\w*)\b[^.?]*\b(prevalence|"
            r"proportions?|incidence|sensitivit\w+|specificit\w+|diagnostic|correlations?)\b|"
            r"\b(prevalence|sensitivit\w+|diagnostic accuracy)\b[^.?]*\b(meta.?analy\w*|pool\w+|across (the )?studies)",
        ),
    ),
    UnsupportedMethod(
        "spread",
        "a comparison of how much groups vary",
        "It needs a test of variances (Levene, Brown-Forsythe, F) or of coefficients of variation.",
        "The description gives the SD of each.",
        (
            r"(compare|differ\w*|equal|equality|same|homogene\w+)[^.?]*\b(variances?|variability|spread|"
            r"standard deviations?)\b|\b(variances?|variability|spread|dispersion)\b[^.?]*\b(higher|lower|larger|"
            r"greater|smaller|differ\w*|equal|more|less)\b|more variable|levene|coefficients? of variation",
        ),
        (r"(heart.?rate|\brr\b|pulse|glucose|glyc[ae]+mic|pressure|beat.to.beat) variability",),
    ),
    UnsupportedMethod(
        "risk_ratio",
        "the risk ratio (relative risk)",
        "It needs the ratio of two shares with its interval, or log-binomial regression.",
        "Two shares are compared by their difference and the odds ratio, which is further from 1 than the risk ratio "
        "when the outcome is common: “Do separate groups differ?”.",
        (r"\b(relative|crude) risks?\b(?! (factor|precision))|\brisk ratios?\b",),
        (r"meta.?analy|\bpool|forest|studies|trials",),
    ),
    UnsupportedMethod(
        "nnt",
        "numbers needed to treat and attributable risks",
        "It needs the number needed to treat or the attributable fraction with its interval.",
        "The shares in two groups can be compared: “Do separate groups differ?”.",
        (
            r"numbers? needed to (treat|harm)|\bnn[th]\b|attributable (risk|fraction|proportion)|"
            r"population attributable",
        ),
    ),
    UnsupportedMethod(
        "reference_interval",
        "reference intervals and growth centiles",
        "It needs centiles with their intervals (CLSI EP28), or centile curves by age (LMS).",
        "The description gives median and quartiles.",
        (
            r"reference (intervals?|ranges?|limits|curves)|normal (range|values|limits) (of|for)|"
            r"(growth|cent?ile|percentile) (curves?|charts?)|nomograms? (for|of) age",
        ),
        (r"(outside|within|below|above|from|than) (the )?(reference|normal)",),
    ),
    UnsupportedMethod(
        "qualitative",
        "qualitative data, such as interviews",
        "It needs a qualitative analysis: themes, content analysis, grounded theory.",
        "",
        (
            r"thematic|\bthemes?\b|focus groups?|grounded theory|content analysis|phenomenolog\w+|qualitative|"
            r"interview(s|ed)? (transcripts?|data|with)|lived experience|open.?ended (answers|questions)",
        ),
    ),
    UnsupportedMethod(
        "other",
        "this method",
        "It needs special methods (Bayesian, spatial, genomic, Delphi or image analysis), which Scholium does not "
        "have.",
        "",
        (
            r"bayes\w*|spatial|geographic\w* (cluster|distribution|pattern)|hot.?spots?|\bgwas\b|genome.?wide|"
            r"haplotypes?|linkage disequilibrium|delphi|gene expression|rna.?seq|voxel|radiomic\w*|survey weights?|"
            r"weighted survey|social network analysis|\bmarkov|concordance index|capture.?recapture",
        ),
        (r"odds|chi.?square",),
    ),
)
