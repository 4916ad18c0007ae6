"""Which claims of a report are checked: all of a short one, a sample of a long one (SPEC R11)."""

import hashlib
import json
from collections.abc import Sequence

from claims.extraction import ClaimSentence

CHECK_ALL = 40  # claims up to which all are checked: four concurrent questions to the model
SAMPLED_SHARE = 0.3  # of a longer report, the share of claims of kind "other" that is checked


def claims_to_check(claims: Sequence[ClaimSentence]) -> set[str]:
    """Return the ids of the claims that are checked.

    All of a short report; of a longer one, each negative, quantitative and comparative claim, each claim whose marker
    was added by code, and a sample of the rest. The sample depends only on the words of the claims.
    """
    is_short = len(claims) <= CHECK_ALL
    return {one.id for one in claims if is_short or one.given or one.kind != "other" or _draw(one) < SAMPLED_SHARE}


def _draw(claim: ClaimSentence) -> float:
    """Return a pseudo-random number between 0 and 1 for a claim, from its words."""
    written = json.dumps(claim.text, ensure_ascii=False).encode()
    return int(hashlib.sha256(written).hexdigest()[:8], 16) / 16**8
