# Analyses that misbehave, for the tests of the service. They only exist if R_DEBUG_ANALYSES is set.

if (Sys.getenv("R_DEBUG_ANALYSES") != "") {
  fine <- function(ask) result(method = "Debug", n = count_of(0))

  # Sleeps until it is killed for hanging.
  analysis(
    "debug_sleep",
    title = "Sleeps",
    options = list(seconds = number("Seconds", default = 60, min = 0, max = 600)),
    seconds = 0.05,
    run = function(ask) {
      Sys.sleep(ask$options$seconds)
      fine(ask)
    }
  )
  # One call of native code, which R's own time limit could not interrupt.
  analysis("debug_native", title = "Hangs in native code", seconds = 1, run = function(ask) {
    solve(matrix(stats::runif(16e6), 4000))
    fine(ask)
  })
  # Uses a given amount of processor time, however long that takes.
  analysis(
    "debug_burn",
    title = "Uses processor time",
    options = list(seconds = number("Seconds", default = 60, min = 0, max = 600)),
    seconds = 1,
    run = function(ask) {
      while (sum(proc.time()[1:2]) < ask$options$seconds) {
        NULL
      }
      fine(ask)
    }
  )
  analysis("debug_process", title = "Starts a process", seconds = 0.05, run = function(ask) {
    system2("sleep", "8")
    fine(ask)
  })
  analysis(
    "debug_work",
    title = "Computes as long as it is told",
    options = list(seconds = number("Seconds", default = 1, min = 0, max = 30)),
    run = function(ask) {
      until <- Sys.time() + ask$options$seconds
      while (Sys.time() < until) {
        NULL
      }
      result(method = "Debug", n = count_of(0), statistics = list(pid = Sys.getpid()))
    }
  )
  analysis("debug_crash", title = "Kills itself", run = function(ask) tools::pskill(Sys.getpid(), tools::SIGKILL))
  analysis("debug_memory", title = "Takes memory", run = function(ask) {
    held <- list()
    for (i in 1:100) {
      held[[i]] <- numeric(8e7)
    } # 640 MB each
    fine(ask)
  })
  analysis(
    "debug_error",
    title = "Stops inside R",
    params = list(column = column("any", "Column")),
    run = function(ask) stop(ask$data[[1]]$values[[1]])
  )
  analysis("debug_warning", title = "Warns", params = list(column = column("any", "Column")), run = function(ask) {
    warning("the value ", ask$data[[1]]$values[[1]], " of ", name_of(ask, "column"), " is \"odd\" at 12.5")
    fine(ask)
  })
  analysis(
    "debug_figure",
    title = "Draws its labels",
    params = list(column = column("any", "Column")),
    run = function(ask) {
      words <- label(name_of(ask, "column"))
      frame <- data.frame(x = factor(vapply(labels_of(ask$data[[1]]$values), label, "")), y = 1)
      plot <- ggplot(frame, aes(x, y)) + geom_point() + labs(x = words, y = words, title = words) + theme_thesis()
      broken <- figure("broken", function() stop("no"), "never drawn")
      result(method = words, n = count_of(0), figures = list(figure("labels", plot, words, words), broken))
    }
  )
}
