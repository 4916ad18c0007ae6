# Random data and the results of well-known packages for them, as JSON: a list of
# {id, analysis, columns, params, expected {path: number}}. The arguments are the seeds.
suppressMessages({
  library(car)
  library(psych)
  library(lmtest)
  library(effectsize)
  library(rstatix)
  library(brglm2)
})

numbers <- function(...) lapply(c(...), function(one) unname(as.numeric(one)))
case <- function(id, analysis, columns, params, ...) {
  list(
    id = id,
    analysis = analysis,
    columns = lapply(columns, function(one) if (is.factor(one)) as.character(one) else one),
    params = params,
    expected = numbers(...)
  )
}

cases_of <- function(seed) {
  set.seed(seed)
  n <- 90
  d <- data.frame(
    g = factor(sample(c("a", "b", "c"), n, TRUE), levels = c("a", "b", "c")),
    x = round(rnorm(n), 2),
    z = round(rnorm(n), 2)
  )
  d$x2 <- round(d$x + rnorm(n) / 3, 2)
  d$y <- round(2 + d$x + (d$g == "b") * 0.6 + rnorm(n) * (1 + (d$g == "c")), 3)
  d <- d[order(d$g), ] # so that levels stand in the order of their first rows
  two <- droplevels(d[d$g != "c", ])
  by_mean <- leveneTest(y ~ g, d, center = mean)
  by_median <- leveneTest(y ~ g, d, center = median)
  aov_of <- aov(y ~ g, d)
  howell <- as.data.frame(games_howell_test(d, y ~ g))
  dunn <- as.data.frame(dunn_test(d, y ~ g, p.adjust.method = "holm"))
  line <- lm(y ~ x + x2 + z, d)
  even <- bptest(line)
  subjects <- matrix(round(rnorm(60) + rep(rnorm(20), 3), 2), 20)
  icc <- ICC(subjects, lmer = FALSE)$results
  raters <- cbind(sample(1:3, 40, TRUE), sample(1:3, 40, TRUE))
  raters[1:25, 2] <- raters[1:25, 1]
  kappa <- cohen.kappa(raters)
  measured <- matrix(rnorm(60), 20) # no two are equal
  case_of <- rbinom(n, 1, plogis(d$x))
  firth <- coef(glm(
    case_of ~ x + z,
    data = d,
    family = binomial,
    method = "brglmFit",
    type = "AS_mean",
    control = list(epsilon = 1e-10)
  ))
  forms <- c("icc1", "icc2", "icc3", "icc1k", "icc2k", "icc3k")
  pairs <- c("1_2", "1_3", "2_3")
  list(
    case(
      "anova",
      "anova",
      d[c("y", "g")],
      list(outcome = "@y", group = "@g", options = list(var_equal = TRUE)),
      statistics.levene_mean_F = by_mean[1, 2],
      statistics.levene_mean_p = by_mean[1, 3],
      statistics.levene_median_F = by_median[1, 2],
      statistics.levene_median_p = by_median[1, 3],
      effect_sizes.omega_squared.value = max(0, effectsize::omega_squared(aov_of, partial = FALSE)$Omega2),
      effect_sizes.eta_squared.value = effectsize::eta_squared(aov_of, partial = FALSE)$Eta2
    ),
    case(
      "games_howell",
      "anova",
      d[c("y", "g")],
      list(outcome = "@y", group = "@g"),
      setNames(-howell$estimate, sprintf("estimates.difference_%s.value", pairs)),
      setNames(-howell$conf.high, sprintf("estimates.difference_%s.low", pairs)),
      setNames(-howell$conf.low, sprintf("estimates.difference_%s.high", pairs))
    ),
    case(
      "dunn",
      "kruskal",
      d[c("y", "g")],
      list(outcome = "@y", group = "@g"),
      setNames(-dunn$statistic, sprintf("estimates.difference_%s.z", pairs)),
      setNames(dunn$p.adj, sprintf("estimates.difference_%s.p", pairs))
    ),
    case(
      "linear",
      "linear",
      d[c("y", "x", "x2", "z")],
      list(outcome = "@y", predictors = list("@x", "@x2", "@z")),
      assumptions.spread.statistic = even$statistic[[1]],
      assumptions.spread.p = even$p.value[[1]],
      assumptions.collinearity.statistic = max(vif(line))
    ),
    case(
      "cohens_d",
      "t_test",
      two[c("y", "g")],
      list(outcome = "@y", group = "@g", options = list(var_equal = TRUE)),
      effect_sizes.cohens_d.value = effectsize::cohens_d(y ~ g, data = two)$Cohens_d,
      effect_sizes.cohens_d.low = effectsize::cohens_d(y ~ g, data = two)$CI_low,
      effect_sizes.cohens_d.high = effectsize::cohens_d(y ~ g, data = two)$CI_high
    ),
    case(
      "rank_biserial",
      "mann_whitney",
      two[c("y", "g")],
      list(outcome = "@y", group = "@g"),
      effect_sizes.rank_biserial.value = effectsize::rank_biserial(y ~ g, data = two)$r_rank_biserial
    ),
    case(
      "friedman",
      "friedman",
      list(a = measured[, 1], b = measured[, 2], c = measured[, 3]),
      list(columns = list("@a", "@b", "@c")),
      effect_sizes.kendalls_w.value = effectsize::kendalls_w(measured)$Kendalls_W,
      statistics.chi_squared = friedman.test(measured)$statistic[[1]],
      statistics.p = friedman.test(measured)$p.value
    ),
    case(
      "icc",
      "icc",
      list(a = subjects[, 1], b = subjects[, 2], c = subjects[, 3]),
      list(raters = list("@a", "@b", "@c")),
      setNames(icc$ICC, sprintf("estimates.%s.value", forms)),
      setNames(icc[["lower bound"]], sprintf("estimates.%s.low", forms)),
      setNames(icc[["upper bound"]], sprintf("estimates.%s.high", forms)),
      setNames(icc$F, sprintf("statistics.%s_F", forms))
    ),
    case(
      "kappa",
      "kappa",
      list(a = factor(raters[, 1]), b = factor(raters[, 2])),
      list(raters = list("@a", "@b")),
      estimates.kappa.value = kappa$kappa,
      estimates.kappa.low = kappa$confid[1, 1],
      estimates.kappa.high = kappa$confid[1, 3]
    ),
    case(
      "weighted_kappa",
      "kappa",
      list(a = factor(raters[, 1]), b = factor(raters[, 2])),
      list(raters = list("@a", "@b"), options = list(weights = "quadratic")),
      estimates.kappa.value = kappa$weighted.kappa
    ),
    case(
      "firth",
      "logistic",
      c(list(case = case_of), d[c("x", "z")]),
      list(outcome = "@case", predictors = list("@x", "@z"), options = list(firth = TRUE)),
      estimates.intercept.value = firth[[1]],
      "estimates.@x.value" = firth[["x"]],
      "estimates.@z.value" = firth[["z"]]
    )
  )
}

made <- unlist(
  lapply(as.integer(commandArgs(TRUE)), function(seed) {
    lapply(cases_of(seed), function(one) modifyList(one, list(id = paste0(one$id, "-", seed))))
  }),
  recursive = FALSE
)
cat(jsonlite::toJSON(suppressWarnings(made), digits = NA, auto_unbox = TRUE))
