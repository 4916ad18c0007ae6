/** Time limit in ms of tests whose code would take minutes or hang if it had the tested fault. */
export const HANGS = 30_000;
