# The R script of a result: it reads data.csv (the columns that were sent, under their own names) and repeats the
# analysis. Names and values from users only appear in it as string literals.

# Returns text as R string literals. Quotes, backslashes, control characters and direction marks are escaped; other
# Unicode text stays readable.
quoted <- function(text) {
  vapply(
    text,
    function(one) {
      if (is.na(one)) {
        return("NA")
      }
      letters <- strsplit(enc2utf8(one), "")[[1]]
      code <- utf8ToInt(enc2utf8(one))
      odd <- code < 32 |
        code == 127 |
        (code >= 128 & code < 160) |
        (code >= 0x2028 & code <= 0x202e) |
        (code >= 0x2066 & code <= 0x2069) |
        code %in% c(0x61c, 0x200e, 0x200f, 0xfeff)
      letters[letters == "\\"] <- "\\\\"
      letters[letters == "\""] <- "\\\""
      letters[odd] <- sprintf("\\u{%x}", code[odd])
      paste0("\"", paste(letters, collapse = ""), "\"")
    },
    "",
    USE.NAMES = FALSE
  )
}

# Returns texts as the code of a string or a vector.
quoted_vector <- function(texts) {
  if (length(texts) == 1) quoted(texts) else sprintf("c(%s)", paste(quoted(texts), collapse = ", "))
}

# Returns numbers as R code, in full precision.
literal <- function(values) {
  text <- ifelse(is.na(values), "NA", format(values, digits = 17, trim = TRUE))
  text <- vapply(values, function(one) if (is.na(one)) "NA" else sprintf("%.17g", one), "")
  short <- vapply(values, function(one) if (is.na(one)) "NA" else sprintf("%.15g", one), "")
  exact <- !is.na(values) & suppressWarnings(as.numeric(short)) == values
  text[exact] <- short[exact]
  if (length(text) == 1) text else sprintf("c(%s)", paste(text, collapse = ", "))
}

# Returns one line of a comment; line breaks in `text` are replaced.
comment_line <- function(text) paste("#", gsub("[^[:print:]]+", " ", shortened(text, 300)))

# Returns the code that reads a column: `d[["name"]]`, or its position if the name would not work.
column_code <- function(ask, id) {
  headers <- vapply(ask$data, `[[`, "", "header")
  header <- ask$data[[id]]$header
  # read.csv() changes a header that is empty, or has line breaks or spaces around it.
  if (sum(headers == header) > 1 || header == "" || header != trimws(header) || grepl("[\r\n]", header)) {
    return(sprintf("d[[%d]]", match(id, names(ask$data))))
  }
  sprintf("d[[%s]]", quoted(header))
}

# Returns the code that reads a column as numbers.
numeric_code <- function(ask, id) {
  if (is.logical(ask$data[[id]]$values)) {
    return(sprintf("as.numeric(%s == \"true\")", column_code(ask, id)))
  }
  sprintf("as.numeric(%s)", column_code(ask, id))
}

# Returns the code that reads a column as a factor.
factor_code <- function(ask, id, levels) sprintf("factor(%s, levels = %s)", column_code(ask, id), quoted_vector(levels))

# Returns the code that reads a column as 0 and 1.
event_code <- function(ask, id, value) sprintf("as.numeric(%s == %s)", column_code(ask, id), quoted(value))

# Returns a script. `lines` is the R code of the analysis. It must create `result`, a named list or vector of numbers:
#   for each statistic its key, for each estimate and effect size its id, and id_low and id_high for its interval.
# A test runs the script and compares all of them with the answer. `packages` are attached. `reads` FALSE means no data.
script <- function(lines, packages = character(), reads = TRUE) list(lines = lines, packages = packages, reads = reads)

# Returns the complete text of a script.
script_text <- function(ask, made, method) {
  paste(
    c(
      comment_line(paste0(method, ".")),
      comment_line(sprintf(
        "Made by Scholium with R %s. Run it%s: it gives the same numbers again.",
        r_version(),
        if (made$reads) " beside data.csv" else ""
      )),
      if (length(made$packages)) sprintf("library(%s)", made$packages),
      sprintf("set.seed(%d)", ask$seed),
      if (made$reads) {
        paste0(
          "d <- read.csv(\"data.csv\", colClasses = \"character\", na.strings ",
          "= \"\", check.names = FALSE, encoding = \"UTF-8\")"
        )
      },
      "",
      made$lines,
      "",
      "print(unlist(result), digits = 10)",
      "sessionInfo()",
      ""
    ),
    collapse = "\n"
  )
}

# Returns the version of R.
r_version <- function() paste(R.version$major, R.version$minor, sep = ".")
