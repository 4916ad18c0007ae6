# Formulas of our own in scripts, and where each is from.

# The source of a function of ours as lines of a script, so that a script computes by the very formula of the answer.
code_of <- function(name) {
  lines <- deparse(get(name), width.cutoff = 110L)
  lines <- gsub("    ", "  ", gsub("stats::", "", lines, fixed = TRUE), fixed = TRUE)
  lines[1] <- trimws(paste(name, "<-", sub("^function \\(", "function(", lines[1])), "right")
  if (length(lines) > 1 && lines[2] == "{") lines <- c(paste(lines[1], "{"), lines[-(1:2)])
  else if (length(lines) > 1 && grepl("^[a-z]", lines[2])) lines <- c(paste(lines[1], lines[2]), lines[-(1:2)])
  c(if (name %in% names(SOURCES)) comment_line(SOURCES[[name]]), lines)
}

# Where the formulas come from, as the script tells it.
SOURCES <- c(
  games_howell = "Games and Howell 1976, J Educ Stat 1:113: Welch's t of each pair, p from the studentised range",
  tukey_kramer = "Kramer 1956, Biometrics 12:307: pairs over one pooled variance",
  dunn_holm = "Dunn 1964, Technometrics 6:241, corrected for ties; p adjusted by Holm 1979",
  wilcoxon_holm = "Signed-rank tests of each pair; p adjusted by Holm 1979",
  levene = "Levene 1960 (mean), Brown and Forsythe 1974, JASA 69:364 (median)",
  noncentral_t = "Steiger and Fouladi 1997; of pairs Algina and Keselman 2003, Educ Psychol Meas 63:537",
  matching_interval = "The odds ratios that the exact two-sided test does not reject: Fay 2010, R Journal 2(1):53",
  two_by_two_numbers = "Score intervals: Cornfield 1956; Mee 1984, Biometrics 40:1175; Miettinen and Nurminen 1985, Stat Med 4:213",
  mcnemar_numbers = "Tango 1998, Stat Med 17:891; Wilson 1927; Clopper and Pearson 1934",
  omega_squared = "Hays 1963; of Welch's F Carroll and Nordholm 1975, Educ Psychol Meas 35:541; limit: Steiger 2004, Psychol Methods 9:164",
  coefficient_interval = "Fisher's transformation, as wide as the test's own critical value",
  rank_biserial = "Wendt 1972",
  rank_biserial_paired = "Kerby 2014, Compr Psychol 3:1",
  smd_numbers = "Austin 2009, Stat Med 28:3083",
  smd_levels = "Yang and Dalton 2012, SAS Global Forum 335",
  shape_of = "Skewness and kurtosis of type 1: Joanes and Gill 1998, The Statistician 47:183"
)
