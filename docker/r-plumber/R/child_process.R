# Every analysis runs in a child process: a fork of this process with everything loaded, killed when it has used up its
# processor time. setTimeLimit would not work, because it cannot stop native code. Wall-clock time is only a limit for
# analyses that hang: on a busy machine it would stop analyses that have hardly computed.

CHILDREN <- as.integer(Sys.getenv("R_CHILDREN", "2")) # children at once; further requests get the error "busy"
# address space of a child; R maps a third of it before it computes
MEMORY_MB <- as.integer(Sys.getenv("R_CHILD_MB", "1200"))
LOOK <- 0.002 # seconds between the first checks of a child
WAIT <- 0.04 # later, as a share of the elapsed time: every check takes processor time from the children
LONGEST_WAIT <- 0.05 # seconds
LONG <- 1 # seconds after which the operating system limits the processor time of a child, too
# seconds of wall-clock time per second of processor time after which a child hangs
HANG <- as.numeric(Sys.getenv("R_HANG", "15"))
TICKS <- 100 # clock ticks per second, in which /proc counts processor time
IDLE <- as.numeric(Sys.getenv("R_IDLE", "0.3")) # seconds without a request after which a waiting child is prepared
running <- new.env()
running$count <- 0L
running$ready <- NULL # the child that waits for a request, or NULL
running$ended <- Sys.time() # when the last child ended

# Runs `work`, the arguments of do_work(), in a child, and returns at once. Calls `done(value)` with the result: NULL
# when the child died, "timeout" when it was killed after `seconds` of processor time, "hung" when it was killed after
# hang_of(seconds) of wall-clock time. No failure of a child affects the service.
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
  before <- if (waited) processor_time(job$pid) else 0 # it has already used some in its rehearsal
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
        # it may have died while it was waiting: run the work in a new child
        waited <<- FALSE
        before <<- 0
        job <<- forked(do.call(do_work, work))
        if (!is.null(job)) return(later::later(look, LOOK))
      }
      return(finish(given[[1]]))
    }
    # Reading /proc is only needed once 16 threads together could have used up the time.
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

# Wall-clock seconds that an analysis with `seconds` of processor time may take.
hang_of <- function(seconds) HANG * seconds

# Returns the processor time in seconds of a process and its ended children; 0 when it is gone.
processor_time <- function(pid) {
  line <- tryCatch(suppressWarnings(readLines(sprintf("/proc/%d/stat", pid), n = 1)), error = function(problem) {
    character()
  })
  if (!length(line)) {
    return(0)
  }
  fields <- strsplit(sub("^.*[)] ", "", line), " ", fixed = TRUE)[[1]] # the process name before may contain spaces
  sum(as.numeric(fields[12:15])) / TICKS
}

# Starts a child that evaluates `expression`. Returns NULL when there is no memory or no slot for another process.
forked <- function(expression) {
  tryCatch(parallel::mcparallel(expression, mc.set.seed = FALSE, silent = FALSE), error = function(problem) NULL)
}

# Starts a child that waits for the next request. Most of the cost of a fork is copying memory pages when they are first
# written to, and this child has already written to them in a rehearsal. It only starts after an idle time, because
# between two quick requests it would take processor time from them.
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
    # The service has ended. A child of the package parallel would now wait for its parent forever, and block the port.
    if (is.null(work)) {
      tools::pskill(Sys.getpid(), tools::SIGKILL)
    }
    do.call(do_work, work)
  })
}

# Sends `work` to the waiting child. Returns NULL when no child waits, or its rehearsal is not finished.
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
    error = function(problem) FALSE # the child died while it was waiting
  )
  if (isTRUE(all(sent))) {
    return(job)
  }
  reap(job)
  NULL
}

# Returns the path of the file by which a waiting child says that it is ready.
ready_file <- function(pid) file.path(tempdir(), sprintf("ready-%d", pid))

# Returns the work that given_to_ready() sent; NULL at the end of the input, when the service has ended.
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

# Kills a child and removes it. mccollect() would wait for any other process that has the child's pipe open, and block
# all requests meanwhile.
reap <- function(job) {
  tools::pskill(job$pid, tools::SIGKILL)
  try(utils::getFromNamespace("rmChild", "parallel")(job), silent = TRUE)
}

# Deletes the temporary files of a child that could not delete them itself. R puts the process id into their names.
forget_files <- function(pid) {
  if (!is.null(pid)) unlink(list.files(tempdir(), sprintf("^file%x", pid), full.names = TRUE))
}

# Sets limits of the operating system on memory and file size for this process; every child inherits them. prlimit is
# part of the package util-linux.
limit_memory <- function() {
  set <- system2(
    "prlimit",
    c("--pid", Sys.getpid(), sprintf("--as=%.0f", MEMORY_MB * 1024^2), "--fsize=100000000", "--core=0")
  )
  if (set != 0) stop("prlimit is missing (package util-linux); without it an analysis could use up all memory.")
}

# Limits the processor time of a child, in case the service is killed and cannot stop it. Only long analyses get this
# limit.
limit_time <- function(pid, seconds) {
  system2(
    "prlimit",
    c("--pid", pid, sprintf("--cpu=%d", as.integer(ceiling(seconds)) + 5L)),
    stdout = FALSE,
    stderr = FALSE,
    wait = FALSE
  )
}
