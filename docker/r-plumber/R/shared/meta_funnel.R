# The funnel plot: effect against standard error, with the region that would contain 95% of studies if all had the same
# effect.

# The funnel plot as a figure of a result.
funnel_figure <- function(read, pooled, ask) {
  frame <- data.frame(x = pooled$effects$yi, se = sqrt(pooled$effects$vi))
  b <- pooled$whole$b
  most <- max(frame$se) * 1.05
  cone <- data.frame(x = c(b - 1.959964 * most, b, b + 1.959964 * most), se = c(most, 0, most))
  what <- MEASURE_NAMES[[read$measure]]
  across <- range(frame$x, cone$x)
  ticks <- if (read$ratio) forest_ticks(across, TRUE)$at else pretty(across, 6)
  ticks <- ticks[ticks >= across[1] & ticks <= across[2]]
  words <- if (read$ratio) {
    vapply(exp(ticks), function(one) label_of(signif(one, 4)), "")
  } else {
    sub("-", "−", format(ticks, trim = TRUE, drop0trailing = TRUE), fixed = TRUE)
  }
  plot <- ggplot(frame, aes(x, se)) +
    geom_polygon(data = cone, fill = "#eef3f2", colour = NA) +
    geom_path(data = cone, colour = SOFT, linewidth = 0.3, linetype = "32") +
    annotate("segment", x = b, xend = b, y = 0, yend = most, colour = ACCENT, linewidth = 0.4) +
    geom_point(size = 1.8, colour = INK, alpha = 0.85) +
    scale_y_reverse("Standard error", limits = c(most, 0), expand = expansion(c(0.02, 0.02))) +
    scale_x_continuous(
      capital(if (read$ratio) paste(what, "(log scale)") else what),
      breaks = ticks,
      labels = words,
      guide = guide_axis(check.overlap = TRUE)
    ) +
    theme_thesis()
  figure(
    "funnel",
    plot,
    sprintf(
      "Funnel plot of %s around the pooled %s %s.",
      plural(nrow(frame), "study", "studies"),
      what,
      fmt(if (read$ratio) exp(b) else b, 2)
    ),
    caption = "Funnel plot; dashed lines enclose 95% of studies if all had one effect",
    width_mm = 130,
    height_mm = 95
  )
}
