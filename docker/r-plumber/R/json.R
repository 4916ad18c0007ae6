# JSON in and out. Numbers keep all their digits, NA is null, infinities are the strings "Inf" and "-Inf".

CONTRACT <- "1"

# The value of a JSON text. `parse_json` never takes its argument for a path or an address, as fromJSON would.
read_json <- function(text) {
  jsonlite::parse_json(text, simplifyVector = TRUE, simplifyDataFrame = FALSE, simplifyMatrix = FALSE)
}

write_json <- function(value) {
  as.character(jsonlite::toJSON(finite(value), digits = NA, na = "null", null = "null", auto_unbox = TRUE))
}

# Infinities as strings, all the way down; NaN is as missing as NA.
finite <- function(value) {
  if (is.list(value)) {
    value[] <- lapply(value, finite)
    return(value)
  }
  if (is.numeric(value)) {
    value <- unclass(value)
    value[is.nan(value)] <- NA
    if (any(is.infinite(value))) {
      return(if (length(value) == 1) as.character(value) else lapply(value, finite))
    }
  }
  value
}

# A list that stays an array in JSON however few it holds.
array_of <- function(values) {
  values <- unname(as.list(values))
  if (length(values)) values else structure(list(), class = "AsIs")
}
