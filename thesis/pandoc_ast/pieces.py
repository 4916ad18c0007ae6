r"""A text cut before some of its headings, so that after an edit only one piece goes through pandoc again (SPEC G1).

pandoc's tree of the whole is that of the pieces, one after another, where nothing goes on from one piece to the next:
no open brace or environment, and nothing that changes how the text after it is read.
"""

import re
from itertools import pairwise

from latex.cite_keys import visible

_LEAST = 1_500  # characters between two headings for a cut at the second; pandoc starts as fast as it reads 1,500
_MOST = 12_000  # characters of a piece that is cut at the next heading, however near the one before is
_TOKEN = re.compile(
    r"^(?P<heading>\\(?:chapter|(?:sub)?section)\*?(?=[ \t]*[\[{]))"
    r"|\\(?P<way>begin|end)(?![A-Za-z])|\\.|(?P<brace>[{}])",
    re.DOTALL | re.MULTILINE,
)
_GOES_ON = re.compile(
    r"\\(?:(?:re)?new(?!page|line)|provide|[gex]?def(?![A-Za-z])|let(?![A-Za-z])|future|[Dd]eclare|New|Renew|Provide"
    r"|if(?!f(?![A-Za-z]))|else|fi(?![A-Za-z])|csname|expandafter|catcode|makeat|Make(?!(?:Upper|Lower)case)|delete"
    r"|theoremstyle|footnote(?:mark|text)|selectlanguage|setdefault|setother|setquote|begingroup|bgroup|egroup)"
)


def pieces_of(latex: str) -> list[str]:
    """Return `latex` as pieces that can be read on their own, or as one; in linear time."""
    if len(latex) < 2 * _LEAST:
        return [latex]
    seen = visible(latex)
    if _GOES_ON.search(seen):
        return [latex]
    cuts, depth, heading = [0], 0, 0
    for found in _TOKEN.finditer(seen):
        if found["heading"]:
            # Most cuts depend on their own section only, so that an edit moves no others.
            at, before, heading = found.start(), heading, found.start()
            if not depth and (at - before >= _LEAST or at - cuts[-1] >= _MOST):
                cuts.append(at)
        elif found["brace"] or found["way"]:
            depth += 1 if found["brace"] == "{" or found["way"] == "begin" else -1
            if depth < 0:
                return [latex]
    if depth:
        return [latex]
    return [latex[start:end] for start, end in pairwise([*cuts, len(latex)])]
