"""More that Scholium has no analysis for: models of causes, scales, predictions, series, money (as analysis.advice.unsupported)."""

from analysis.advice.unsupported import Absent

_TESTS = (
    "auc|auroc|aucs|area under|roc curves?|accurac\\w+|sensitivit\\w+|specificit\\w+|predictive values?|c.?statistics?"
)
_BETTER = "better|superior|higher|worse|more (accurate|sensitive|specific)|differ\\w*|compare|comparison|equal|best"

_VERSUS = "versus|vs|or"
_FINDS = r"(predict\w*|detect\w*|diagnos\w*|screen\w*|identif\w*|discriminat\w*|pick(s|ing)? up|rul(e|ing) (in|out)|exclud\w*|find(s|ing)?)"
_STEPS = (
    r"(grades?|stages?|quartiles?|tertiles?|quintiles?|class(es)?|categor\w+|doses?|severity|levels? (i|1)|trimesters?)"
)
_RISES = r"(rise|rises|rising|increas\w+|decreas\w+|fall|falls|falling|go(es)? (up|down)|declin\w+|worsen\w*|improv\w+|higher and higher|more and more|drops?)"

METHODS: tuple[Absent, ...] = (
    Absent(
        "mediation",
        "mediation",
        "It needs a mediation analysis or a path model: the indirect effect through the mediator, with its interval (bootstrap).",
        "",
        (
            r"\bmediat(e|es|ed|ing|ion|or|ors)\b|indirect(ly)? (effect|affect)\w*|path analys\w+|pathway from|\w ?(->|=>|→) ?\w[^.?]*(->|=>|→)|structural equation|explains? why|explain(s|ed)? (the |this |that )?(\w+ )?(link|association|relation\w*|effect|correlation)\b|\b(effect|influence|impact|link|association|affects?|influences?|acts?|leads? to|causes?)\b[^.?]*\b(via|by way of)\b|\bmechanism (of|by|behind|through)|something (else )?in between|\b(affect|influence|act|work|effect|impact)\w*\b[^.?]*\bthrough (?!the (day|night|year|week))",
        ),
    ),
    Absent(
        "causal",
        "this kind of causal analysis",
        "It needs propensity scores (matching or weighting), instrumental variables or another method for observational data.",
        "A regression can adjust for what was measured: “What predicts the outcome?”.",
        (r"propensity|\bpsm\b|inverse.?probability|\biptw\b|instrumental variable|mendelian random|marginal structural|g.?(formula|computation|estimation)\b|target trial|regression discontinuity|doubly robust|synthetic control|causal(ly)? (effect|inference|mediation)|\be-value\b",),
    ),
    Absent(
        "trend",
        "a trend over ordered steps (dose-response)",
        "It needs the Cochran-Armitage test for a yes or no, Jonckheere-Terpstra's for a number, or a regression with a score for the steps.",
        "A test of groups says only that they differ, not that they rise. Two scores with an order, or a dose that is a number, can be correlated "
        "by ranks: “Do two things go together?”.",
        (
            r"dose.?(response|dependent|dependence|effect)|\btrend test|tests? (of|for) (a |linear )?trend|p (value )?for trend|linear trend|\bgradients? (of|in)\b|cochran.?armitage|jonckheere|\btrends?\b (of|in|across|over|with) [^.?]*\b(steps|grades?|stages?|quartiles?|tertiles?|quintiles?|categor\w+|dose|levels?)|(rise|fall|increase|decrease)s? (steadily |stepwise )?(with|across|over) (each|every|increasing|rising|the) (step|grade|stage|quartile|tertile|quintile|dose|level|categor)\w*|step.?wise (increase|decrease)|(chi.?squared?|test|anova) for (a |linear )?trend|\b(upward|downward|rising|falling|increasing|decreasing|linear|significant) trends?\b|\b(stage|grade|dose|class|quartile|tertile|category)[- ]?wise\b",
            rf"\b{_RISES}\b[^.?]*\b(from|across|over|through|with (each|increasing|rising|higher|worsening))\b [^.?]*\b{_STEPS}\b|\bas (the )?[^.?]*\b{_STEPS}\b[^.?]*\b{_RISES}\b",
        ),
    ),
    Absent(
        "time_series",
        "a series over calendar time",
        "It needs a time series: segmented regression (interrupted time series), ARIMA, a model of season, or joinpoint regression.",
        "The months are no independent people, so a comparison of groups would not do.",
        (
            r"time.?series|interrupted|\barima\b|autocorrelat\w+|season(al|ality|s)?\b|joinpoint|forecast\w*|change.?point|secular trend|temporal trend|segmented regression",
            r"\b(monthly|weekly|daily|quarterly|yearly|annual) (number|rate|count|incidence|admission|case|death|mortality|average|total|consumption|sale)s?\b|\b(number|count|rate|cases|admissions|injuries|deaths)\b[^.?]*\bper (month|week|day|quarter|year)\b(?! of (age|life))|\b(19|20)\d\d,? (and |to )?(19|20)\d\d,? (and |to )?(19|20)\d\d\b",
            r"\btrends? (in|of|over|from)\b|over the (last|past|previous) (\w+ )?(years|decades?|months)|(incidence|prevalence|rate|number|mortality|proportion|frequency|consumption|resistance)\b[^.?]*\b(chang\w+|increas\w+|decreas\w+|risen|fallen|rising|falling|gone (up|down)|evolv\w+|develop\w*)\b[^.?]*\b(over the years|since (19|20)\d\d|from (19|20)\d\d|between (19|20)\d\d and (19|20)\d\d|since the (pandemic|lockdown))",
        ),
    ),
    Absent(
        "cost",
        "health economics",
        "It needs a cost-effectiveness analysis: incremental cost and effect, QALYs, an ICER with its uncertainty, or a decision model.",
        "Costs alone can be described, or compared between groups.",
        (r"cost.?(effective|utility|benefit|minimi[sz]ation|consequence)\w*|\bqalys?\b|\bdalys?\b|\bicers?\b|quality.?adjusted|markov|decision (analy|model)\w*|willing(ness)? to pay|economic evaluation|value for money|(save|saves|saving) (money|costs)|life.?years? (gained|saved)|worth (the|its) (money|cost)",),
    ),
    Absent(
        "factors",
        "the structure of a scale",
        "It needs factor analysis (exploratory or confirmatory), principal components, or item response theory.",
        "",
        (
            r"factor (analy|structure|load|solution|model)\w*|principal components?|\bpca\b|\b[ec]fa\b|(underlying|latent|few|common) (factors?|dimensions?|constructs?|structure|variables?|traits?)|construct validity|\b(scale|questionnaire|instrument|inventory|items?|test)\b[^.?]*\b(dimensions?|constructs?|subscales|sub-scales|domains)\b|(uni)?dimensionality|factor loadings?\b|\bloadings\b|items? loads? on|rasch|item.?response|latent (class|profile)|convergent validity|discriminant (validity|analys)\w*",
        ),
    ),
    Absent(
        "groups_found",
        "finding groups in the data",
        "It needs a cluster analysis or latent classes.",
        "",
        (r"cluster analys\w+|k.?means|dendrogram|hierarchical clustering|(clusters|phenotypes|profiles|subtypes|subgroups) of (patients|people|symptoms|participants|children)[^.?]*(exist|are there|be (found|identified)|can)|(identify|find|discover) (clusters|phenotypes|subtypes|profiles)",),
    ),
    Absent(
        "internal_consistency",
        "internal consistency",
        "It needs Cronbach's alpha or McDonald's omega over the items of the scale.",
        "For a scale that was given twice there is the intraclass correlation: “Do raters agree?”.",
        (r"cronbach\w*|internal(ly)? (consisten\w*|reliab\w*)|(mc)?donald'?s omega|split.?half|item.?total|kuder.?richardson|\bkr.?20\b|items? (hang|belong|fit) together|coherent scale|\balpha (coefficient|of the (scale|questionnaire))",),
    ),
    Absent(
        "compare_correlations",
        "a comparison of two correlations",
        "It needs a test of two correlation coefficients (Fisher's z for separate people, Steiger's for the same people).",
        "Each correlation by itself has its interval: “Do two measurements go together?”.",
        (
            r"\b(compar\w+|differen\w+)\b[^.?]*\bcorrelations?( coefficients?)?\b[^.?]*\b(between|in|of|for)\b|\bcorrelations?\b[^.?]*\b(stronger|weaker|closer|differs?|different)\b[^.?]*\b(in|between|than|for)\b",
        ),
    ),
    Absent(
        "partial",
        "partial correlation",
        "It needs a partial (or multiple) correlation.",
        "Linear regression with both in it answers whether the two go together once the third is held fixed: “What predicts the outcome?”.",
        (r"(semi.?)?partial\w* correlat\w*|partial (r|rho)\b|multiple correlation|canonical correlation",),
    ),
    Absent(
        "many_raters",
        "agreement of several raters on an ordered scale",
        "It needs Kendall's W, Krippendorff's alpha or Gwet's AC2.",
        "Two raters at a time have weighted kappa.",
        (r"kendall'?s w\b|coefficient of concordance|krippendorff\w*|gwet\w*|\bac[12]\b",),
    ),
    Absent(
        "compare_tests",
        "a comparison of two diagnostic tests",
        "It needs DeLong's test for two ROC curves, or a comparison of sensitivities and specificities on the same people.",
        "Each test by itself has its accuracy with an interval: “How well does a test find the condition?”. For two tests that are positive or "
        "negative, McNemar's test compares how often they are positive.",
        (
            rf"\b({_BETTER})\b[^.?]*\b({_TESTS})\b[^.?]*\b(than|between|of|and)\b[^.?]*\b(than|and|versus|vs|or)\b|\b({_TESTS})\b[^.?]*\b({_BETTER})\b[^.?]*\b(than|between|from)\b|more (accurate|sensitive|specific)( \w+)* than|delong",
            rf"\b({_VERSUS})\b [^.?]*\b(for|in|at|to) (the )?{_FINDS}|\bcompar\w+ (of )?(?!.*\b(groups?|arms?|men|women|patients|with and without|survivors)\b)[^.?]*\b(and|with|to|over)\b [^.?]*\b(for|in|at) (the )?{_FINDS}",
            rf"\b({_VERSUS})\b[^.?]*\b(is |as )?(the |a )?(better|best|superior|more reliable|stronger) (\w+ )?(marker|predictor|biomarker|test|indicator|parameter|tool|score|index)\b|\b({_VERSUS})\b[^.?]*\b(which|what|who)\b[^.?]*\b{_FINDS}[^.?]*\b(better|best|more|earlier)\b|\bwhich\b[^.?]*\b{_FINDS}[^.?]*\b(better|best)\b",
            r"\b(better|worse|superior|best|more (strongly|accurately|reliably))\b (\w+ ){0,3}(predict(or|ors|s|ed|ing)?|discriminat\w*|identif\w*|detect\w*|diagnos\w*|marker|biomarker|screening (tool|test))\b[^.?]*\b(than|or|versus|vs)\b|\b(predict|detect|identif|diagnos|discriminat|exclude|rule out|rule in)\w*\b[^.?]*\b(better|worse|more accurately|earlier) than\b|\b(better|superior|worse) (than|to)\b[^.?]*\b(for|in|at) (predict|detect|identify|diagnos|discriminat|screen)\w*|which (of (the|these|our|my|both) )?(\w+ ){0,2}(tests?|scores?|markers?|scans?|biomarkers?|tools?|ind(ex|ices)|scales?|models?)\b[^.?]*\b(better|best|most accurate)",
        ),
        (r"better (outcome|quality|survival|recovery)\b",),
    ),
    Absent(
        "prediction_model",
        "building or checking a prediction model",
        "It needs calibration, validation (bootstrap or other people), and methods that choose or shrink predictors.",
        "A regression says how each predictor goes with the outcome; a score that exists has a ROC curve.",
        (
            r"calibrat\w+|hosmer|(external|internal|cross|temporal)(ly)?.?validat\w+|nomogram|\blasso\b|ridge regression|elastic net|machine learning|random forest|neural network|xgboost|deep learning|artificial intelligence|support vector|classification tree|decision (tree|curve)|net (benefit|reclassification)|\b(nri|idi)\b|(develop|build|derive|create|construct|make|validat\w+) (and \w+ )?(a |an |our |the |new )*(\w+ )?(prediction|prognostic|risk|clinical|predictive) (\w+ )?(model|score|rule|tool|index)|stepwise (selection|regression)|variable selection",
        ),
    ),
    Absent(
        "other_regression",
        "this regression",
        "It needs ordinal, multinomial, quantile, log-binomial or non-linear regression.",
        "Here are linear, logistic and Cox regression.",
        (r"ordinal (logistic )?regression|proportional odds|(multinomial|polytomous|quantile|median|log.?binomial|probit|tobit|beta|gamma|non.?linear|polynomial|segmented|robust) (\w+ )?regression|splines?\b|restricted cubic|(u|j|s).?shaped|non.?linear (relation|association|effect)\w*|(adjusted|prevalence) (relative risk|risk|prevalence)?.?ratios?\b(?<!odds ratio)(?<!odds ratios)(?<!hazard ratio)(?<!hazard ratios)|generali[sz]ed (linear|additive)",),
        (r"adjusted (odds|hazard)",),
    ),
    Absent(
        "imputation",
        "filling in missing values, or a sensitivity analysis",
        "It needs multiple imputation, or the analysis once more under other assumptions.",
        "Rows with something missing are left out here, and counted.",
        (r"imput(e|ed|ation|ing)\b|\bmice\b (package|method)|sensitivity analys[ei]s|missing (not )?(completely )?at random|last observation carried|\blocf\b",),
    ),
    Absent(
        "meta_other",
        "this kind of meta-analysis",
        "It needs a meta-analysis of single proportions, of diagnostic accuracy, of several treatments (network), of the data of single persons, or meta-regression.",
        "Estimates with their standard errors can be pooled, whatever they estimate: “What do published estimates say together?”.",
        (
            r"network (meta|of (\d+|several|many|all) (trials|studies))|meta.?regression|individual (patient|participant) data|umbrella review|\b(pool\w*|meta.?analy\w*)\b[^.?]*\b(prevalence|proportions?|incidence|sensitivit\w+|specificit\w+|diagnostic|correlations?)\b|\b(prevalence|sensitivit\w+|diagnostic accuracy)\b[^.?]*\b(meta.?analy\w*|pool\w+|across (the )?studies)",
        ),
    ),
    Absent(
        "spread",
        "a comparison of how much groups vary",
        "It needs a test of variances (Levene, Brown-Forsythe, F) or of coefficients of variation.",
        "The description gives the SD of each.",
        (r"(compare|differ\w*|equal|equality|same|homogene\w+)[^.?]*\b(variances?|variability|spread|standard deviations?)\b|\b(variances?|variability|spread|dispersion)\b[^.?]*\b(higher|lower|larger|greater|smaller|differ\w*|equal|more|less)\b|more variable|levene|coefficients? of variation",),
        (r"(heart.?rate|\brr\b|pulse|glucose|glyc[ae]+mic|pressure|beat.to.beat) variability",),
    ),
    Absent(
        "risk_ratio",
        "the risk ratio (relative risk)",
        "It needs the ratio of two shares with its interval, or log-binomial regression.",
        "Two shares are compared by their difference and the odds ratio, which is further from 1 than the risk ratio where the outcome is common: "
        "“Do separate groups differ?”.",
        (r"\b(relative|crude) risks?\b(?! (factor|precision))|\brisk ratios?\b",),
        (r"meta.?analy|\bpool|forest|studies|trials",),
    ),
    Absent(
        "nnt",
        "numbers needed to treat and attributable risks",
        "It needs the number needed to treat or the attributable fraction with its interval.",
        "The shares in two groups can be compared: “Do separate groups differ?”.",
        (r"numbers? needed to (treat|harm)|\bnn[th]\b|attributable (risk|fraction|proportion)|population attributable",),
    ),
    Absent(
        "reference_interval",
        "reference intervals and growth centiles",
        "It needs centiles with their intervals (CLSI EP28), or centile curves by age (LMS).",
        "The description gives median and quartiles.",
        (r"reference (intervals?|ranges?|limits|curves)|normal (range|values|limits) (of|for)|(growth|cent?ile|percentile) (curves?|charts?)|nomograms? (for|of) age",),
        (r"(outside|within|below|above|from|than) (the )?(reference|normal)",),
    ),
    Absent(
        "qualitative",
        "words of interviews",
        "It needs a qualitative analysis: themes, content analysis, grounded theory.",
        "",
        (r"thematic|\bthemes?\b|focus groups?|grounded theory|content analysis|phenomenolog\w+|qualitative|interview(s|ed)? (transcripts?|data|with)|lived experience|open.?ended (answers|questions)",),
    ),
    Absent(
        "other",
        "this method",
        "It needs methods of its own (Bayesian, spatial, genomic, Delphi or image analysis), which are not here.",
        "",
        (r"bayes\w*|spatial|geographic\w* (cluster|distribution|pattern)|hot.?spots?|\bgwas\b|genome.?wide|haplotypes?|linkage disequilibrium|delphi|gene expression|rna.?seq|voxel|radiomic\w*|survey weights?|weighted survey|social network analysis|\bmarkov|concordance index|capture.?recapture",),
        (r"odds|chi.?square",),
    ),
)  # fmt: skip
