# Survival curves with intervals, marks for censored people, and the numbers at risk below.

# Parameters of Kaplan-Meier and of its figure. They are in this file because files are sourced in the order of their
# names.
MOST_TIMES <- 20

KM_PARAMS <- list(
  time = column("numeric", "Time to event or end of follow-up"),
  event = column("event", "Event (or censored)"),
  group = column("factor", "Groups", required = FALSE)
)
KM_OPTIONS <- list(
  at = numbers("Times at which to report survival", min = 0, max = 1e9, most = MOST_TIMES),
  event_value = value_of("Which value is the event")
)

figure_kind(
  "km",
  title = "Kaplan-Meier curves",
  params = KM_PARAMS,
  options = KM_OPTIONS["event_value"],
  packages = "survival",
  run = function(ask) {
    rows <- km_rows(ask)
    result(method = "Kaplan-Meier", n = rows$n, figures = list(km_figure(ask, rows)))
  }
)

MOST_STEPS <- 250 # steps of a curve in a figure; more would not be visible
MOST_MARKS <- 120 # marks for censored people
MOST_DRAWN <- 8 # curves

# The survival curves as a figure of a result.
km_figure <- function(ask, rows) {
  drawn <- km_steps(rows)
  time <- label(name_of(ask, "time"))
  names <- if (rows$grouped) rows$groups else "All"
  number <- min(length(names), MOST_DRAWN)
  keys <- paste0("g", seq_len(number))
  breaks <- pretty(c(0, max(rows$used$time)), 6)
  breaks <- breaks[breaks <= max(rows$used$time) * 1.001]
  limit <- c(0, max(rows$used$time, breaks))
  colours <- stats::setNames(if (rows$grouped) PALETTE[seq_len(number)] else ACCENT, keys)
  lines <- stats::setNames(c("solid", "42", "12", "6212", "longdash", "3313", "91", "1242")[seq_len(number)], keys)
  titles <- stats::setNames(
    vapply(names[seq_len(number)], function(name) paste(strwrap(shortened(name, 70), 36), collapse = "\n"), ""),
    keys
  )
  long <- sum(pmin(nchar(names[seq_len(number)]), 36) + 8)

  curves <- ggplot(drawn$steps, aes(time, surv, colour = group)) +
    geom_ribbon(
      aes(ymin = low, ymax = high, fill = group),
      colour = NA,
      alpha = if (number > 2) 0.10 else 0.16,
      na.rm = TRUE
    ) +
    geom_line(aes(linetype = group), linewidth = 0.55) +
    geom_point(data = drawn$censored, shape = 3, size = 1.3, stroke = 0.35, show.legend = FALSE) +
    scale_colour_manual(values = colours, labels = titles) +
    scale_fill_manual(values = colours, labels = titles) +
    scale_linetype_manual(values = lines, labels = titles) +
    scale_x_continuous(breaks = breaks, limits = limit, expand = expansion(mult = c(0.04, 0.03)), labels = km_axis) +
    scale_y_continuous(
      limits = c(0, 1),
      breaks = seq(0, 1, 0.25),
      labels = function(y) paste0(round(100 * y), "%"),
      expand = expansion(mult = c(0, 0.02))
    ) +
    labs(x = shortened(time, 70), y = "Survival") +
    theme_thesis() +
    theme(
      legend.key.width = unit(9, "mm"),
      legend.text = element_text(lineheight = 0.95, margin = margin(r = 6, t = 1, b = 1))
    ) +
    guides(colour = guide_legend(ncol = max(1, min(number, floor(number * 78 / max(long, 1))))))
  if (!rows$grouped) {
    curves <- curves + theme(legend.position = "none")
  }

  short <- stats::setNames(vapply(names[seq_len(number)], shortened, "", most = 22, USE.NAMES = FALSE), keys)
  at_risk <- drawn$at_risk(breaks, keys)
  # ggplot2 warns that a colour for each label is "not officially supported", but it works.
  under <- suppressWarnings(
    ggplot(at_risk, aes(time, factor(group, levels = rev(keys)), label = label, colour = group)) +
      geom_text(size = 2.7, family = FONT, show.legend = FALSE) +
      scale_colour_manual(values = colours) +
      scale_x_continuous(breaks = breaks, limits = limit, expand = expansion(mult = c(0.04, 0.03))) +
      scale_y_discrete(labels = short) +
      coord_cartesian(clip = "off") +
      labs(title = "Number at risk", x = NULL, y = NULL) +
      theme_thesis() +
      theme(
        axis.line = element_blank(),
        axis.ticks = element_blank(),
        axis.text.x = element_blank(),
        plot.title = element_text(size = 8, colour = SOFT, margin = margin(b = 2)),
        plot.title.position = "plot",
        plot.margin = margin(0, 8, 4, 6),
        axis.text.y = element_text(colour = unname(rev(colours)), size = 7.5)
      )
  )
  legend_lines <- if (rows$grouped) {
    ceiling(number / max(1, min(number, floor(number * 78 / max(long, 1))))) * (if (any(grepl("\n", titles))) 2 else 1)
  } else {
    0
  }
  curve_mm <- 78 + 4.5 * legend_lines
  risk_mm <- 9 + 4.6 * number
  figure(
    "km",
    function() {
      # Both plots have panels of the same width, so that each number stands below its time.
      top <- ggplotGrob(curves)
      below <- suppressWarnings(ggplotGrob(under))
      panel <- top$layout$l[top$layout$name == "panel"]
      for (columns in list(seq_len(panel - 1), seq(panel + 1, length(top$widths)))) {
        wide <- c(width_mm_of(top, columns), width_mm_of(below, columns))
        outer <- if (columns[1] == 1) 1 else length(top$widths)
        top$widths[outer] <- top$widths[outer] + grid::unit(max(wide) - wide[1], "mm")
        below$widths[outer] <- below$widths[outer] + grid::unit(max(wide) - wide[2], "mm")
      }
      grid::grid.newpage()
      grid::pushViewport(grid::viewport(
        layout = grid::grid.layout(2, 1, heights = grid::unit(c(curve_mm, risk_mm), "mm"))
      ))
      for (part in list(list(top, 1), list(below, 2))) {
        grid::pushViewport(grid::viewport(layout.pos.row = part[[2]]))
        grid::grid.draw(part[[1]])
        grid::popViewport()
      }
    },
    km_alt(rows, names, time, length(names) > MOST_DRAWN),
    caption = sprintf(
      "Kaplan-Meier curves of %s%s with %s%% intervals and numbers at risk",
      time,
      if (rows$grouped) paste(" by", label(name_of(ask, "group"))) else "",
      label_of(100 * rows$conf_level)
    ),
    width_mm = 150,
    height_mm = curve_mm + risk_mm
  )
}

# Returns the width of columns of a plot layout in millimetres.
width_mm_of <- function(grob, columns) sum(grid::convertWidth(grob$widths[columns], "mm", valueOnly = TRUE))

# Returns the labels of an axis; "" for NA.
km_axis <- function(x) vapply(x, function(one) if (is.na(one)) "" else label_of(one), "")

# Returns what to draw: steps and bands of each curve, marks for censored people, and a function for the numbers at
# risk.
km_steps <- function(rows) {
  number <- min(length(rows$groups), MOST_DRAWN)
  if (!rows$grouped) {
    number <- 1
  }
  fits <- lapply(seq_len(number), function(i) if (rows$grouped) rows$fit[i] else rows$fit)
  steps <- do.call(
    rbind,
    lapply(seq_len(number), function(i) {
      one <- fits[[i]]
      keep <- which(one$n.event > 0)
      keep <- sort(unique(c(keep, length(one$time))))
      if (length(keep) > MOST_STEPS) {
        keep <- keep[round(seq(1, length(keep), length.out = MOST_STEPS))]
      }
      # R gives no interval when a curve is at 0 or still at 1: the band then keeps its last value.
      carried <- function(values) {
        for (j in seq_along(values)) {
          if (is.na(values[j]) && j > 1) values[j] <- values[j - 1]
        }
        values
      }
      low <- carried(c(1, one$lower[keep]))
      high <- carried(c(1, one$upper[keep]))
      time <- c(0, one$time[keep])
      surv <- c(1, one$surv[keep])
      last <- length(time)
      # Each step is a horizontal line at the old height and then a drop.
      data.frame(
        time = c(time[1], rep(time[-1], each = 2)),
        surv = c(rep(surv[-last], each = 2), surv[last]),
        low = c(rep(low[-last], each = 2), low[last]),
        high = c(rep(high[-last], each = 2), high[last]),
        group = paste0("g", i)
      )
    })
  )
  censored <- do.call(
    rbind,
    lapply(seq_len(number), function(i) {
      one <- fits[[i]]
      at <- which(one$n.censor > 0)
      if (length(at) > MOST_MARKS) {
        at <- at[round(seq(1, length(at), length.out = MOST_MARKS))]
      }
      data.frame(time = one$time[at], surv = one$surv[at], group = rep(paste0("g", i), length(at)))
    })
  )
  at_risk <- function(breaks, keys) {
    do.call(
      rbind,
      lapply(seq_len(number), function(i) {
        times <- rows$used$time[as.integer(rows$used$group) == i]
        data.frame(
          time = breaks,
          group = keys[i],
          label = vapply(breaks, function(time) label_of(sum(times >= time)), "")
        )
      })
    )
  }
  list(steps = steps, censored = censored, at_risk = at_risk)
}

# Returns the alternative text of the figure.
km_alt <- function(rows, names, time, cut) {
  table <- km_numbers(rows$fit, levels(rows$used$group), numeric())
  medians <- sprintf(
    "%s %s",
    if (rows$grouped) names else "median survival",
    ifelse(is.na(table$median), "not reached", fixed(table$median, decimals_in(round(table$median, 2))))
  )
  sprintf(
    "Survival curves over %s with intervals and numbers at risk. %s%s%s.",
    time,
    if (rows$grouped) "Median survival: " else "",
    listed(medians),
    if (cut) sprintf("; the first %d groups are drawn", MOST_DRAWN) else ""
  )
}
