# Histogram, box plot, bar chart, scatter plot and Q-Q plot as figures on their own, without a test.

# Returns the result of a figure on its own: no test, only how many rows it shows.
figure_alone <- function(title, n, figure, lines) {
  result(method = title, n = n, figures = list(figure), script = script(lines, packages = "ggplot2"))
}

figure_kind(
  "histogram",
  title = "Histogram",
  params = list(column = column("numeric", "What was measured")),
  run = function(ask) {
    id <- ask$params$column
    rows <- complete(values = bounded_of(ask, "column"), least = 2)
    figure_alone(
      "Histogram",
      rows$n,
      histogram_figure("histogram", rows$used$values, name_of(ask, "column")),
      c(
        sprintf("values <- na.omit(%s)", numeric_code(ask, id)),
        sprintf(
          "print(ggplot(data.frame(values), aes(values)) + geom_histogram(bins = 20) + labs(x = %s))",
          quoted(label(name_of(ask, "column")))
        ),
        "result <- list()"
      )
    )
  }
)

figure_kind(
  "box",
  title = "Box plots",
  params = list(outcome = column("numeric", "What was measured"), group = column("factor", "Groups", required = FALSE)),
  run = function(ask) {
    outcome <- bounded_of(ask, "outcome")
    grouped <- !is.null(ask$params$group)
    rows <- complete(
      outcome = outcome,
      group = if (grouped) factor_of(ask, "group", levels = c(1, 30)) else factor(rep("", length(outcome))),
      least = 2
    )
    figure_alone(
      "Box plots",
      rows$n,
      boxes_figure(
        "box",
        rows$used$outcome,
        rows$used$group,
        name_of(ask, "outcome"),
        if (grouped) name_of(ask, "group") else ""
      ),
      c(
        sprintf("outcome <- %s", numeric_code(ask, ask$params$outcome)),
        sprintf(
          "group <- %s",
          if (grouped) {
            factor_code(ask, ask$params$group, levels(rows$used$group))
          } else {
            "factor(rep(\"\", length(outcome)))"
          }
        ),
        "used <- na.omit(data.frame(outcome, group))",
        sprintf(
          "print(ggplot(used, aes(group, outcome)) + geom_boxplot() + labs(x = NULL, y = %s))",
          quoted(label(name_of(ask, "outcome")))
        ),
        "result <- list()"
      )
    )
  }
)

figure_kind(
  "bar",
  title = "Bars",
  params = list(column = column("factor", "What is counted"), group = column("factor", "Groups", required = FALSE)),
  run = function(ask) {
    value <- factor_of(ask, "column", levels = c(1, 30))
    grouped <- !is.null(ask$params$group)
    rows <- complete(
      value = value,
      group = if (grouped) factor_of(ask, "group", levels = c(1, 8)) else factor(rep("", length(value))),
      least = 1
    )
    figure_alone(
      "Bars",
      rows$n,
      bar_figure(
        "bar",
        rows$used$value,
        name_of(ask, "column"),
        if (grouped) rows$used$group,
        if (grouped) name_of(ask, "group")
      ),
      c(
        sprintf("value <- %s", factor_code(ask, ask$params$column, levels(rows$used$value))),
        sprintf(
          "group <- %s",
          if (grouped) {
            factor_code(ask, ask$params$group, levels(rows$used$group))
          } else {
            "factor(rep(\"\", length(value)))"
          }
        ),
        "used <- na.omit(data.frame(value, group))",
        sprintf(
          "print(ggplot(used, aes(value, fill = group)) + geom_bar(position = \"dodge\") + labs(x = %s))",
          quoted(label(name_of(ask, "column")))
        ),
        "result <- list()"
      )
    )
  }
)

figure_kind(
  "scatter",
  title = "Scatter plot",
  params = list(
    x = column("numeric", "Horizontal axis"),
    y = column("numeric", "Vertical axis"),
    group = column("factor", "Groups", required = FALSE)
  ),
  run = function(ask) {
    x <- bounded_of(ask, "x")
    grouped <- !is.null(ask$params$group)
    rows <- complete(
      x = x,
      y = bounded_of(ask, "y"),
      group = if (grouped) factor_of(ask, "group", levels = c(1, 8)) else factor(rep("", length(x))),
      least = 2
    )
    used <- rows$used
    figure_alone(
      "Scatter plot",
      rows$n,
      scatter_figure(
        "scatter",
        used$x,
        used$y,
        name_of(ask, "x"),
        name_of(ask, "y"),
        if (grouped) used$group,
        if (grouped) name_of(ask, "group")
      ),
      c(
        sprintf("x <- %s", numeric_code(ask, ask$params$x)),
        sprintf("y <- %s", numeric_code(ask, ask$params$y)),
        sprintf(
          "group <- %s",
          if (grouped) factor_code(ask, ask$params$group, levels(used$group)) else "factor(rep(\"\", length(x)))"
        ),
        "used <- na.omit(data.frame(x, y, group))",
        sprintf(
          "print(ggplot(used, aes(x, y, colour = group)) + geom_point() + labs(x = %s, y = %s))",
          quoted(label(name_of(ask, "x"))),
          quoted(label(name_of(ask, "y")))
        ),
        "result <- list()"
      )
    )
  }
)

figure_kind(
  "qq",
  title = "Normal Q-Q plot",
  params = list(column = column("numeric", "What was measured")),
  run = function(ask) {
    rows <- complete(values = bounded_of(ask, "column"), least = 3)
    refuse_constant(ask, rows$used$values, "column")
    figure_alone(
      "Normal Q-Q plot",
      rows$n,
      qq_figure("qq", rows$used$values, name_of(ask, "column")),
      c(
        sprintf("values <- na.omit(%s)", numeric_code(ask, ask$params$column)),
        sprintf(
          "print(ggplot(data.frame(values), aes(sample = values)) + geom_qq() + geom_qq_line() + labs(y = %s))",
          quoted(label(name_of(ask, "column")))
        ),
        "result <- list()"
      )
    )
  }
)
