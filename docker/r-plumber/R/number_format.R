# Formatting of numbers and words for sentences. Text is written once and rendered both as plain text and as LaTeX;
# italics stand between two control characters, which labels never contain because they are removed from them.

ITALIC <- c("\u0002", "\u0003")

# Returns a text in italics.
it <- function(text) paste0(ITALIC[1], text, ITALIC[2])

# Returns a number as text: 7.24, with a minus sign; "not estimable" for NA. It is rounded from the 15 digits in the
# JSON, by the C library and not by round(), which turns 0.065 into 0.06. So tables, which the client formats from the
# JSON, agree.
fmt <- function(value, digits = 2) {
  vapply(
    value,
    function(one) {
      if (is.na(one)) {
        return("not estimable")
      }
      if (is.infinite(one)) {
        return(if (one > 0) "infinity" else "−infinity")
      }
      one <- signif(one, 15)
      if (abs(one) >= 1e6 && abs(one) < 1e12) {
        return(sub("-", "−", formatC(one, digits = 0, format = "f", big.mark = ","), fixed = TRUE))
      }
      if (abs(one) >= 1e12 || (one != 0 && abs(one) < 10^-digits / 2)) {
        return(sub("-", "−", signif_text(one), fixed = TRUE))
      }
      text <- formatC(one, digits = digits, format = "f")
      if (grepl("^-0[.]?0*$", text)) {
        text <- sub("-", "", text, fixed = TRUE)
      }
      sub("-", "−", text, fixed = TRUE)
    },
    "",
    USE.NAMES = FALSE
  )
}

# Like fmt(), but always with `digits` decimals, so that all numbers of a statement have the same precision: 0.0 and not
# 4.6e-05 beside 2.3.
fixed <- function(value, digits = 2) {
  vapply(
    value,
    function(one) if (!is.na(one) && abs(one) < 10^-digits / 2) fmt(0, digits) else fmt(one, digits),
    "",
    USE.NAMES = FALSE
  )
}

# Returns a very large or very small number with three significant digits: 4.6 × 10^20 as 4.6e+20.
signif_text <- function(value) formatC(value, digits = 3, format = "g")

# Returns a p value: three decimals, "< 0.001" below, never 0.000, and never 1.000 for less than 1 (NEJM, BMJ and
# ICMJE).
p_text <- function(p) {
  if (is.na(p)) {
    return("not estimable")
  }
  if (p < 0.001) {
    return("< 0.001")
  }
  if (p > 0.9995 && p < 1) {
    return("> 0.999")
  }
  paste("=", formatC(p, digits = 3, format = "f"))
}

# Returns a p value with its letter for a sentence: p = 0.031.
p_words <- function(p) paste(it("p"), p_text(p))

# Returns a count with its percentage: "12 (35.3%)".
share <- function(count, of, digits = 1) {
  sprintf("%s (%s%%)", label_of(count), if (of > 0) fixed(100 * count / of, digits) else "0")
}

# Returns an interval: "95% CI 78.6 to 489.0", each end followed by `end`. `side` is the side of a one-sided interval:
# less, greater, or least for a value that cannot be negative. `open` is the end, low or high, that is not part of the
# interval. `null` is as in apart_digits().
ci_words <- function(low, high, conf_level = 0.95, digits = 2, side = "two.sided", open = "", null = NA, end = "") {
  level <- label_of(100 * conf_level)
  bounds <- if (side == "two.sided") {
    c(low, high)
  } else if (side == "less") {
    high
  } else {
    low
  }
  if (all(is.na(bounds))) {
    return(sprintf("%s%% %s not estimable", level, if (side == "two.sided") "CI" else "one-sided interval"))
  }
  said <- paste0(fixed(bounds, apart_digits(bounds, digits, null)), end)
  if (side != "two.sided") {
    return(sprintf(
      "%s%% one-sided interval: %s %s",
      level,
      c(less = "below", greater = "above", least = "at least")[[side]],
      said
    ))
  }
  sprintf(
    "%s%% CI %s%s to %s%s",
    level,
    if (open == "low") "above " else "",
    said[1],
    if (open == "high") "below " else "",
    said[2]
  )
}

# Returns the number of decimals for an interval: more than `digits` if an end would otherwise round to the value
# `null`, such as 0.998 and not 1.00.
apart_digits <- function(ends, digits, null) {
  close <- function(digits) {
    any(
      abs(ends - null) > 1e-12 * max(1, abs(ends[is.finite(ends)])) & fixed(ends, digits) == fixed(null, digits),
      na.rm = TRUE
    )
  }
  for (more in 1:4) {
    if (close(digits)) digits <- digits + 1
  }
  digits
}

IN_WORDS <- c("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

# Returns a small number as a word.
in_words <- function(number) if (number < 10) IN_WORDS[number + 1] else label_of(number)

# Returns a number with its noun in the singular or plural.
plural <- function(number, noun, nouns = paste0(noun, "s")) {
  sprintf("%s %s", label_of(number), if (number == 1) noun else nouns)
}

# Returns a text with a capital first letter.
capital <- function(text) paste0(toupper(substr(text, 1, 1)), substr(text, 2, nchar(text)))

# Returns a list in words: "a, b and c".
listed <- function(words, last = "and") {
  if (length(words) < 2) {
    return(paste(words))
  }
  paste(paste(words[-length(words)], collapse = ", "), last, words[length(words)])
}

# Returns a label for a sentence: no control characters, on one line, at most `most` characters.
label <- function(text, most = 80) shortened(trimws(gsub("[[:cntrl:][:space:]\ufffe\uffff]+", " ", text)), most)

# Returns the sentence of a result as list(plain, latex), from texts made by the functions above.
sentence <- function(...) {
  text <- paste0(...)
  list(plain = gsub(paste0("[", paste(ITALIC, collapse = ""), "]"), "", text), latex = as_latex(text))
}

LATEX <- c(
  "\\" = "\\textbackslash{}",
  "{" = "\\{",
  "}" = "\\}",
  "$" = "\\$",
  "&" = "\\&",
  "#" = "\\#",
  "%" = "\\%",
  "_" = "\\_",
  "~" = "\\textasciitilde{}",
  "^" = "\\textasciicircum{}",
  "<" = "$<$",
  ">" = "$>$",
  "−" = "$-$",
  "≥" = "$\\geq$",
  "≤" = "$\\leq$",
  "×" = "$\\times$",
  "±" = "$\\pm$",
  "χ" = "$\\chi$",
  "τ" = "$\\tau$",
  "κ" = "$\\kappa$",
  "ρ" = "$\\rho$",
  "²" = "$^2$",
  "α" = "$\\alpha$",
  "β" = "$\\beta$",
  "η" = "$\\eta$",
  "ε" = "$\\epsilon$",
  "ω" = "$\\omega$",
  "|" = "$|$"
)

# Returns a text as LaTeX.
as_latex <- function(text) {
  letters <- strsplit(text, "")[[1]]
  known <- letters %in% names(LATEX)
  letters[known] <- LATEX[letters[known]]
  text <- paste(letters, collapse = "")
  text <- gsub("“", "``", gsub("”", "''", text, fixed = TRUE), fixed = TRUE)
  gsub(ITALIC[2], "}", gsub(ITALIC[1], "\\emph{", text, fixed = TRUE), fixed = TRUE)
}
