"""How an engine can fail, by what a caller does about it.

    Unusable      the role's deterministic stand-in takes over, recorded in provenance (DESIGN 12)
      Truncated   the answer or the question was too long for the model
      Refusal     the model declined; asking again would not help
    Unreachable   the service failed; the work may be tried again later
    Rejected      the service will not take such requests: a setting is wrong
    BudgetSpent   nothing was sent (llm.budget)

Messages name no key and quote no prompt or answer, so they may be logged and shown.
"""

from llm.result import CallUsage


class Failed(Exception):
    """An engine gave no answer. `usages` are the calls that were paid for all the same."""

    usages: tuple[CallUsage, ...] = ()


class Unusable(Failed):
    def __init__(self, role: str, why: str) -> None:
        super().__init__(f"The answer in the role {role} could not be used: {why}")
        self.role, self.why = role, why


class Truncated(Unusable):
    """The model ran out of room: for its answer, or already for the question."""


class Refusal(Unusable):
    def __init__(self, role: str, category: str = "") -> None:
        """`category` is the service's own word for the policy behind it, if it gave one."""
        super().__init__(role, f"the model declined to answer ({category})" if category else "the model declined")
        self.category = category


class Unreachable(Failed):
    """The service was down, overloaded or too slow, however often it was asked."""


class Rejected(Failed):
    """The service answered that it will not take the request; the message says what may be changed."""
