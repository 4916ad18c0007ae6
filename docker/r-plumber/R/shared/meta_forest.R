# The forest plot: squares sized by weight, diamonds for pooled estimates. It is drawn in millimetres from the top left
# corner, with columns as wide as their widest text. meta_forest_lines.R makes its lines.

FOREST_WIDTH <- 180
HAIR <- "#cfd6d3"

# The forest plot as a figure of a result.
forest_figure <- function(read, pooled, ask) {
  lines <- forest_lines(read, pooled, ask)
  many <- length(lines) > 45
  pitch <- if (many) 4.6 else 6
  height <- 9 + pitch * sum(line_heights(lines)) + 15
  whole <- pooled$whole
  say <- function(x) effect_text(x, read, pooled)
  what <- MEASURE_NAMES[[read$measure]]
  words <- sprintf(
    "%s %s (%s%% CI %s to %s)",
    what,
    say(whole$b),
    label_of(100 * ask$conf_level),
    say(whole$low),
    say(whole$high)
  )
  figure(
    "forest",
    function() draw_forest(lines, read, pooled, ask, height, pitch),
    sprintf("Forest plot of %s: %s%s.", plural(whole$k, "study", "studies"), if (whole$k > 1) "pooled " else "", words),
    caption = sprintf("Forest plot of %s; %s", plural(whole$k, "study", "studies"), words),
    width_mm = FOREST_WIDTH,
    height_mm = height
  )
}

# Returns how tall each line is, in lines of a study.
line_heights <- function(lines) {
  vapply(lines, function(one) c(rule = 0.5, note = 0.85)[one$kind], 0) |> (\(tall) ifelse(is.na(tall), 1, tall))()
}

# Returns the ends of the axis on the pooling scale: all estimates and pooled results are inside, long intervals are
# cut.
forest_limits <- function(lines, read) {
  of <- function(kinds, name) as.numeric(unlist(lapply(Filter(function(one) one$kind %in% kinds, lines), `[[`, name)))
  points <- c(of(c("study", "pooled", "subtotal"), "b_"), of("pooled", "low"), of("pooled", "high"))
  spread <- c(of(c("study", "subtotal", "interval"), "low"), of(c("study", "subtotal", "interval"), "high"))
  inner <- range(points, 0, finite = TRUE)
  slack <- max(if (read$ratio) log(2.5) else 0, (if (read$ratio) 0.6 else 1) * diff(inner), 1e-6 * max(abs(inner)))
  if (!read$ratio && diff(inner) == 0) {
    slack <- max(abs(inner), 1)
  }
  low <- max(min(spread, inner[1]), inner[1] - slack)
  high <- min(max(spread, inner[2]), inner[2] + slack)
  if (read$ratio) {
    # at least 0.6 to 1.6, so that the axis is never too narrow
    low <- min(low, log(0.6))
    high <- max(high, log(1.6))
  }
  c(low, high) + c(-0.03, 0.03) * (high - low)
}

# Returns the ticks of the axis.
forest_ticks <- function(limits, ratio) {
  if (!ratio) {
    return(list(at = pretty(limits, 5), words = NULL))
  }
  span <- diff(limits) / log(10)
  of <- if (span > 6) {
    10^seq(-12, 12, 3)
  } else if (span > 3) {
    10^(-12:12)
  } else if (span > 1) {
    c(outer(c(1, 2, 5), 10^(-6:6)), 0.25, 0.1)
  } else {
    c(0.5, 0.6, 0.7, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 0.2, 0.3, 0.4)
  }
  if (span > 1 && span <= 3) {
    of <- setdiff(of, 0.2)
  } # without 0.2: 0.25 is a quarter, as 0.5 is a half
  list(at = log(sort(unique(of))), words = NULL)
}

# Draws the forest plot.
draw_forest <- function(lines, read, pooled, ask, height, pitch) {
  graphics::par(mar = c(0, 0, 0, 0), family = FONT, xaxs = "i", yaxs = "i", lend = 1)
  graphics::plot.new()
  graphics::plot.window(c(0, FOREST_WIDTH), c(height, 0))
  size <- if (pitch < 6) 0.58 else 0.66 # of 12 points
  # Widths in millimetres, measured on this device.
  wide <- function(text, bold = FALSE) {
    if (length(text)) max(0, graphics::strwidth(text, cex = size, font = if (bold) 2 else 1)) else 0
  }
  write <- function(x, y, text, adj = 0, colour = INK, bold = FALSE) {
    graphics::text(x, y, text, adj = c(adj, 0.4), cex = size, col = colour, font = if (bold) 2 else 1)
  }
  cells <- function(name) vapply(lines, function(one) if (is.null(one[[name]])) "" else one[[name]], "")
  say <- function(x) effect_text(x, read, pooled)
  effect <- vapply(
    lines,
    function(one) {
      if (!is.null(one$b_)) {
        return(sprintf("%s (%s to %s)", say(one$b_), say(one$low), say(one$high)))
      }
      if (one$kind == "interval") {
        return(sprintf("%s to %s", say(one$low), say(one$high)))
      }
      ""
    },
    ""
  )
  weight <- vapply(
    lines,
    function(one) if (one$kind == "study" && isTRUE(is.finite(one$weight))) sprintf("%s%%", fmt(one$weight, 1)) else "",
    ""
  )
  kinds <- vapply(lines, `[[`, "", "kind")
  bold <- kinds %in% c("pooled", "head", "subtotal")
  arms <- read$kind != "given"
  unit <- c(counts = "", means = "mean (SD), n", given = "")[[read$kind]]
  heads <- vapply(read$arms, function(arm) shortened(arm, 18), "")
  gap <- 4
  right_weight <- FOREST_WIDTH - 2
  weight_left <- right_weight - max(wide(weight), wide("Weight"))
  effect_head <- sprintf(
    "%s (%s%% CI)",
    if (read$measure == "GEN") "Effect" else read$measure,
    label_of(100 * ask$conf_level)
  )
  right_effect <- weight_left - gap
  effect_left <- right_effect - max(wide(effect, TRUE), wide(effect_head))
  arm_width <- if (arms) {
    c(max(wide(cells("a"), TRUE), wide(heads[1]), wide(unit)), max(wide(cells("b"), TRUE), wide(heads[2]), wide(unit)))
  } else {
    c(0, 0)
  }
  indents <- vapply(lines, function(one) if (isTRUE(one$indent)) 3 else 0, 0)
  names_wide <- max(
    vapply(
      which(kinds %in% c("study", "pooled", "interval", "subtotal")),
      function(i) wide(lines[[i]]$text, bold[i]) + indents[i],
      0
    ),
    20
  )
  most_name <- effect_left - gap - 42 - if (arms) sum(arm_width) + 2 * gap else 0 # at least 42 mm are left for the plot
  names_wide <- min(names_wide, max(most_name, wide("Prediction interval") + 0.5))
  right_a <- 2 + names_wide + gap + arm_width[1]
  right_b <- right_a + gap + arm_width[2]
  plot_left <- (if (arms) right_b else 2 + names_wide) + gap
  plot_right <- effect_left - gap
  fitted <- function(text, most, bold) {
    if (wide(text, bold) <= most) {
      return(text)
    }
    letters <- strsplit(text, "")[[1]]
    fits <- vapply(
      seq_along(letters),
      function(n) wide(paste0(paste(letters[seq_len(n)], collapse = ""), "…"), bold) <= most,
      NA
    )
    paste0(trimws(paste(letters[seq_len(max(1, sum(fits)))], collapse = "")), "…")
  }
  limits <- forest_limits(lines, read)
  x_of <- function(value) plot_left + (value - limits[1]) / diff(limits) * (plot_right - plot_left)
  inside <- function(value) pmin(pmax(value, limits[1]), limits[2])

  top <- 9
  tall <- pitch * line_heights(lines)
  below <- top + cumsum(tall)
  y <- below - tall / 2
  bottom <- max(below)
  last <- below[max(which(kinds %in% c("pooled", "study", "subtotal", "interval")))]
  axis_y <- bottom + 1.5
  write(2, 5, "Study", colour = SOFT)
  if (arms) {
    up <- if (nzchar(unit)) 3.4 else 5
    write(right_a, up, heads[1], 1, SOFT)
    write(right_b, up, heads[2], 1, SOFT)
    if (nzchar(unit)) {
      for (at in c(right_a, right_b)) {
        write(at, 6.4, unit, 1, SOFT)
      }
    }
  }
  middle_head <- sprintf("%s (%s%% CI)", capital(MEASURE_NAMES[[read$measure]]), label_of(100 * ask$conf_level))
  room <- plot_right - plot_left - 2
  if (wide(middle_head) > room) {
    middle_head <- capital(MEASURE_NAMES[[read$measure]])
  }
  if (wide(middle_head) > room) {
    middle_head <- read$measure
  }
  write((plot_left + plot_right) / 2, 5, middle_head, 0.5, SOFT)
  write(right_effect, 5, effect_head, 1, SOFT)
  write(right_weight, 5, "Weight", 1, SOFT)
  graphics::segments(1, 8, FOREST_WIDTH - 1, 8, col = INK, lwd = 0.8)
  graphics::segments(x_of(0), 8, x_of(0), axis_y, col = SOFT, lwd = 0.7)
  if (pooled$whole$k > 1) {
    graphics::segments(x_of(pooled$whole$b), 9.5, x_of(pooled$whole$b), last, col = ACCENT, lwd = 0.8, lty = "33")
  }

  biggest <- max(c(pooled$whole$weights, 0), na.rm = TRUE)
  for (i in seq_along(lines)) {
    one <- lines[[i]]
    if (one$kind == "rule") {
      graphics::segments(1, y[i], FOREST_WIDTH - 1, y[i], col = HAIR, lwd = 0.8)
      next
    }
    if (one$kind == "note") {
      # Text that may overlap the plot gets a white background, so that no line crosses it.
      text <- fitted(one$text, FOREST_WIDTH - 4 - indents[i], FALSE)
      graphics::rect(
        2 + indents[i],
        y[i] - pitch * 0.45,
        2 + indents[i] + wide(text) + 1,
        y[i] + pitch * 0.45,
        col = "white",
        border = NA
      )
      write(2 + indents[i], y[i], text, colour = SOFT)
      next
    }
    write(
      2 + indents[i],
      y[i],
      if (one$kind == "pooled" && wide(one$text, TRUE) > names_wide) {
        "Pooled"
      } else {
        fitted(one$text, if (one$kind == "head") FOREST_WIDTH - 4 else names_wide - indents[i], bold[i])
      },
      bold = bold[i]
    )
    if (arms && !is.null(one$a)) {
      write(right_a, y[i], one$a, 1, bold = bold[i])
      write(right_b, y[i], one$b, 1, bold = bold[i])
    }
    write(right_effect, y[i], effect[i], 1, bold = bold[i])
    write(right_weight, y[i], weight[i], 1)
    if (one$kind == "head") {
      next
    }
    low <- x_of(inside(one$low))
    high <- x_of(inside(one$high))
    if (one$kind %in% c("pooled", "subtotal")) {
      at <- x_of(inside(one$b_))
      half <- pitch * if (one$kind == "pooled") 0.3 else 0.24
      graphics::polygon(
        c(low, at, high, at),
        c(y[i], y[i] - half, y[i], y[i] + half),
        col = if (one$kind == "pooled") ACCENT else "#7fa3a8",
        border = NA
      )
    } else {
      graphics::segments(
        low,
        y[i],
        high,
        y[i],
        col = if (one$kind == "interval") ACCENT else INK,
        lwd = if (one$kind == "interval") 2.2 else 1
      )
      if (one$kind == "study") {
        share <- if (isTRUE(is.finite(one$weight)) && biggest > 0) sqrt(one$weight / biggest) else 0.5
        half <- max(0.35, share * 1.25) * pitch / 6
        at <- x_of(inside(one$b_))
        graphics::rect(at - half, y[i] - half, at + half, y[i] + half, col = INK, border = NA)
      }
    }
    # An arrow shows that the interval continues.
    colour <- if (one$kind == "interval") ACCENT else INK
    if (isTRUE(one$low < limits[1])) {
      graphics::polygon(c(low - 1, low + 0.6, low + 0.6), y[i] + c(0, -0.8, 0.8), col = colour, border = NA)
    }
    if (isTRUE(one$high > limits[2])) {
      graphics::polygon(c(high + 1, high - 0.6, high - 0.6), y[i] + c(0, -0.8, 0.8), col = colour, border = NA)
    }
  }
  draw_forest_axis(read, ask, limits, x_of, plot_left, plot_right, axis_y, write, wide)
}

# Draws the axis of the forest plot with its labels.
draw_forest_axis <- function(read, ask, limits, x_of, plot_left, plot_right, axis_y, write, wide) {
  graphics::segments(plot_left, axis_y, plot_right, axis_y, col = INK, lwd = 0.8)
  ticks <- forest_ticks(limits, read$ratio)$at
  ticks <- ticks[ticks >= limits[1] & ticks <= limits[2]]
  words <- if (read$ratio) {
    vapply(exp(ticks), function(value) label_of(signif(value, 4)), "")
  } else {
    sub("-", "−", format(ticks, trim = TRUE, drop0trailing = TRUE), fixed = TRUE)
  }
  end <- -Inf
  # Numbers of the axis must not touch; the line of no effect always has its number.
  null <- which(abs(ticks) < 1e-9)
  for (i in unique(c(null, seq_along(ticks)))) {
    at <- x_of(ticks[i])
    half <- wide(words[i]) / 2 + 0.5
    graphics::segments(at, axis_y, at, axis_y + 1.1, col = INK, lwd = 0.8)
    near <- length(null) && !i %in% null && abs(at - x_of(0)) < half + wide(words[null[1]]) / 2 + 0.5
    if (near || (at - half < end && !i %in% null)) {
      next
    }
    write(at, axis_y + 3.4, words[i], 0.5)
    if (!i %in% null || at > end) end <- if (i %in% null && i != 1) end else at + half
  }
  if (read$kind == "given" && is.null(ask$options$label_1)) {
    return()
  }
  sides <- if (isTRUE(ask$options$higher_is_better)) rev(read$arms) else read$arms
  middle <- x_of(0)
  favours <- sprintf("Favours %s", vapply(sides, lower_first, ""))
  graphics::text(
    max(middle - 2, 2 + wide(favours[1])),
    axis_y + 8.2,
    favours[1],
    adj = c(1, 0.35),
    cex = 0.62,
    col = SOFT
  )
  graphics::text(
    min(middle + 2, FOREST_WIDTH - 2 - wide(favours[2])),
    axis_y + 8.2,
    favours[2],
    adj = c(0, 0.35),
    cex = 0.62,
    col = SOFT
  )
}
