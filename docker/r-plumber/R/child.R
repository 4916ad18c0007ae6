# Every analysis runs in a child: a fork of this process with everything loaded, killed when its time is up. setTimeLimit
# would not do: it cannot stop native code.

CHILDREN <- as.integer(Sys.getenv("R_CHILDREN", "2")) # at once; more are told "busy"
MEMORY_MB <- as.integer(Sys.getenv("R_CHILD_MB", "1500")) # address space of a child, of which R maps half before it computes
LOOK <- 0.005 # seconds between two looks at a child
running <- new.env()
running$count <- 0L

# Does `work()` in a child and calls `done(value)` with what it gave, NULL when the child died, "timeout" when it was
# killed after `seconds`. Returns at once.
in_child <- function(work, seconds, done) {
  running$count <- running$count + 1L
  job <- parallel::mcparallel(
    {
      limit_child(seconds)
      work()
    },
    mc.set.seed = FALSE, silent = FALSE
  )
  started <- Sys.time()
  look <- function() {
    given <- parallel::mccollect(job, wait = FALSE, timeout = 0)
    if (!is.null(given)) {
      reap(job)
      return(finish(given[[1]]))
    }
    if (as.numeric(difftime(Sys.time(), started, units = "secs")) > seconds) {
      tools::pskill(job$pid, tools::SIGKILL)
      reap(job)
      return(finish("timeout"))
    }
    later::later(look, LOOK)
  }
  finish <- function(value) {
    running$count <- running$count - 1L
    done(value)
  }
  later::later(look, LOOK)
}

# Nothing of an ended child stays behind.
reap <- function(job) suppressWarnings(try(parallel::mccollect(job, wait = TRUE), silent = TRUE))

# Limits of the operating system on a child: memory, processor time, size of files. prlimit is part of util-linux.
limit_child <- function(seconds) {
  system2("prlimit", c(
    "--pid", Sys.getpid(), paste0("--as=", MEMORY_MB * 1024^2), paste0("--cpu=", ceiling(seconds) + 5), "--fsize=100000000", "--core=0"
  ), stdout = FALSE, stderr = FALSE)
}
