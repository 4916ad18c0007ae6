# Meta-analysis (SPEC N3) by metafor: REML with Knapp and Hartung's interval by default. This file reads and checks the
# studies; the files shared/meta_*.R have the models, sentence, tables and plots.

META_PARAMS <- list(
  study = column("text", "Study"),
  events_1 = column("numeric", "Events, group 1 (treated)", required = FALSE),
  n_1 = column("numeric", "Participants, group 1", required = FALSE),
  events_2 = column("numeric", "Events, group 2 (control)", required = FALSE),
  n_2 = column("numeric", "Participants, group 2", required = FALSE),
  mean_1 = column("numeric", "Mean, group 1", required = FALSE),
  sd_1 = column("numeric", "SD, group 1", required = FALSE),
  mean_2 = column("numeric", "Mean, group 2", required = FALSE),
  sd_2 = column("numeric", "SD, group 2", required = FALSE),
  estimate = column("numeric", "Estimate of each study (ratios as logarithms)", required = FALSE),
  se = column("numeric", "Standard error of each study", required = FALSE)
)
META_OPTIONS <- list(
  measure = one_of("Measure", c("OR", "RR", "RD", "MD", "SMD", "GEN"), default = NULL),
  method = one_of("Method", c("REML", "FE", "MH", "DL", "PM")),
  knapp_hartung = flag("Knapp-Hartung interval (random effects)", default = TRUE),
  subgroup = column("factor", "Subgroups", required = FALSE),
  label_1 = value_of("Name of group 1"),
  label_2 = value_of("Name of group 2"),
  higher_is_better = flag("More events or higher values are better")
)
META_NEEDS <- list(
  counts = c("events_1", "n_1", "events_2", "n_2"),
  means = c("mean_1", "sd_1", "n_1", "mean_2", "sd_2", "n_2"),
  given = c("estimate", "se")
)
META_MEASURES <- list(
  counts = c("OR", "RR", "RD"),
  means = c("MD", "SMD"),
  given = c("GEN", "OR", "RR", "RD", "MD", "SMD")
)
MEASURE_NAMES <- c(
  OR = "odds ratio",
  RR = "risk ratio",
  RD = "risk difference",
  MD = "mean difference",
  SMD = "standardised mean difference",
  GEN = "effect"
)
MOST_STUDIES <- 500

# Runs a meta-analysis.
run_meta <- function(ask) {
  read <- meta_studies(ask)
  pooled <- meta_pooled(read, ask)
  meta_result(read, pooled, ask)
}

# Returns which numbers were given: "counts", "means" or "given". Refuses an incomplete set, and says what is missing.
meta_kind <- function(ask) {
  has <- names(ask$params)
  kinds <- names(META_NEEDS)
  full <- kinds[vapply(META_NEEDS, function(need) all(need %in% has), NA)]
  begun <- kinds[vapply(META_NEEDS, function(need) any(setdiff(need, c("n_1", "n_2")) %in% has), NA)]
  if (length(full) == 1 && length(begun) == 1) {
    return(full)
  }
  if (length(begun) > 1) {
    refuse(
      "bad_option",
      "Counts, means and ready estimates cannot be mixed.",
      field = "params",
      hint = "Give events and participants, or means, SDs and participants, or estimate and standard error."
    )
  }
  need <- META_NEEDS[[if (length(begun)) begun else "counts"]]
  first <- setdiff(need, has)[1]
  refuse(
    "unknown_column",
    sprintf("%s is missing.", META_PARAMS[[first]]$title),
    field = paste0("params.", first),
    hint = paste0(
      "A meta-analysis needs events and participants of both groups, or ",
      "means, SDs and participants, or estimate and standard error."
    )
  )
}

# Returns the studies: list(kind, measure, method, used (data frame with study, group), n, left_out, names, code).
meta_studies <- function(ask) {
  kind <- meta_kind(ask)
  measure <- ask$options$measure
  if (is.null(measure)) {
    measure <- META_MEASURES[[kind]][1]
  }
  if (!measure %in% META_MEASURES[[kind]]) {
    refuse(
      "bad_option",
      sprintf(
        "%s cannot be computed from %s.",
        capital(MEASURE_NAMES[[measure]]),
        c(counts = "events and participants", means = "means and SDs", given = "ready estimates")[[kind]]
      ),
      field = "params.options.measure",
      hint = sprintf("Choose %s.", listed(META_MEASURES[[kind]], "or"))
    )
  }
  method <- ask$options$method
  if (method == "MH" && kind != "counts") {
    refuse(
      "bad_option",
      "Mantel-Haenszel needs events and participants.",
      field = "params.options.method",
      hint = "Choose REML, DL, PM or FE."
    )
  }
  need <- META_NEEDS[[kind]]
  used <- as.data.frame(lapply(stats::setNames(need, need), function(param) numeric_of(ask, param)))
  check_study_numbers(ask, used, kind)
  study <- labels_of(ask$data[[ask$params$study]]$values)
  study[is.na(study) | !nzchar(trimws(study))] <- NA
  used$study <- ifelse(is.na(study), paste("Row", seq_along(study)), study)
  used$group <- if (!is.null(ask$options$subgroup)) factor_of(ask, "options.subgroup", ask$options$subgroup) else NULL
  whole <- stats::complete.cases(used)
  total <- nrow(used)
  used <- used[whole, , drop = FALSE]
  if (!nrow(used)) {
    refuse(
      "too_few_observations",
      "No study has all its numbers.",
      field = "params",
      hint = "Look at what is missing in the chosen columns."
    )
  }
  double_zero <- if (kind == "counts" && measure %in% c("OR", "RR")) {
    (used$events_1 == 0 & used$events_2 == 0) |
      (measure == "OR" & used$events_1 == used$n_1 & used$events_2 == used$n_2)
  } else {
    rep(FALSE, nrow(used))
  }
  if (all(double_zero)) {
    refuse(
      "no_events",
      "No study has an event that tells the groups apart.",
      field = "params.events_1",
      column = ask$params$events_1,
      hint = "The risk difference can be pooled without events."
    )
  }
  empty <- used$study[double_zero]
  used <- used[!double_zero, , drop = FALSE]
  if (!is.null(used$group)) {
    used$group <- droplevels(used$group)
  }
  if (nrow(used) > MOST_STUDIES) {
    refuse(
      "too_large",
      sprintf("%s studies are too many: at most %d.", label_of(nrow(used)), MOST_STUDIES),
      field = "params.study"
    )
  }
  rownames(used) <- NULL
  list(
    kind = kind,
    measure = measure,
    method = method,
    used = used,
    n = count_of(total, nrow(used)),
    empty = empty,
    rows = which(whole)[!double_zero],
    arms = arm_names(ask, kind),
    outcome = meta_outcome(ask, kind),
    ratio = measure %in% c("OR", "RR")
  )
}

# Refuses numbers that no study can have, and names the first such cell.
check_study_numbers <- function(ask, used, kind) {
  wrong <- function(param, at, says) {
    if (!any(at, na.rm = TRUE)) {
      return()
    }
    row <- which(at)[1]
    refuse(
      "bad_option",
      sprintf("%s: row %d has %s. %s", name_of(ask, param), row, label_of(used[[param]][row]), says),
      field = paste0("params.", param),
      column = ask$params[[param]]
    )
  }
  for (param in intersect(c("events_1", "n_1", "events_2", "n_2"), names(used))) {
    wrong(param, used[[param]] != round(used[[param]]), "A whole number is needed.")
    least <- if (startsWith(param, "n_")) {
      if (kind == "means") 2 else 1
    } else {
      0
    }
    wrong(param, used[[param]] < least, sprintf("At least %d is needed.", least))
    wrong(param, used[[param]] > 1e9, "This is too large.")
  }
  if (kind == "counts") {
    for (arm in 1:2) {
      wrong(
        paste0("events_", arm),
        used[[paste0("events_", arm)]] > used[[paste0("n_", arm)]],
        "There are more events than participants."
      )
    }
  }
  for (param in intersect(c("sd_1", "sd_2", "se"), names(used))) {
    wrong(param, used[[param]] <= 0, "It must be above 0.")
  }
  for (param in intersect(c("mean_1", "mean_2", "sd_1", "sd_2"), names(used))) {
    wrong(param, abs(used[[param]]) > 1e100, "This is too large.")
  }
  if (kind == "given") {
    wrong("estimate", abs(used$estimate) > 1e6, "This is too large.")
    wrong("se", used$se < 1e-8 | used$se > 1e8, "This cannot be a standard error.")
  }
}

# Returns the names of the two groups: the typed ones; else the word that only the columns of one group share
# (deaths_steroid and n_steroid give "Steroid"); else a number with the first column of the group.
arm_names <- function(ask, kind) {
  first <- if (kind == "given") NULL else paste0(sub("_1$", "", META_NEEDS[[kind]][1]), "_", 1:2)
  fallback <- if (is.null(first)) {
    c("Group 1", "Group 2")
  } else {
    vapply(1:2, function(arm) sprintf("Group %d (%s)", arm, label(name_of(ask, first[arm]), 18)), "")
  }
  words <- function(arm) {
    lapply(
      intersect(paste0(sub("_1$", "", grep("_1$", META_NEEDS[[kind]], value = TRUE)), "_", arm), names(ask$params)),
      function(param) {
        tolower(strsplit(name_of(ask, param), "[[:space:]_.,;:()-]+")[[1]])
      }
    )
  }
  found <- if (kind == "given") {
    fallback
  } else {
    vapply(
      1:2,
      function(arm) {
        own <- Reduce(intersect, words(arm))
        own <- setdiff(own, unlist(words(3 - arm)))
        own <- own[grepl("[[:alpha:]]", own)]
        if (length(own)) capital(paste(own, collapse = " ")) else fallback[arm]
      },
      ""
    )
  }
  if (sum(found == fallback) == 1) {
    found <- fallback
  }
  given <- list(ask$options$label_1, ask$options$label_2)
  vapply(1:2, function(arm) label(if (is.null(given[[arm]])) found[arm] else given[[arm]], 30), "")
}

# Returns what was counted or measured in both groups, from words that the column names share: "deaths" for
# deaths_steroid and deaths_control; "" if they share none.
meta_outcome <- function(ask, kind) {
  if (kind == "given") {
    return("")
  }
  words <- lapply(paste0(sub("_1$", "", META_NEEDS[[kind]][1]), "_", 1:2), function(param) {
    strsplit(name_of(ask, param), "[[:space:]_.,;:()-]+")[[1]]
  })
  shared <- intersect(words[[1]], words[[2]])
  shared <- shared[grepl("[[:alpha:]]", shared)]
  if (length(shared)) label(paste(shared, collapse = " "), 60) else ""
}

analysis(
  "meta",
  title = "Meta-analysis",
  params = META_PARAMS,
  options = META_OPTIONS,
  run = run_meta,
  packages = "metafor",
  seconds = 60,
  check = function(ask) {
    list(
      method = meta_method_name(ask$options$method, ask$options$knapp_hartung),
      reason = "as chosen",
      warnings = list()
    )
  }
)
figure_kind(
  "forest",
  "Forest plot",
  META_PARAMS,
  META_OPTIONS,
  run = function(ask) evidence_figure(run_meta(ask), "forest"),
  packages = "metafor"
)
figure_kind("funnel", "Funnel plot", META_PARAMS, META_OPTIONS, packages = "metafor", run = function(ask) {
  made <- evidence_figure(run_meta(ask), "funnel")
  if (!length(made$figures)) {
    refuse(
      "too_few_observations",
      "A funnel plot needs at least 3 studies.",
      field = "params.study",
      column = ask$params$study
    )
  }
  made
})
