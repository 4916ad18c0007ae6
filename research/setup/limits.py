"""Limits of every run: the length of a question, depth and width of the tree of questions, rounds (SPEC R3, R4, R7).

The budget of one run is in `budget.py`, what a person sets in `profiles.py`.
"""

LONGEST_QUESTION = 4000  # characters
MAX_DEPTH = 2  # levels of questions below the first one
MAX_CHILDREN = 7  # parts of a question
MOST_ROUNDS = {"academic": 6}  # by mode
MOST_ROUNDS_OTHERWISE = 3
LEAST_GAIN = 0.05  # coverage that a round must add for another round to be worth its price
