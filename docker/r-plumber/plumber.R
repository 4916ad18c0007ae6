# The statistics service of Scholium: `Rscript plumber.R`. It listens on R_PLUMBER_HOST:R_PLUMBER_PORT (default
# 127.0.0.1:8000). It answers only requests that have R_PLUMBER_TOKEN (or the content of R_PLUMBER_TOKEN_FILE) in the
# header X-Token; if no token is set, it answers all.
#
# This process answers at once and computes nothing: each analysis is done in a child (R/child_process.R) that is
# killed when its time is up. What a person typed is never parsed as R: columns come by id, names are only labels
# (R/request.R).

here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])))
options(warn = 1, stringsAsFactors = FALSE, digits = 15)
invisible(Sys.setlocale("LC_ALL", "C.UTF-8"))
Sys.setenv(LANGUAGE = "en")
suppressPackageStartupMessages({
  library(survival)
  library(ggplot2)
  library(metafor)
})
# The frame first, then what analyses share, then they.
for (folder in file.path(here, "R", c(".", "shared", "analyses"))) {
  for (file in sort(list.files(folder, "[.]R$", full.names = TRUE), method = "radix")) {
    source(file, encoding = "UTF-8")
  }
}

warm_up()
serve(
  host = Sys.getenv("R_PLUMBER_HOST", "127.0.0.1"),
  port = as.integer(Sys.getenv("R_PLUMBER_PORT", "8000"))
)
