"""The errors of engines, by what the caller does about them.

    Unusable      the deterministic fallback of the role takes over, recorded in provenance (DESIGN 12)
      Truncated   the prompt or the answer was too long for the model
      Refusal     the model declined; asking again would not help
    Unreachable   the service failed; try again later
    Rejected      the service does not accept such requests: a setting is wrong
    BudgetSpent   nothing was sent (llm.budget)

Messages contain no API key, prompt or answer, so they may be logged and shown.
"""

from llm.result import CallUsage


class Failed(Exception):
    """An engine gave no answer. `usages` are the calls that were charged anyway."""

    usages: tuple[CallUsage, ...] = ()


class Unusable(Failed):
    """The answer does not have the expected form."""

    def __init__(self, role: str, why: str) -> None:
        super().__init__(f"The answer in the role {role} could not be used: {why}")
        self.role, self.why = role, why


class Truncated(Unusable):
    """The prompt or the answer was too long for the model."""


class Refusal(Unusable):
    """The model declined to answer."""

    def __init__(self, role: str, category: str = "") -> None:
        """Set the role and the service's name of the policy that caused the refusal, if given."""
        super().__init__(role, f"the model declined to answer ({category})" if category else "the model declined")
        self.category = category


class Unreachable(Failed):
    """The service was down, overloaded or too slow at every attempt."""


class Rejected(Failed):
    """The service does not accept the request; the message says what to change."""
