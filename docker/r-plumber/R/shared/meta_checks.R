# Assumption checks and warnings of a meta-analysis.

# Returns the checks of heterogeneity and of funnel asymmetry.
meta_assumptions <- function(read, pooled, ask) {
  whole <- pooled$whole
  c(
    if (whole$k > 1) {
      list(assumption(
        "heterogeneity",
        "Cochran's Q and I²",
        sprintf(
          "%s %s",
          sprintf(
            "%s of the variation between the studies is more than chance.",
            if (whole$i2 >= 75) {
              "Most"
            } else if (whole$i2 >= 50) {
              "More than half"
            } else if (whole$i2 >= 25) {
              "Less than half"
            } else {
              "Hardly any"
            }
          ),
          if (whole$k < 10) "With few studies this is uncertain." else "Read the prediction interval beside it."
        ),
        whole$q,
        whole$q_p,
        if (whole$i2 >= 50 || whole$q_p < 0.1) "concern" else "ok"
      ))
    },
    list(
      if (is.null(pooled$tests)) {
        assumption(
          "small_studies",
          "Funnel plot",
          paste0(
            "With fewer than ten studies no test of the funnel's asymmetry is made: ",
            "it could hardly find any. Look for unpublished studies in registers."
          ),
          status = "not_run"
        )
      } else {
        p <- pooled$tests$rank_p
        both <- min(p, pooled$tests$p, na.rm = TRUE)
        assumption(
          "small_studies",
          "Begg's rank correlation",
          paste0(
            if (is.na(both)) {
              "The funnel's asymmetry could not be tested."
            } else if (both < 0.1) {
              "Small studies give other results than large ones. Unpublished studies are one reason among several."
            } else {
              "Small studies do not visibly differ from large ones."
            },
            if (!is.na(pooled$tests$p)) sprintf(" Egger's regression: p %s.", p_text(pooled$tests$p))
          ),
          pooled$tests$tau,
          p,
          if (!is.na(both) && both < 0.1) "concern" else "ok"
        )
      }
    ),
    list(assumption(
      "bias",
      "Risk of bias",
      "Pooling does not mend the faults of single studies. Say how their risk of bias was judged.",
      status = "not_run"
    ))
  )
}

# Returns the warnings of a meta-analysis.
meta_warnings <- function(read, pooled, ask) {
  whole <- pooled$whole
  c(
    if (whole$k == 1) list(warning_of("one_study", "There is one study with all its numbers: nothing was pooled.")),
    if (whole$k == 2) {
      list(warning_of(
        "few_studies",
        "Two studies say next to nothing about how studies differ. No prediction interval is given."
      ))
    },
    if (read$kind == "counts" && any(zero_cells(read$used))) {
      list(warning_of(
        "zero_cell",
        sprintf(
          "%s a group in which nobody or everybody had an event.",
          if (sum(zero_cells(read$used)) == 1) {
            "One study has"
          } else {
            sprintf("%s studies have", label_of(sum(zero_cells(read$used))))
          }
        )
      ))
    },
    if (length(read$empty)) {
      list(warning_of(
        "double_zero",
        sprintf(
          paste0(
            "%s left out: without an event in either group (or with ",
            "one in everybody) a study says nothing about a ratio."
          ),
          plural(length(read$empty), "study was", "studies were")
        )
      ))
    },
    if (read$kind == "given" && read$ratio) {
      list(warning_of(
        "estimates_taken_as_logarithms",
        sprintf(
          paste0(
            "The estimates were taken as logarithms of the %s. If they ",
            "are the ratios themselves, take their logarithms first."
          ),
          MEASURE_NAMES[[read$measure]]
        )
      ))
    },
    if (whole$knapp && whole$high - whole$low < 2 * stats::qnorm(1 - (1 - ask$conf_level) / 2) * whole$wald_se) {
      list(warning_of(
        "narrow_knapp_hartung",
        paste0(
          "The studies agree so well that the Knapp-Hartung interval is narrower ",
          "than the ordinary one. Compare both before you rely on it."
        )
      ))
    },
    if (pooled$same) {
      list(warning_of(
        "identical_effects",
        paste0(
          "The studies, or those of a subgroup, all have the same effect. The Knapp-Hartung ",
          "interval would have no width, so the ordinary one is shown there."
        )
      ))
    },
    if (whole$stepped) list(warning_of("slow_convergence", "REML needed shorter steps than usual to converge."))
  )
}
