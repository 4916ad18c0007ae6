/** Milliseconds that a test may take whose code would hang, or take minutes, with the fault it looks for. */
export const HANGS = 30_000;
