# Reading and writing JSON. Numbers keep all their digits, NA is null, infinities are the strings "Inf" and "-Inf".

CONTRACT <- "1"

# Returns the value of a JSON text. Unlike fromJSON(), parse_json() never treats its argument as a path or URL.
read_json <- function(text) {
  jsonlite::parse_json(text, simplifyVector = TRUE, simplifyDataFrame = FALSE, simplifyMatrix = FALSE)
}

# Returns a value as JSON text.
write_json <- function(value) {
  as.character(jsonlite::toJSON(finite(value), digits = NA, na = "null", null = "null", auto_unbox = TRUE))
}

# Replaces infinities with strings and NaN with NA, in nested lists too.
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

# Returns a list that stays an array in JSON even if it has one element or none.
array_of <- function(values) {
  values <- unname(as.list(values))
  if (length(values)) values else structure(list(), class = "AsIs")
}
