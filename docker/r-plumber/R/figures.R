# Figures: drawn once for each format asked for. SVG is for the page, PDF and PNG (300 dpi) for print.

ACCENT <- "#1d4e58"
INK <- "#1c2524"
SOFT <- "#5a6664"
PALETTE <- c("#1d4e58", "#b3541e", "#6b5b95", "#3f7d4e", "#a23e48", "#8a6d1b", "#4b6fa5", "#7a7a7a") # told apart also in grey
FONT <- "DejaVu Sans"
MOST_SVG <- 2e6 # bytes
MOST_PNG <- 3e6
MOST_POINTS <- 5000 # of an SVG: beyond that it is PNG alone

# A figure: a ggplot (or a function that draws with base graphics), its size and the words for who cannot see it.
# `points` is how many marks it draws. Nothing is drawn here: drawn_figures() does, for the formats that were asked for.
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

# The look of all figures: on white, as they will be printed.
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

# The figures of a result, drawn: list(entries, warnings), with an entry for each figure and format. One that cannot be
# drawn, or would be too large, is left out with a warning: the numbers are right without it.
drawn_figures <- function(figures, formats) {
  entries <- list()
  warnings <- list()
  for (one in figures) {
    built <- NULL # what is the same in all formats is worked out once
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
            figure_not_drawn = "A figure could not be drawn. The numbers are not touched by that.",
            figure_too_large = "A figure was too large in one of its formats and is left out there."
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

# A ggplot with its statistics and scales worked out, or the function that draws.
plot_of <- function(one) if (is.function(one$plot)) one$plot else suppressWarnings(ggplot2::ggplot_build(one$plot))

# A figure as bytes, or "figure_too_large". `built` comes from plot_of(). Places are found anew for each format: letters
# are not equally wide in all.
draw <- function(one, built, format) {
  width <- one$width_mm / 25.4
  height <- one$height_mm / 25.4
  # 2000 pixels are the most, so a wide figure is drawn with fewer dots to the inch.
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

# Does once in the parent what a first analysis would load and compile, so that no child has to.
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

# A whole analysis of numbers of our own, drawn in `formats`.
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
