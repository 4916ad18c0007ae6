# The tables of a meta-analysis: studies, pooled estimates and heterogeneity.

# Returns the tables of a meta-analysis.
meta_tables <- function(read, pooled, ask, method) {
  back <- function(x) if (read$ratio) exp(x) else x
  z <- stats::qnorm(1 - (1 - ask$conf_level) / 2)
  whole <- pooled$whole
  shows <- study_columns(read)
  keys <- c(
    list(col("study", "Study")),
    if (!is.null(read$used$group)) list(col("group", label(ask$data[[ask$options$subgroup]]$name))),
    shows$columns,
    list(
      col("value", read$measure, "number", ask$digits),
      col("low", "CI from", "number", ask$digits),
      col("high", "CI to", "number", ask$digits),
      col("weight", "Weight (%)", "number", 1)
    )
  )
  studies <- lapply(seq_len(nrow(read$used)), function(i) {
    yi <- pooled$effects$yi[i]
    half <- z * sqrt(pooled$effects$vi[i])
    c(
      list(study = label(read$used$study[i], 120)),
      if (!is.null(read$used$group)) list(group = label(as.character(read$used$group[i]))),
      shows$row(i),
      list(
        value = back(yi),
        low = back(yi - half),
        high = back(yi + half),
        weight = whole$weights[i],
        yi = yi,
        vi = pooled$effects$vi[i]
      )
    )
  })
  total <- c(
    list(study = "Pooled"),
    if (!is.null(read$used$group)) list(group = NA),
    shows$total,
    list(value = back(whole$b), low = back(whole$low), high = back(whole$high), weight = 100)
  )
  fixes <- if (read$kind == "counts" && read$measure != "RD" && any(zero_cells(read$used))) {
    "Half an event was added to each cell of the studies with a 0."
  }
  tables <- list(table_of(
    "main",
    sprintf(
      "%s of %s against %s",
      capital(MEASURE_NAMES[[read$measure]]),
      lower_first(read$arms[1]),
      lower_first(read$arms[2])
    ),
    keys,
    c(studies, list(total)),
    footnotes = c(
      sprintf(
        "%s. %s%% confidence intervals; those of single studies are Wald's.",
        capital(method),
        label_of(100 * ask$conf_level)
      ),
      fixes,
      if (read$kind == "given" && read$ratio) "The estimates were given as logarithms.",
      if (length(read$empty)) {
        sprintf(
          "Left out because no group, or everybody in both, had an event: %s.",
          label(listed(vapply(read$empty, label, "", most = 40)), 300)
        )
      },
      if (!anyNA(whole$pi)) {
        sprintf(
          "Prediction interval by %s.",
          if (whole$knapp) {
            "the t distribution with k − 2 degrees of freedom (Higgins 2009)"
          } else {
            "the normal distribution"
          }
        )
      },
      missing_note(count_of(read$n$total, read$n$used + length(read$empty)))
    )
  ))
  if (length(pooled$groups)) {
    tables <- c(
      tables,
      list(table_of(
        "subgroups",
        "Subgroups",
        list(
          col("group", "Subgroup"),
          col("k", "Studies", "integer"),
          col("value", read$measure, "number", ask$digits),
          col("low", "CI from", "number", ask$digits),
          col("high", "CI to", "number", ask$digits),
          col("p", "p", "p"),
          col("i2", "I² (%)", "number", 1),
          col("tau2", "τ²", "number", 3)
        ),
        lapply(names(pooled$groups), function(name) {
          one <- pooled$groups[[name]]
          list(
            group = label(name),
            k = one$k,
            value = back(one$b),
            low = back(one$low),
            high = back(one$high),
            p = one$p,
            i2 = one$i2,
            tau2 = one$tau2
          )
        }),
        footnotes = c(
          if (!is.null(pooled$between)) {
            sprintf(
              paste0(
                "Test for subgroup differences: Q(%d) = %s, p %s, from ",
                "the ordinary standard errors with τ² of each subgroup."
              ),
              pooled$between$df,
              fixed(pooled$between$q, 2),
              p_text(pooled$between$p)
            )
          },
          "A difference between subgroups compares studies, not randomised groups."
        )
      ))
    )
  }
  if (length(pooled$without)) {
    tables <- c(
      tables,
      list(table_of(
        "leave_one_out",
        "Without one study at a time",
        list(
          col("study", "Left out"),
          col("value", read$measure, "number", ask$digits),
          col("low", "CI from", "number", ask$digits),
          col("high", "CI to", "number", ask$digits),
          col("i2", "I² (%)", "number", 1)
        ),
        lapply(seq_along(pooled$without), function(i) {
          one <- pooled$without[[i]]
          list(
            study = label(read$used$study[i], 120),
            value = back(one$b),
            low = back(one$low),
            high = back(one$high),
            i2 = one$i2
          )
        }),
        footnotes = sprintf("%s.", capital(method))
      ))
    )
  }
  tables
}

# Returns which studies have a cell of 0 (no events, or only events, in a group).
zero_cells <- function(used) {
  used$events_1 == 0 | used$events_2 == 0 | used$events_1 == used$n_1 | used$events_2 == used$n_2
}

# Returns the columns between name and effect, for tables and the forest plot: list(columns, row(i), total).
study_columns <- function(read) {
  used <- read$used
  events <- function(x, n) sprintf("%s/%s", label_of(x), label_of(n))
  means <- function(m, s, n) sprintf("%s (%s), %s", fmt(m, 1), fmt(s, 1), label_of(n))
  switch(
    read$kind,
    counts = list(
      columns = list(col("a", read$arms[1], align = "right"), col("b", read$arms[2], align = "right")),
      row = function(i) list(a = events(used$events_1[i], used$n_1[i]), b = events(used$events_2[i], used$n_2[i])),
      of = function(at) {
        list(
          a = events(sum(used$events_1[at]), sum(used$n_1[at])),
          b = events(sum(used$events_2[at]), sum(used$n_2[at]))
        )
      },
      total = list(a = events(sum(used$events_1), sum(used$n_1)), b = events(sum(used$events_2), sum(used$n_2)))
    ),
    means = list(
      columns = list(
        col("a", sprintf("%s: mean (SD), n", read$arms[1]), align = "right"),
        col("b", sprintf("%s: mean (SD), n", read$arms[2]), align = "right")
      ),
      row = function(i) {
        list(a = means(used$mean_1[i], used$sd_1[i], used$n_1[i]), b = means(used$mean_2[i], used$sd_2[i], used$n_2[i]))
      },
      of = function(at) list(a = label_of(sum(used$n_1[at])), b = label_of(sum(used$n_2[at]))),
      total = list(a = label_of(sum(used$n_1)), b = label_of(sum(used$n_2)))
    ),
    given = list(columns = list(), row = function(i) list(), of = function(at) list(), total = list())
  )
}
