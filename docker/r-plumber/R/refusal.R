# Refusals of requests. A refusal is a condition, so that it can be raised from any function.

STATUS <- c(
  bad_json = 400L,
  unsupported_contract = 400L,
  bad_token = 401L,
  unknown_analysis = 404L,
  too_large = 413L,
  unknown_column = 422L,
  not_numeric = 422L,
  group_levels = 422L,
  too_few_observations = 422L,
  constant_variable = 422L,
  no_events = 422L,
  all_missing = 422L,
  bad_option = 422L,
  singular_model = 422L,
  not_converged = 422L,
  busy = 429L,
  internal = 500L,
  timeout = 504L
)

# Stops the analysis with an error of the contract. `message` says what is wrong and where, `hint` how to fix it;
# `field` is the place in the request ("params.group"), `column` the id of the column, `suggest` another analysis.
refuse <- function(code, message, field = NULL, column = NULL, hint = NULL, suggest = NULL) {
  stopifnot(code %in% names(STATUS))
  refusal <- structure(
    class = c("refusal", "error", "condition"),
    list(message = message, call = NULL, code = code, field = field, column = column, hint = hint, suggest = suggest)
  )
  stop(refusal)
}

# Returns the body of an error: {"contract", "request_id", "error": {code, message, field, column, hint, suggest}}.
refusal_body <- function(refusal, request_id) {
  error <- Filter(
    Negate(is.null),
    list(
      code = refusal$code,
      message = conditionMessage(refusal),
      field = refusal$field,
      column = refusal$column,
      hint = refusal$hint,
      suggest = refusal$suggest
    )
  )
  list(contract = CONTRACT, request_id = request_id, error = error)
}
