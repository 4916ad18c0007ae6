# The four counts of a diagnostic test, and the shares and ratios that follow from them.

# Returns the four counts, from typed counts or from two columns: list(counts, n, test, reference, field, code).
diagnostic_counts <- function(ask) {
  given <- ask$params$counts
  if (!is.null(given)) {
    if (!is.null(ask$params$test) || !is.null(ask$params$reference)) {
      refuse("bad_option", "Give either columns or counts, not both.", field = "params.counts")
    }
    x <- if (!is.null(rownames(given)) && length(given) == 4 && setequal(rownames(given), c("tp", "fp", "fn", "tn"))) {
      given[c("tp", "fp", "fn", "tn"), 1]
    } else if (identical(dim(given), c(2L, 2L))) {
      c(given[1, 1], given[1, 2], given[2, 1], given[2, 2])
    } else {
      refuse("bad_option", "Counts are tp, fp, fn and tn.", field = "params.counts")
    }
    names(x) <- c("tp", "fp", "fn", "tn")
    if (sum(x) < 2) {
      refuse("too_few_observations", "At least 2 people are needed.", field = "params.counts")
    }
    if (sum(x) > 1e9) {
      refuse("bad_option", "The counts are too large.", field = "params.counts")
    }
    code <- sprintf(
      "tp <- %s; fp <- %s; fn <- %s; tn <- %s",
      literal(x[["tp"]]),
      literal(x[["fp"]]),
      literal(x[["fn"]]),
      literal(x[["tn"]])
    )
    return(list(
      counts = x,
      n = count_of(sum(x)),
      test = "the test",
      reference = "the reference",
      positive = "a positive test",
      diseased = "the condition by the reference",
      field = "params.counts",
      code = code,
      reads = FALSE
    ))
  }
  for (param in c("test", "reference")) {
    if (is.null(ask$params[[param]])) {
      refuse(
        "unknown_column",
        sprintf("%s is missing.", ask$entry$params[[param]]$title),
        field = paste0("params.", param),
        hint = "Choose both columns, or give the four counts."
      )
    }
  }
  event <- ask$options$event_value
  positive <- ask$options$test_value
  # One value may serve both columns: "positive" in either.
  if (is.null(positive) && !is.null(event) && event %in% labels_of(ask$data[[ask$params$test]]$values)) {
    positive <- event
  }
  test <- event_or_refuse(ask, "test", positive, "test_value")
  reference <- event_or_refuse(ask, "reference", event, "event_value")
  rows <- complete(test = test$values, reference = reference$values)
  table <- function(t, r) sum(rows$used$test == t & rows$used$reference == r)
  list(
    counts = c(tp = table(1, 1), fp = table(1, 0), fn = table(0, 1), tn = table(0, 0)),
    n = rows$n,
    field = "params.reference",
    test = label(name_of(ask, "test")),
    reference = label(name_of(ask, "reference")),
    reads = TRUE,
    positive = level_of_column(said_of(ask, "test"), test$value),
    diseased = level_of_column(said_of(ask, "reference"), reference$value),
    code = c(
      sprintf("test <- %s", event_code(ask, ask$params$test, test$value)),
      sprintf("reference <- %s", event_code(ask, ask$params$reference, reference$value)),
      "used <- na.omit(data.frame(test, reference))",
      "tp <- sum(used$test == 1 & used$reference == 1); fp <- sum(used$test == 1 & used$reference == 0)",
      "fn <- sum(used$test == 0 & used$reference == 1); tn <- sum(used$test == 0 & used$reference == 0)"
    )
  )
}

# Returns a column as 0 and 1, and the value that is 1. In a coded column without any 1 all rows are 0: a test may be
# negative in everybody.
event_or_refuse <- function(ask, param, value, option) {
  id <- ask$params[[param]]
  found <- sort(unique(stats::na.omit(labels_of(ask$data[[id]]$values))))
  if (!length(found)) {
    refuse(
      "all_missing",
      sprintf("%s has no values.", ask$data[[id]]$name),
      field = paste0("params.", param),
      column = id
    )
  }
  if (is.null(value)) {
    value <- if (all(found %in% c("0", "1"))) {
      "1"
    } else if (all(found %in% c("1", "2"))) {
      "2"
    } else if (all(tolower(found) %in% c("true", "false"))) {
      c(found[tolower(found) == "true"], "true")[1]
    } else {
      refuse(
        "bad_option",
        sprintf("%s is not 0/1, 1/2 or TRUE/FALSE.", ask$data[[id]]$name),
        field = paste0("params.", param),
        column = id,
        hint = sprintf("Say which value counts: options.%s.", option)
      )
    }
  } else if (!value %in% found) {
    refuse(
      "no_events",
      sprintf("No row of %s is “%s”.", ask$data[[id]]$name, shortened(value, 40)),
      field = paste0("params.options.", option),
      column = id,
      hint = sprintf("It has: %s.", paste(vapply(utils::head(found, 5), shortened, "", most = 20), collapse = ", "))
    )
  }
  list(values = as.numeric(labels_of(ask$data[[id]]$values) == value), value = value)
}

# Returns the shares that follow from the four counts, each as c(numerator, denominator).
diagnostic_shares <- function(x) {
  tp <- x[["tp"]]
  fp <- x[["fp"]]
  fn <- x[["fn"]]
  tn <- x[["tn"]]
  list(
    sensitivity = c(tp, tp + fn),
    specificity = c(tn, fp + tn),
    ppv = c(tp, tp + fp),
    npv = c(tn, tn + fn),
    accuracy = c(tp + tn, sum(x)),
    prevalence = c(tp + fn, sum(x)),
    apparent_prevalence = c(tp + fp, sum(x))
  )
}

# Returns the exact interval (Clopper and Pearson) of a share.
exact_interval <- function(events, of, conf_level) {
  if (of == 0) c(NA, NA) else as.numeric(stats::binom.test(events, of, conf.level = conf_level)$conf.int)
}

# Returns likelihood ratios and the diagnostic odds ratio with intervals; NA if the denominator is 0.
diagnostic_ratios <- function(x, conf_level) {
  z <- stats::qnorm(1 - (1 - conf_level) / 2)
  tp <- x[["tp"]]
  fp <- x[["fp"]]
  fn <- x[["fn"]]
  tn <- x[["tn"]]
  ratio <- function(value, se) {
    if (!is.finite(value)) {
      return(c(NA, NA, NA))
    }
    if (value == 0 || !is.finite(se) || se < 1e-9) {
      return(c(value, NA, NA))
    }
    value * exp(c(0, -1, 1) * z * se)
  }
  list(
    lr_pos = ratio((tp / (tp + fn)) / (fp / (fp + tn)), sqrt(1 / tp - 1 / (tp + fn) + 1 / fp - 1 / (fp + tn))),
    lr_neg = ratio((fn / (tp + fn)) / (tn / (fp + tn)), sqrt(1 / fn - 1 / (tp + fn) + 1 / tn - 1 / (fp + tn))),
    dor = ratio(tp * tn / (fp * fn), sqrt(1 / tp + 1 / fp + 1 / fn + 1 / tn))
  )
}
