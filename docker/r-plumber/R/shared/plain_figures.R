# Histogram, box plot, Q-Q plot, bar chart and scatter plot, for analyses and for figures on their own.

# Breaks a text into lines of at most `width` characters, for axes and legends; long words are broken, too.
on_lines <- function(text, width = 44, most = 2) {
  vapply(
    text,
    function(one) {
      one <- gsub(sprintf("([^ ]{%d})(?=[^ ])", width), "\\1 ", label(one, width * most), perl = TRUE)
      paste(strwrap(one, width + 1), collapse = "\n")
    },
    "",
    USE.NAMES = FALSE
  )
}

# Returns levels for an axis: on shorter lines if there are many.
axis_levels <- function(levels) on_lines(levels, if (length(levels) > 6) 10 else 16)

# A histogram; `marks` are values to mark with a line.
histogram_figure <- function(id, values, name, marks = NULL) {
  digits <- precision_of(values)
  wanted <- if (length(unique(values)) > 2) grDevices::nclass.FD(values) else 1
  breaks <- pretty(values, min(max(wanted, grDevices::nclass.Sturges(values), 8), 40))
  plot <- ggplot(data.frame(values), aes(values)) +
    geom_histogram(breaks = breaks, fill = "#d7e5e4", colour = INK, linewidth = 0.3) +
    scale_y_continuous(expand = expansion(c(0, 0.05)), breaks = function(limits) unique(round(pretty(limits)))) +
    labs(x = on_lines(name), y = "Number of rows") +
    theme_thesis()
  if (length(marks)) {
    plot <- plot +
      geom_vline(
        data = data.frame(at = unname(marks), mark = names(marks)),
        aes(xintercept = at, linetype = mark),
        colour = ACCENT,
        linewidth = 0.5
      )
  }
  figure(
    id,
    plot,
    sprintf(
      "Histogram of %s: %s values from %s to %s, median %s.",
      label(name),
      label_of(length(values)),
      fixed(min(values), digits),
      fixed(max(values), digits),
      fixed(stats::median(values), digits)
    ),
    caption = sprintf("Histogram of %s", label(name))
  )
}

# A box plot with the values beside the boxes. `lines` connects the values of a row (`row`), for pairs and repeated
# measures.
boxes_figure <- function(id, values, group, name, group_name, row = NULL, caption = NULL) {
  frame <- data.frame(values, group = factor(as.integer(group)), row = if (is.null(row)) seq_along(values) else row)
  levels <- axis_levels(levels(group))
  joined <- !is.null(row) && length(unique(row)) <= 200
  plot <- ggplot(frame, aes(group, values)) +
    geom_boxplot(
      width = 0.5,
      colour = INK,
      fill = "#d7e5e4",
      linewidth = 0.35,
      outlier.shape = if (nrow(frame) > MOST_POINTS) 19 else NA,
      outlier.size = 0.6
    ) +
    scale_x_discrete(labels = levels, guide = guide_axis(n.dodge = if (length(levels) > 10) 2 else 1)) +
    labs(x = on_lines(group_name), y = on_lines(name, 28)) +
    theme_thesis()
  if (joined) {
    plot <- plot + geom_line(aes(group = row), colour = SOFT, linewidth = 0.25, alpha = 0.5)
  }
  if (nrow(frame) <= MOST_POINTS) {
    plot <- plot +
      geom_point(
        position = if (joined) "identity" else position_jitter(width = 0.12, height = 0, seed = 1),
        size = 0.9,
        alpha = 0.6,
        colour = ACCENT
      )
  }
  medians <- tapply(values, group, stats::median)
  about <- sprintf("%s by %s", label(name), label(group_name))
  each <- if (nrow(frame) > MOST_POINTS) "points lie beyond 1.5 times their height" else "each point is a value"
  figure(
    id,
    plot,
    sprintf(
      "Box plots of %s. Medians: %s.",
      about,
      listed(sprintf(
        "%s in %s",
        utils::head(fixed(medians, precision_of(values)), 8),
        utils::head(group_words(names(medians), group_name), 8)
      ))
    ),
    caption = if (!is.null(caption)) caption else paste0(about, ". Boxes show quartiles and median; ", each),
    points = if (nrow(frame) > MOST_POINTS) 0 else nrow(frame)
  )
}

# A Q-Q plot against the normal distribution, with the line through the quartiles.
qq_figure <- function(id, values, name) {
  points <- stats::qqnorm(values, plot.it = FALSE)
  # Of very many points only as many as can be distinguished are drawn: all at the ends, evenly spaced ones between.
  order <- order(points$x)
  drawn <- if (length(order) <= MOST_POINTS) {
    order
  } else {
    order[unique(c(1:200, round(seq(1, length(order), length.out = 1600)), length(order) - 199:0))]
  }
  frame <- data.frame(expected = points$x[drawn], found = points$y[drawn])
  quartiles <- stats::quantile(values, c(0.25, 0.75), names = FALSE)
  slope <- diff(quartiles) / diff(stats::qnorm(c(0.25, 0.75)))
  plot <- ggplot(frame, aes(expected, found)) +
    geom_abline(slope = slope, intercept = quartiles[1] - slope * stats::qnorm(0.25), colour = SOFT, linewidth = 0.4) +
    geom_point(size = 1, alpha = 0.7, colour = ACCENT) +
    labs(x = "Expected of a normal distribution (SD)", y = on_lines(name, 28)) +
    theme_thesis()
  straight <- stats::cor(points$x, points$y)
  figure(
    id,
    plot,
    sprintf(
      "Normal Q-Q plot of %s: %s points, correlation with the straight line %s.",
      label(name),
      label_of(length(values)),
      fixed(straight, 3)
    ),
    caption = sprintf("Normal Q-Q plot of %s. Points near the line speak for a normal distribution", label(name)),
    width_mm = 100,
    height_mm = 90,
    points = length(drawn)
  )
}

# A bar chart of the share of each level; with a group, side by side.
bar_figure <- function(id, values, name, group = NULL, group_name = NULL) {
  levels <- axis_levels(levels(values))
  counted <- as.data.frame(
    if (is.null(group)) {
      table(value = as.integer(values))
    } else {
      table(value = as.integer(values), group = as.integer(group))
    },
    responseName = "count"
  )
  of <- if (is.null(group)) sum(counted$count) else stats::ave(counted$count, counted$group, FUN = sum)
  counted$percent <- 100 * counted$count / of
  counted$value <- factor(counted$value, levels = seq_along(levels))
  few <- nrow(counted) <= 12
  side <- position_dodge(width = 0.8)
  plot <- if (is.null(group)) {
    ggplot(counted, aes(value, percent)) + geom_col(width = 0.6, fill = ACCENT)
  } else {
    counted$group <- factor(counted$group, levels = seq_along(levels(group)))
    ggplot(counted, aes(value, percent, fill = group, group = group)) +
      geom_col(width = 0.75, position = side) +
      scale_fill_manual(
        values = rep_len(PALETTE, nlevels(group)),
        labels = on_lines(group_words(levels(group), group_name), 24)
      )
  }
  if (few) {
    plot <- plot +
      geom_text(
        aes(label = sprintf("%s (%s%%)", count, fixed(percent, 1))),
        vjust = -0.5,
        size = 2.5,
        colour = SOFT,
        family = FONT,
        position = side
      )
  }
  plot <- plot +
    scale_x_discrete(labels = levels, drop = FALSE, guide = guide_axis(n.dodge = if (length(levels) > 10) 2 else 1)) +
    scale_y_continuous(expand = expansion(c(0, 0.1))) +
    labs(x = on_lines(name), y = "Per cent") +
    theme_thesis()
  first <- utils::head(order(-counted$count), 8)
  said <- vapply(levels(values)[as.integer(counted$value[first])], label, "", most = 30)
  if (!is.null(group)) {
    said <- paste(said, "in", group_words(levels(group), group_name)[as.integer(counted$group[first])])
  }
  figure(
    id,
    plot,
    sprintf("Bars of %s: %s.", label(name), listed(sprintf("%s %s%%", said, fixed(counted$percent[first], 1)))),
    caption = if (is.null(group)) label(name) else sprintf("%s by %s", label(name), label(group_name))
  )
}

# A scatter plot with the least-squares line and its 95% band.
scatter_figure <- function(id, x, y, x_name, y_name, group = NULL, group_name = NULL) {
  legend <- if (!is.null(group)) on_lines(group_words(levels(group), group_name), 24)
  frame <- data.frame(x, y, group = if (is.null(group)) factor(1) else factor(as.integer(group)))
  plot <- ggplot(frame, aes(x, y)) + labs(x = on_lines(x_name), y = on_lines(y_name, 28)) + theme_thesis()
  plot <- if (is.null(group)) {
    plot +
      geom_smooth(method = "lm", formula = y ~ x, se = TRUE, colour = ACCENT, fill = "#d7e5e4", linewidth = 0.5) +
      geom_point(size = 1.1, alpha = 0.6, colour = ACCENT)
  } else {
    plot +
      geom_point(aes(colour = group, shape = group), size = 1.3, alpha = 0.75) +
      scale_colour_manual(values = rep_len(PALETTE, nlevels(group)), labels = legend) +
      scale_shape_manual(values = rep_len(c(16, 17, 15, 18, 1, 2, 0, 5), nlevels(group)), labels = legend)
  }
  r <- if (stats::sd(x) > 0 && stats::sd(y) > 0) stats::cor(x, y) else NA
  about <- sprintf("%s against %s", label(y_name), label(x_name))
  figure(
    id,
    plot,
    sprintf("Scatter plot of %s: %s points, correlation %s.", about, label_of(length(x)), fixed(r)),
    caption = if (is.null(group)) paste0(about, ". The line is of least squares with its 95% band") else about,
    points = length(x)
  )
}
