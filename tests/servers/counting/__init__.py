"""A kind of job for tests: it counts, telling one number at a time."""
