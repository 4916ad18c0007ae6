# Drawing of figures, once for each requested format: SVG for the page, PDF and PNG (300 dpi) for print.

ACCENT <- "#1d4e58"
INK <- "#1c2524"
SOFT <- "#5a6664"
# also distinguishable in greyscale
PALETTE <- c("#1d4e58", "#b3541e", "#6b5b95", "#3f7d4e", "#a23e48", "#8a6d1b", "#4b6fa5", "#7a7a7a")
FONT <- "DejaVu Sans"
MOST_SVG <- 2e6 # bytes
MOST_PNG <- 3e6
MOST_POINTS <- 5000 # in an SVG; figures with more points are only drawn as PNG

# Returns a figure: a ggplot (or a function that draws with base graphics), its size, and the alternative text `alt`.
# `points` is the number of marks in it. Nothing is drawn yet: drawn_figures() draws the requested formats.
figure <- function(id, plot, alt, caption = "", width_mm = 140, height_mm = 90, points = 0) {
  list(
    id = id,
    plot = plot,
    alt = label(alt, 500),
    caption = label(caption, 500),
    width_mm = width_mm,
    height_mm = height_mm,
    points = points
  )
}

# The theme of all figures, on white as for print.
theme_thesis <- function(base_size = 9) {
  theme_classic(base_size = base_size, base_family = FONT) +
    theme(
      text = element_text(colour = INK),
      axis.text = element_text(colour = SOFT),
      axis.line = element_line(colour = SOFT, linewidth = 0.3),
      axis.ticks = element_line(colour = SOFT, linewidth = 0.3),
      legend.position = "top",
      legend.justification = "left",
      legend.title = element_blank(),
      legend.key.size = unit(4, "mm"),
      plot.margin = margin(6, 8, 6, 6),
      strip.background = element_blank()
    )
}

# Draws the figures of a result. Returns list(entries, warnings), with an entry for each figure and format. A figure
# that cannot be drawn, or is too large, is left out with a warning, because the numbers are still right.
drawn_figures <- function(figures, formats) {
  entries <- list()
  warnings <- list()
  for (one in figures) {
    built <- NULL # the parts that all formats share are computed once
    for (format in formats) {
      if (format == "svg" && one$points > MOST_POINTS) {
        next
      }
      drawn <- tryCatch(
        {
          if (is.null(built)) {
            built <- plot_of(one)
          }
          draw(one, built, format)
        },
        error = function(problem) {
          if (out_of_memory(problem)) {
            stop(problem)
          }
          if (Sys.getenv("R_DEBUG") != "") {
            message("R_DEBUG: figure ", one$id, ": ", conditionMessage(problem))
          }
          "figure_not_drawn"
        }
      )
      if (is.character(drawn)) {
        warnings[[drawn]] <- warning_of(
          drawn,
          switch(
            drawn,
            figure_not_drawn = "A figure could not be drawn. The numbers are not affected.",
            figure_too_large = "A figure was too large in one of its formats and is missing in that format."
          )
        )
        next
      }
      entries[[length(entries) + 1]] <- list(
        id = one$id,
        format = format,
        mime = c(svg = "image/svg+xml", png = "image/png", pdf = "application/pdf")[[format]],
        base64 = base64enc::base64encode(drawn),
        width_mm = one$width_mm,
        height_mm = one$height_mm,
        alt = one$alt,
        caption = one$caption
      )
    }
  }
  list(entries = entries, warnings = unname(warnings))
}

# Returns a ggplot with its statistics and scales computed, or the function that draws.
plot_of <- function(one) if (is.function(one$plot)) one$plot else suppressWarnings(ggplot2::ggplot_build(one$plot))

# Returns a figure as bytes, or "figure_too_large". `built` comes from plot_of(). The layout is computed for each
# format, because the widths of letters differ.
draw <- function(one, built, format) {
  width <- one$width_mm / 25.4
  height <- one$height_mm / 25.4
  # At most 2000 pixels, so a wide figure is drawn at a lower resolution.
  dpi <- min(300, floor(2000 / max(width, height)))
  file <- tempfile(fileext = paste0(".", format))
  on.exit(unlink(file))
  switch(
    format,
    svg = svglite::svglite(file, width = width, height = height, bg = "white", system_fonts = list(sans = FONT)),
    png = grDevices::png(file, width = width, height = height, units = "in", res = dpi, type = "cairo", bg = "white"),
    pdf = grDevices::cairo_pdf(file, width = width, height = height, bg = "white")
  )
  drawn <- tryCatch(
    {
      if (is.function(built)) {
        built()
      } else {
        grid::grid.newpage()
        suppressWarnings(grid::grid.draw(ggplot2::ggplot_gtable(built)))
      }
      TRUE
    },
    finally = grDevices::dev.off()
  )
  size <- file.size(file)
  if (is.na(size) || size > if (format == "svg") MOST_SVG else MOST_PNG) {
    return("figure_too_large")
  }
  readBin(file, "raw", size)
}

# Loads and compiles in the parent process whatever a first analysis needs, so that no child has to.
warm_up <- function() {
  rehearse("svg")
  rehearse(character())
  for (registry in list(ANALYSES, DESIGNS, FIGURES)) {
    for (name in ls(registry)) {
      versions(registry[[name]]$packages)
    }
  }
  health()
  invisible(gc())
}

# Runs a complete analysis of built-in example data, drawn in `formats`.
rehearse <- function(formats = c("svg", "pdf", "png")) {
  columns <- list(
    list(id = "c1", name = "x", type = "numeric", values = c(1, 2, 4, 3, 5, 7)),
    list(id = "c2", name = "g", type = "factor", values = rep(c("a", "b"), 3))
  )
  body <- write_json(list(
    contract = CONTRACT,
    data = list(columns = columns),
    params = list(outcome = "c1", group = "c2"),
    output = list(figures = array_of(formats))
  ))
  stopifnot(answer(ANALYSES$t_test, charToRaw(body))$status == 200L)
}
