# Small random data for every analysis of the service: does a p value contradict the confidence interval next to it?
# Rscript agreement.R <folder of the service> <runs of each> <seed> prints JSON: for each analysis, how many pairs of a
# p value and an interval were compared, how many intervals are missing, and the first contradictions.

given <- commandArgs(TRUE)
options(warn = -1)
suppressPackageStartupMessages({
  library(survival)
  library(ggplot2)
  library(metafor)
})
for (folder in file.path(given[1], "R", c(".", "shared", "analyses"))) {
  for (file in sort(list.files(folder, "[.]R$", full.names = TRUE), method = "radix")) {
    source(file, encoding = "UTF-8")
  }
}
drawing$wanted <- FALSE
code_of <- function(...) character() # the scripts have tests of their own, and take most of the time
runs <- as.integer(given[2])
seed <- as.integer(given[3])

# An ask as ask_of() makes it of a request.
asked <- function(name, columns, params, options = list(), conf_level = 0.95) {
  entry <- ANALYSES[[name]]
  data <- lapply(seq_along(columns), function(i) {
    values <- columns[[i]]
    list(
      id = paste0("c", i),
      type = if (is.numeric(values)) "numeric" else "factor",
      values = values,
      levels = character(),
      header = names(columns)[i],
      name = names(columns)[i],
      said = names(columns)[i],
      unit = ""
    )
  })
  if (length(data)) {
    names(data) <- paste0("c", seq_along(data))
  }
  list(
    entry = entry,
    request_id = "",
    alpha = 0.05,
    conf_level = conf_level,
    seed = 1L,
    digits = 2L,
    formats = character(),
    wants_script = FALSE,
    data = data,
    params = checked(params, entry$params, "params", data),
    options = checked(options, entry$options, "params.options", data)
  )
}

pick <- function(...) sample(list(...), 1)[[1]]
size <- function() sample(4:24, 1)
# Numbers with few or many ties, few or many apart.
numbers <- function(n, shift = 0) {
  pick(round, function(x) round(2 * x), function(x) round(x, 1), identity)(rnorm(
    n,
    shift * pick(0, 0.5, 1, 1.5),
    pick(1, 1, 3)
  ))
}
groups <- function(n, k = 2) sample(rep_len(letters[seq_len(k)], n))
two_sided <- function() pick("two.sided", "two.sided", "less", "greater")
rows <- function(cells) list(cells[1:2], cells[3:4])
counts <- function() rows(rbinom(4, sample(2:40, 1), runif(4)))
events <- function(n) {
  e <- rbinom(n, 1, runif(1, 0.3, 0.9))
  e[1:2] <- 0:1
  e
}

# For each analysis: a random ask, and which intervals (null value by id) stand beside statistics$p.
TRIED <- list(
  t_test = list(
    function() {
      n <- size()
      g <- groups(n)
      asked(
        "t_test",
        list(y = numbers(n) + (g == "b") * pick(0, 1, 2), g = g),
        list(outcome = "c1", group = "c2"),
        list(var_equal = pick(TRUE, FALSE), alternative = two_sided()),
        pick(0.95, 0.9, 0.99)
      )
    },
    c(mean_difference = 0, cohens_d = 0)
  ),
  one_sample_t = list(
    function() asked("one_sample_t", list(y = numbers(size(), 1)), list(outcome = "c1"), list(mu = 0)),
    c(mean_difference = 0, cohens_d = 0)
  ),
  paired_t = list(
    function() {
      n <- size()
      x <- numbers(n)
      asked("paired_t", list(x = x, y = x + numbers(n, 1)), list(first = "c1", second = "c2"))
    },
    c(mean_difference = 0, cohens_d = 0, cohens_dz = 0)
  ),
  mann_whitney = list(
    function() {
      n <- size()
      g <- groups(n)
      asked(
        "mann_whitney",
        list(y = numbers(n) + (g == "b") * pick(0, 1, 2), g = g),
        list(outcome = "c1", group = "c2"),
        conf_level = pick(0.95, 0.9)
      )
    },
    c(median_difference = 0, rank_biserial = 0)
  ),
  wilcoxon = list(
    function() {
      n <- size()
      x <- numbers(n)
      asked(
        "wilcoxon",
        list(x = x, y = x + numbers(n, 1)),
        list(first = "c1", second = "c2"),
        conf_level = pick(0.95, 0.9)
      )
    },
    c(median_difference = 0, rank_biserial = 0)
  ),
  anova = list(
    function() {
      n <- 6 + size()
      g <- groups(n, sample(2:4, 1))
      asked(
        "anova",
        list(y = numbers(n) + match(g, letters) * pick(0, 0.3, 0.8), g = g),
        list(outcome = "c1", group = "c2"),
        list(var_equal = pick(TRUE, FALSE), post_hoc = pick("games_howell", "tukey"))
      )
    },
    c(omega_squared = 0)
  ),
  chi_square = list(
    function() asked("chi_square", list(), list(counts = counts())),
    c(odds_ratio = 1, odds_ratio_exact = 1, risk_difference = 0, cramers_v = 0)
  ),
  fisher = list(
    function() asked("fisher", list(), list(counts = counts()), list(alternative = two_sided())),
    c(odds_ratio_exact = 1, cramers_v = 0)
  ),
  chi_square_gof = list(
    function() {
      share <- pick(0.5, 0.3, 0.1)
      asked(
        "chi_square_gof",
        list(),
        list(counts = as.vector(rmultinom(1, sample(4:60, 1), c(0.4, 0.6)))),
        list(expected = c(share, 1 - share))
      )
    },
    NULL
  ),
  mcnemar = list(
    function() asked("mcnemar", list(), list(counts = rows(rpois(4, runif(4, 0, 30))))),
    c(difference = 0, odds_ratio = 1)
  ),
  correlation = list(
    function() {
      n <- size()
      x <- numbers(n)
      asked(
        "correlation",
        list(x = x, y = x * pick(0, 0.3, -0.6, 1) + numbers(n)),
        list(x = "c1", y = "c2"),
        list(method = pick("pearson", "spearman", "kendall"), alternative = two_sided())
      )
    },
    c(r = 0, rho = 0, tau = 0)
  ),
  linear = list(
    function() {
      n <- 4 + size()
      x <- numbers(n)
      asked("linear", list(y = numbers(n) + x * pick(0, 0.4, 1), x = x), list(outcome = "c1", predictors = "c2"))
    },
    c(c2 = 0)
  ),
  logistic = list(
    function() {
      n <- 10 + size()
      x <- numbers(n)
      asked(
        "logistic",
        list(y = rbinom(n, 1, plogis(x * pick(0, 0.5, 1))), x = x),
        list(outcome = "c1", predictors = "c2"),
        list(firth = pick(FALSE, FALSE, TRUE))
      )
    },
    c(c2 = 0, or.c2 = 1)
  ),
  cox = list(
    function() {
      n <- 8 + size()
      g <- groups(n)
      asked(
        "cox",
        list(t = round(rexp(n) * ifelse(g == "b", pick(1, 2, 4), 1), 1) + 0.1, e = events(n), g = g),
        list(time = "c1", event = "c2", predictors = "c3")
      )
    },
    c(c3.b = 0, hr.c3.b = 1)
  ),
  kaplan_meier = list(
    function() {
      n <- 8 + size()
      g <- groups(n)
      asked(
        "kaplan_meier",
        list(t = round(rexp(n) * ifelse(g == "b", pick(1, 2, 4), 1), 1) + 0.1, e = events(n), g = g),
        list(time = "c1", event = "c2", group = "c3")
      )
    },
    c(hr_log_rank = 1)
  ),
  roc = list(
    function() {
      n <- 6 + size()
      y <- events(n)
      asked("roc", list(y = y, x = numbers(n) + y * pick(0, 1)), list(outcome = "c1", score = "c2"))
    },
    c(auc = 0.5)
  ),
  kappa = list(
    function() {
      n <- 6 + size()
      a <- sample(letters[1:3], n, TRUE)
      again <- function() ifelse(runif(n) < runif(1), a, sample(letters[1:3], n, TRUE))
      many <- pick(FALSE, TRUE)
      asked(
        "kappa",
        c(list(a = a, b = again()), if (many) list(d = again())),
        list(raters = paste0("c", 1:(2 + many))),
        list(weights = if (many) "unweighted" else pick("unweighted", "linear", "quadratic"))
      )
    },
    c(kappa = 0)
  ),
  icc = list(
    function() {
      n <- size()
      x <- numbers(n)
      asked(
        "icc",
        list(a = x + numbers(n), b = x + numbers(n)),
        list(raters = c("c1", "c2")),
        list(form = pick("icc1", "icc2", "icc3"))
      )
    },
    NULL
  ),
  meta = list(
    function() {
      k <- sample(3:8, 1)
      asked(
        "meta",
        list(s = paste("S", 1:k), y = rnorm(k, pick(0, 0.3, 0.6), pick(0.1, 0.5)), se = runif(k, 0.1, 0.5)),
        list(study = "c1", estimate = "c2", se = "c3"),
        list(measure = pick("GEN", "OR"), method = pick("REML", "DL", "FE"), knapp_hartung = pick(TRUE, FALSE))
      )
    },
    c(gen = 0, or = 1, log_or = 0)
  )
)

# Whether an interval leaves the null value out; NA where there is none.
excludes <- function(one, null) {
  ends <- vapply(one$ci, function(end) if (is.null(end)) NA_real_ else as.numeric(end), 1)
  if (length(ends) < 2 || anyNA(ends)) {
    return(NA)
  }
  open <- if (is.null(one$open)) "" else one$open
  ends[1] > null || ends[2] < null || (open == "low" && ends[1] == null) || (open == "high" && ends[2] == null)
}

# Whether its ends, as they are shown, say so too: one beside the null value may not read like it.
shows <- function(one, null) {
  if (is.null(one$digits) || !is.null(one$open)) {
    return(TRUE)
  }
  times <- if (identical(one$format, "percent")) 100 else 1
  !fixed(times * null, one$digits) %in% fixed(times * ci_of(one), one$digits)
}

tried <- function(name) {
  # Each analysis has random data of its own, so that a new one does not change those of the others.
  set.seed(seed + sum(utf8ToInt(name)))
  make <- TRIED[[name]][[1]]
  nulls <- TRIED[[name]][[2]]
  compared <- missing <- refused <- 0
  wrong <- character()
  compare <- function(ask, one, p, null) {
    out <- excludes(one, null)
    level <- 1 - ask$conf_level
    if (is.na(p) || abs(p - level) < 1e-7) {
      return()
    }
    if (is.na(out)) {
      missing <<- missing + 1
      return()
    }
    compared <<- compared + 1
    if (out != (p < level) || (out && !shows(one, null))) {
      wrong <<- c(
        wrong,
        sprintf(
          "%s: p %.6f, %s %s, null %s",
          jsonlite::toJSON(list(ask$params, ask$options, lapply(ask$data, `[[`, "values")), auto_unbox = TRUE),
          p,
          one$id,
          paste(format(unlist(one$ci)), collapse = " to "),
          format(null)
        )
      )
    }
  }
  began <- proc.time()[[1]]
  for (run in seq_len(runs)) {
    ask <- NULL
    made <- tryCatch(
      {
        ask <- make()
        ask$entry$run(ask)
      },
      refusal = function(problem) NULL
    )
    if (is.null(made)) {
      refused <- refused + 1
      next
    }
    for (one in c(made$estimates, made$effect_sizes)) {
      if (one$id %in% names(nulls)) {
        compare(ask, one, made$statistics$p, nulls[[one$id]])
      }
      if (!is.null(one$p) && !isFALSE(one$p_beside)) {
        compare(ask, one, one$p, if (one$id %in% names(nulls)) nulls[[one$id]] else 0)
      }
    }
    if (name == "chi_square_gof") compare(ask, made$estimates[[1]], made$statistics$p, ask$options$expected[1])
  }
  list(
    compared = compared,
    missing = missing,
    refused = refused,
    seconds = proc.time()[[1]] - began,
    wrong = length(wrong),
    first = head(wrong, 3)
  )
}

cat(jsonlite::toJSON(sapply(names(TRIED), tried, simplify = FALSE), auto_unbox = TRUE))
