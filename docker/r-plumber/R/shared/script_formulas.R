# Our own formulas as script code, and their sources.

# Returns the source code of our functions as lines of a script, so that a script uses exactly the formula of the
# answer.
code_of <- function(...) unlist(lapply(c(...), function(name) function_code(name, get(name))))

# Returns the source code of a function as lines of a script.
function_code <- function(name, value) {
  lines <- deparse(value, width.cutoff = 110L)
  lines <- gsub("    ", "  ", gsub("(stats|pROC)::", "", lines), fixed = TRUE)
  lines[1] <- trimws(paste(name, "<-", sub("^function \\(", "function(", lines[1])), "right")
  if (length(lines) > 1 && lines[2] == "{") {
    lines <- c(paste(lines[1], "{"), lines[-(1:2)])
  } else if (length(lines) > 1 && grepl("^[a-z]", lines[2])) {
    lines <- c(paste(lines[1], lines[2]), lines[-(1:2)])
  }
  c(if (name %in% names(SOURCES)) comment_line(SOURCES[[name]]), lines)
}

# Wilson's interval of a share (1927), without continuity correction. NA if the denominator is 0.
wilson_interval <- function(events, of, conf_level) {
  if (of == 0) {
    return(c(NA, NA))
  }
  z <- stats::qnorm(1 - (1 - conf_level) / 2)
  share <- events / of
  middle <- (share + z^2 / (2 * of)) / (1 + z^2 / of)
  half <- z * sqrt(share * (1 - share) / of + z^2 / (4 * of^2)) / (1 + z^2 / of)
  c(max(0, middle - half), min(1, middle + half))
}

# Sources of the formulas, for comments in scripts.
SOURCES <- c(
  games_howell = "Games and Howell 1976, J Educ Stat 1:113: Welch's t of each pair, p from the studentised range",
  tukey_kramer = "Kramer 1956, Biometrics 12:307: pairs over one pooled variance",
  dunn_holm = "Dunn 1964, Technometrics 6:241, corrected for ties; p adjusted by Holm 1979",
  wilcoxon_holm = "Signed-rank tests of each pair; p adjusted by Holm 1979",
  friedman_numbers = "With the correction for ties: Hollander and Wolfe 1973, p. 140",
  levene = "Levene 1960 (mean), Brown and Forsythe 1974, JASA 69:364 (median)",
  noncentral_t = "Steiger and Fouladi 1997; of pairs Algina and Keselman 2003, Educ Psychol Meas 63:537",
  matching_interval = "The odds ratios that the exact two-sided test does not reject: Fay 2010, R Journal 2(1):53",
  two_by_two_numbers = paste0(
    "Score intervals: Cornfield 1956; Mee 1984, Biometrics ",
    "40:1175; Miettinen and Nurminen 1985, Stat Med 4:213"
  ),
  wilson_interval = "Wilson 1927, JASA 22:209",
  agreement_limits = "Bland and Altman 1986, Lancet i:307",
  icc_of = "Shrout and Fleiss 1979, Psychol Bull 86:420; McGraw and Wong 1996, Psychol Methods 1:30",
  cohen_kappa = "Fleiss, Cohen and Everitt 1969, Psychol Bull 72:323",
  fleiss_kappa = paste0(
    "Fleiss 1971, Psychol Bull 76:378; z: Fleiss, Nee and ",
    "Landis 1979; interval: the jackknife over subjects"
  ),
  diagnostic_ratios = "Simel 1991, J Clin Epidemiol 44:763",
  mcnemar_numbers = "Tango 1998, Stat Med 17:891; Wilson 1927; Clopper and Pearson 1934",
  omega_squared = paste0(
    "Hays 1963; of Welch's F Carroll and Nordholm 1975, Educ Psychol ",
    "Meas 35:541; limit: Steiger 2004, Psychol Methods 9:164"
  ),
  coefficient_interval = "Fisher's transformation, as wide as the test's own critical value",
  rank_biserial = "Wendt 1972",
  rank_biserial_paired = "Kerby 2014, Compr Psychol 3:1",
  smd_numbers = "Austin 2009, Stat Med 28:3083",
  smd_levels = "Yang and Dalton 2012, SAS Global Forum 335",
  shape_of = "Skewness and kurtosis of type 1: Joanes and Gill 1998, The Statistician 47:183"
)
