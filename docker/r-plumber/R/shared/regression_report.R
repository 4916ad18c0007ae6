# The table, the sentence and the figure that linear, logistic and Cox regression share.

# Returns the table of a model, a row for each term; a factor has a row for itself and one for its reference. `value` is
# the heading of the value.
model_table <- function(ask, model, title, value, estimates, ps, footnotes, intercept = NULL, digits = NULL) {
  places <- function(one) {
    if (is.null(digits)) ratio_digits(c(one$value, ci_of(one)), ask$digits) else apart_digits(ci_of(one), digits, 0)
  }
  ci_text <- function(one) {
    if (anyNA(ci_of(one))) "not estimable" else paste(fixed(ci_of(one), places(one)), collapse = " to ")
  }
  line <- function(text, one, p, level = NULL) {
    c(
      list(term = text, value = one$value, digits = list(value = places(one)), ci = ci_text(one), p = p),
      if (!is.null(level)) list(level = level)
    )
  }
  rows <- list()
  add <- function(row) rows[[length(rows) + 1]] <<- row
  if (!is.null(intercept)) {
    add(line("Intercept", intercept, intercept$p))
  }
  last <- ""
  for (term in terms_of(ask, model)) {
    one <- estimates[[term$id]]
    if (is.null(term$level)) {
      add(line(term$title, one, ps[[term$id]]))
    } else {
      if (term$name != last) {
        add(list(term = term$title, value = NA, ci = "", p = NA))
        add(list(term = term$against, value = NA, ci = "Reference", p = NA, level = 1))
      }
      add(line(term$level, one, ps[[term$id]], 1))
    }
    last <- term$name
  }
  table_of(
    "main",
    title,
    list(
      col("term", "Term"),
      col("value", value, "number", if (is.null(digits)) ask$digits else digits),
      col("ci", sprintf("%s%% CI", label_of(100 * ask$conf_level)), align = "right"),
      col("p", "p", "p")
    ),
    rows,
    footnotes
  )
}

# Returns the ends of the interval of an estimate as numbers.
ci_of <- function(one) vapply(one$ci, function(end) if (is.null(end)) NA_real_ else as.numeric(end), 1)

# Returns the words after "higher" for a numeric predictor: "with each unit (years) more of Age".
unit_more <- function(said, unit) {
  sprintf("with each unit%s more of %s", if (nzchar(unit)) sprintf(" (%s)", unit) else "", said)
}

# Returns the terms in words: `what` ("the odds of Death = yes") "were higher for Arm = a than for b (reference) (odds
# ratio 2.02, 95% CI 1.08 to 3.78, p = 0.028) and lower with each unit more of Age (...)". `null` is the value of no
# difference, `unit` the unit of the outcome.
terms_words <- function(ask, model, what, name, estimates, ps, null = 1, unit = "", digits = NULL) {
  terms <- terms_of(ask, model)
  shown <- utils::head(terms, SENTENCE_TERMS)
  endless <- vapply(shown, function(term) is.na(estimates[[term$id]]$value), NA)
  gone <- vapply(
    shown[endless],
    function(term) sub("^with ", "for ", sub(" than for ", " against ", term$place, fixed = TRUE)),
    ""
  )
  words <- vapply(
    shown[!endless],
    function(term) {
      one <- estimates[[term$id]]
      places <- if (is.null(digits)) ratio_digits(c(one$value, ci_of(one)), ask$digits) else digits
      way <- if (abs(one$value - null) < 1e-12) {
        "the same"
      } else if (one$value > null) {
        "higher"
      } else {
        "lower"
      }
      place <- if (way == "the same") sub(" than for ", " as for ", term$place, fixed = TRUE) else term$place
      sprintf(
        "%s %s (%s %s, %s, %s)",
        way,
        place,
        name,
        in_unit(fixed(one$value, places), unit),
        ci_words(ci_of(one)[1], ci_of(one)[2], ask$conf_level, places),
        p_words(ps[[term$id]])
      )
    },
    ""
  )
  more <- length(terms) - length(shown)
  found <- c(
    if (length(words)) paste(what, listed(words)),
    if (length(gone)) sprintf("no %s can be estimated %s", name, listed(gone, "or"))
  )
  paste0(
    paste(found, collapse = "; "),
    if (more > 0) {
      sprintf(
        "; the other %s in the table",
        if (more == 1) "term stands" else sprintf("%s terms stand", label_of(more))
      )
    }
  )
}

# The estimates with their intervals, a line for each term. Ratios are on a log scale around 1, differences around 0.
terms_figure <- function(ask, model, name, estimates, ratio) {
  terms <- Filter(
    function(term) !is.na(estimates[[term$id]]$value) && all(is.finite(ci_of(estimates[[term$id]]))),
    terms_of(ask, model)
  )
  if (!length(terms) || length(terms) > 40) {
    return(list())
  }
  labels <- vapply(
    terms,
    function(term) {
      if (is.null(term$level)) {
        shortened(term$title, 42)
      } else {
        paste0(shortened(term$title, 20), ": ", shortened(term$level, 20))
      }
    },
    ""
  )
  frame <- data.frame(
    label = factor(make.unique(labels), levels = rev(make.unique(labels))),
    value = vapply(terms, function(term) estimates[[term$id]]$value, 1),
    low = vapply(terms, function(term) ci_of(estimates[[term$id]])[1], 1),
    high = vapply(terms, function(term) ci_of(estimates[[term$id]])[2], 1)
  )
  if (ratio) {
    # Intervals beyond 1/1000 and 1000 would squeeze all others.
    frame[2:4] <- lapply(frame[2:4], function(x) pmin(1000, pmax(0.001, x)))
  }
  plot <- ggplot(frame, aes(value, label)) +
    geom_vline(xintercept = if (ratio) 1 else 0, colour = SOFT, linewidth = 0.3, linetype = "22") +
    geom_errorbarh(aes(xmin = low, xmax = high), height = 0, colour = INK, linewidth = 0.4) +
    geom_point(colour = ACCENT, size = 1.8, shape = 15) +
    labs(x = sprintf("%s (%s%% CI)", name, label_of(100 * ask$conf_level)), y = NULL) +
    theme_thesis() +
    theme(axis.line.y = element_blank(), axis.ticks.y = element_blank())
  if (ratio) {
    plot <- plot +
      scale_x_log10(breaks = ratio_breaks(range(frame$low, frame$high)), labels = function(x) vapply(x, label_of, ""))
  }
  list(figure(
    "terms",
    plot,
    sprintf("%s with intervals: %s.", name, listed(sprintf("%s %s", labels, fixed(frame$value, 2)))),
    caption = sprintf("%s with %s%% intervals", name, label_of(100 * ask$conf_level)),
    height_mm = 28 + 8 * length(terms)
  ))
}

# Returns the axis breaks for ratios.
ratio_breaks <- function(range) {
  within <- function(steps) {
    all <- as.vector(outer(steps, 10^(-3:3)))
    all[all >= range[1] * 0.8 & all <= range[2] * 1.25]
  }
  inside <- within(c(1, 2, 5))
  if (length(inside) < 4) {
    inside <- within(c(1, 1.5, 2, 3, 5, 7))
  }
  if (length(inside) > 8) {
    inside <- inside[log10(inside) == round(log10(inside))]
  }
  if (length(inside) < 2) {
    inside <- pretty(range, 4)
  }
  inside[inside > 0]
}
