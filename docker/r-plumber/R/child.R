# Every analysis runs in a child: a fork of this process with everything loaded, killed when its time is up. setTimeLimit
# would not do: it cannot stop native code.

CHILDREN <- as.integer(Sys.getenv("R_CHILDREN", "2")) # at once; more are told "busy"
MEMORY_MB <- as.integer(Sys.getenv("R_CHILD_MB", "1200")) # address space of a child, of which R maps a third before it computes
LOOK <- 0.002 # seconds between two looks at a child
LONG <- 1 # seconds after which a child also gets a limit of processor time
running <- new.env()
running$count <- 0L

# Does `work()` in a child and calls `done(value)` with what it gave, NULL when the child died, "timeout" when it was
# killed after `seconds`. Returns at once. Nothing that goes wrong with one child reaches the service.
in_child <- function(work, seconds, done) {
  running$count <- running$count + 1L
  job <- NULL
  limited <- FALSE
  finish <- function(value) {
    running$count <- running$count - 1L
    if (!is.list(value)) forget_files(job$pid)
    done(value)
  }
  job <- tryCatch(
    parallel::mcparallel(work(), mc.set.seed = FALSE, silent = FALSE),
    error = function(problem) NULL # the machine has no memory or no place for another process
  )
  if (is.null(job)) return(finish(NULL))
  started <- Sys.time()
  look <- function() {
    taken <- as.numeric(difftime(Sys.time(), started, units = "secs"))
    given <- tryCatch(parallel::mccollect(job, wait = FALSE, timeout = 0), error = function(problem) list(NULL), warning = function(problem) list(NULL))
    if (!is.null(given)) {
      reap(job)
      return(finish(given[[1]]))
    }
    if (taken > seconds) {
      reap(job)
      return(finish("timeout"))
    }
    if (!limited && taken > LONG) {
      limited <<- TRUE
      limit_time(job$pid, seconds)
    }
    later::later(look, LOOK)
  }
  later::later(look, LOOK)
}

# Nothing of an ended child stays behind; one that has not ended is ended. mccollect() would wait for whatever else holds
# the child's pipe, and all requests with it.
reap <- function(job) {
  tools::pskill(job$pid, tools::SIGKILL)
  try(utils::getFromNamespace("rmChild", "parallel")(job), silent = TRUE)
}

# Temporary files of a child that could not remove them itself. R puts the process's id into their names.
forget_files <- function(pid) {
  if (!is.null(pid)) unlink(list.files(tempdir(), sprintf("^file%x", pid), full.names = TRUE))
}

# Limits of the operating system on memory and size of files: set once on this process, every child has them from it.
# prlimit is part of util-linux.
limit_memory <- function() {
  set <- system2("prlimit", c("--pid", Sys.getpid(), sprintf("--as=%.0f", MEMORY_MB * 1024^2), "--fsize=100000000", "--core=0"))
  if (set != 0) stop("prlimit is missing (package util-linux), without which an analysis could take all memory.")
}

# A limit of processor time, for a child whose parent is killed and cannot end it. Few live so long as to get it.
limit_time <- function(pid, seconds) {
  system2("prlimit", c("--pid", pid, sprintf("--cpu=%d", as.integer(ceiling(seconds)) + 5L)), stdout = FALSE, stderr = FALSE, wait = FALSE)
}
