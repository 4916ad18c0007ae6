// When text is saved: how long it waits for the next key press, and for the next attempt after a failure. Milliseconds.

/** Without typing before a save. */
export const IDLE = 1000;
/** Of continuous typing before a save. */
export const LONGEST = 10_000;
/** Until the second attempt; doubles with each. */
export const FIRST_PAUSE = 1000;
/** Between two attempts at most. */
export const LONGEST_PAUSE = 30_000;
/** Of a server's Retry-After at most. */
export const LONGEST_RETRY_AFTER = 600_000;
