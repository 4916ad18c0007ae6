"""The numbers of the identity gate: how alike titles, names and venues must be (docs/decisions/identity-gate.md)."""

TITLE_ALIKE = 0.85  # below this similarity titles are those of two works (rule 4)
TITLE_NEARLY_EQUAL = 0.95  # from here on an identifier may prove the work (rule 3)
TITLE_LONG_ENOUGH = 20  # characters: a main title must be longer to stand for the whole (rule 3)
SURNAME_ALIKE = 0.80  # least similarity of two surnames (rule 2)
VENUE_ALIKE = 0.85  # least similarity of two names of journals or conferences
