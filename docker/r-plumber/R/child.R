# Every analysis runs in a child: a fork of this process with everything loaded, killed when it has used its processor time.
# setTimeLimit would not do: it cannot stop native code. The clock on the wall is no limit, since a busy machine would then
# stop what has hardly computed; it only ends what hangs.

CHILDREN <- as.integer(Sys.getenv("R_CHILDREN", "2")) # at once; more are told "busy"
MEMORY_MB <- as.integer(Sys.getenv("R_CHILD_MB", "1200")) # address space of a child, of which R maps a third before it computes
LOOK <- 0.002 # seconds between the first looks at a child
WAIT <- 0.04 # and later, as a part of the time it has taken: each look takes the processor from the children
LONGEST_WAIT <- 0.05 # seconds
LONG <- 1 # seconds after which the operating system limits a child's processor time too
HANG <- as.numeric(Sys.getenv("R_HANG", "15")) # seconds on the wall for each second of processor time, and then it hangs
TICKS <- 100 # of a second: how /proc counts processor time, whatever the kernel's own clock
IDLE <- as.numeric(Sys.getenv("R_IDLE", "0.3")) # seconds without a request after which a child is made ready
running <- new.env()
running$count <- 0L
running$ready <- NULL # the child that waits for a request, where there is one
running$ended <- Sys.time() # when the last one did

# Does `work`, the arguments of do_work(), in a child and calls `done(value)` with what it gave, NULL when the child died, "timeout" when it was
# killed after `seconds` of processor time, "hung" when it was killed after hang_of(seconds) on the wall. Returns at once. Nothing that goes wrong with one child reaches the service.
in_child <- function(work, seconds, done) {
  running$count <- running$count + 1L
  job <- NULL
  limited <- FALSE
  finish <- function(value) {
    running$count <- running$count - 1L
    running$ended <- Sys.time()
    later::later(make_ready, IDLE)
    if (!is.list(value)) {
      forget_files(job$pid)
    }
    done(value)
  }
  job <- given_to_ready(work)
  waited <- !is.null(job)
  if (!waited) {
    job <- forked(do.call(do_work, work))
  }
  if (is.null(job)) {
    return(finish(NULL))
  }
  started <- Sys.time()
  before <- if (waited) processor_time(job$pid) else 0 # it has rehearsed
  look <- function() {
    taken <- as.numeric(difftime(Sys.time(), started, units = "secs"))
    given <- tryCatch(
      parallel::mccollect(job, wait = FALSE, timeout = 0),
      error = function(problem) list(NULL),
      warning = function(problem) list(NULL)
    )
    if (!is.null(given)) {
      reap(job)
      if (waited && is.null(given[[1]])) {
        # it may have died while it still waited
        waited <<- FALSE
        before <<- 0
        job <<- forked(do.call(do_work, work))
        if (!is.null(job)) return(later::later(look, LOOK))
      }
      return(finish(given[[1]]))
    }
    # Sixteen threads cannot use more than that.
    used <- if (16 * taken > seconds) processor_time(job$pid) - before else 0
    if (used > seconds || taken > hang_of(seconds)) {
      reap(job)
      return(finish(if (used > seconds) "timeout" else "hung"))
    }
    if (!limited && taken > LONG) {
      limited <<- TRUE
      limit_time(job$pid, before + seconds)
    }
    later::later(look, min(max(LOOK, WAIT * taken), LONGEST_WAIT))
  }
  later::later(look, LOOK)
}

# How long what may use `seconds` of processor time may take on the wall.
hang_of <- function(seconds) HANG * seconds

# Seconds of processor time that a process and its ended children have used; 0 when it is gone.
processor_time <- function(pid) {
  line <- tryCatch(suppressWarnings(readLines(sprintf("/proc/%d/stat", pid), n = 1)), error = function(problem) {
    character()
  })
  if (!length(line)) {
    return(0)
  }
  fields <- strsplit(sub("^.*[)] ", "", line), " ", fixed = TRUE)[[1]] # the name before may have blanks
  sum(as.numeric(fields[12:15])) / TICKS
}

# A child that evaluates `expression`; NULL when the machine has no memory or no place for another process.
forked <- function(expression) {
  tryCatch(parallel::mcparallel(expression, mc.set.seed = FALSE, silent = FALSE), error = function(problem) NULL)
}

# A child that waits, so that the next request need not: most of what a fork costs is the copying of memory pages as they
# are first written to, and this one has written to them in a rehearsal. Only once nothing has
# run for a while: with one request behind the other it would take the processor from them.
make_ready <- function() {
  idle <- as.numeric(difftime(Sys.time(), running$ended, units = "secs"))
  if (running$count > 0L || !is.null(running$ready) || idle < 0.9 * IDLE) {
    return(invisible())
  }
  running$ready <- forked({
    rehearse()
    file.create(ready_file(Sys.getpid()))
    input <- file("stdin", "rb")
    work <- sent_work(input)
    close(input)
    # The service has ended. A child of parallel's would now wait for its parent, for ever, and hold the port.
    if (is.null(work)) {
      tools::pskill(Sys.getpid(), tools::SIGKILL)
    }
    do.call(do_work, work)
  })
}

# Gives `work` to the child that waits. NULL when none does, or it is not yet through with its rehearsal.
given_to_ready <- function(work) {
  job <- running$ready
  if (is.null(job) || !file.exists(ready_file(job$pid))) {
    return(NULL)
  }
  running$ready <- NULL
  unlink(ready_file(job$pid))
  bytes <- serialize(work, NULL, xdr = FALSE)
  sent <- tryCatch(
    utils::getFromNamespace("sendChildStdin", "parallel")(job, c(charToRaw(sprintf("%012d", length(bytes))), bytes)),
    error = function(problem) FALSE # it died while it waited
  )
  if (isTRUE(all(sent))) {
    return(job)
  }
  reap(job)
  NULL
}

ready_file <- function(pid) file.path(tempdir(), sprintf("ready-%d", pid))

# What given_to_ready() wrote; NULL at the end of the input, when the service has ended.
sent_work <- function(input) {
  head <- readBin(input, "raw", 12)
  if (length(head) < 12) {
    return(NULL)
  }
  size <- as.numeric(rawToChar(head))
  bytes <- raw()
  while (length(bytes) < size) {
    more <- readBin(input, "raw", size - length(bytes))
    if (!length(more)) {
      return(NULL)
    }
    bytes <- c(bytes, more)
  }
  unserialize(bytes)
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
  set <- system2(
    "prlimit",
    c("--pid", Sys.getpid(), sprintf("--as=%.0f", MEMORY_MB * 1024^2), "--fsize=100000000", "--core=0")
  )
  if (set != 0) stop("prlimit is missing (package util-linux), without which an analysis could take all memory.")
}

# A limit of processor time, for a child whose parent is killed and cannot end it. Few live so long as to get it.
limit_time <- function(pid, seconds) {
  system2(
    "prlimit",
    c("--pid", pid, sprintf("--cpu=%d", as.integer(ceiling(seconds)) + 5L)),
    stdout = FALSE,
    stderr = FALSE,
    wait = FALSE
  )
}
