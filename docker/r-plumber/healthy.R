# For the health check of the container: ends with 1 unless the service answers. Needs no program but R.
token <- Sys.getenv("R_PLUMBER_TOKEN")
file <- Sys.getenv("R_PLUMBER_TOKEN_FILE")
if (token == "" && file != "") {
  token <- trimws(paste(readLines(file, warn = FALSE), collapse = ""))
}
line <- socketConnection(
  "127.0.0.1",
  as.integer(Sys.getenv("R_PLUMBER_PORT", "8000")),
  open = "r+b",
  blocking = TRUE,
  timeout = 4
)
writeLines(c("GET /health HTTP/1.0", "Host: localhost", paste0("X-Token: ", token), "", ""), line, sep = "\r\n")
said <- readLines(line, n = 1, warn = FALSE)
close(line)
quit(status = if (length(said) == 1 && grepl("^HTTP/1.[01] 200", said)) 0 else 1)
