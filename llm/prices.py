"""Prices of models.

USD per million tokens, standard service, 5-minute prompt cache. Source: the model pages and the price list at
platform.claude.com/docs/en/about-claude/pricing, as of 24 October 2026.
"""

import re
from dataclasses import dataclass
from decimal import Decimal

MILLION = Decimal(1_000_000)
LONG_PROMPT = 100_000  # tokens; for a longer prompt the `long` price applies to the whole request


@dataclass(frozen=True)
class Price:
    """The price of a model in USD per million tokens, with another price for long prompts if it has one."""

    input: Decimal
    output: Decimal
    cache_read: Decimal
    cache_write: Decimal
    long: "Price | None" = None

    def of(self, input: int, output: int, cache_read: int = 0, cache_write: int = 0) -> Decimal:
        """Return the cost in USD of one request with these numbers of tokens."""
        if self.long and input + cache_read + cache_write > LONG_PROMPT:
            return self.long.of(input, output, cache_read, cache_write)
        return (
            input * self.input + output * self.output + cache_read * self.cache_read + cache_write * self.cache_write
        ) / MILLION


def _price(input: str, output: str, cache_read: str, long: Price | None = None) -> Price:
    """Return a price; writing to the cache costs 25 % more than input for every model."""
    return Price(Decimal(input), Decimal(output), Decimal(cache_read), Decimal(input) * Decimal("1.25"), long)


PRICES = {
    "claude-mythos-5-1": _price("10", "50", "0.25"),
    "claude-mythos-5": _price("10", "50", "1"),
    "claude-fable-5-1": _price("10", "50", "0.25"),
    "claude-fable-5": _price("10", "50", "1"),
    "claude-opus-5-5": _price("4", "20", "0.20"),
    "claude-opus-5": _price("5", "25", "0.50"),
    "claude-opus-4-8": _price("5", "25", "0.50"),
    "claude-opus-4-7": _price("5", "25", "0.50"),
    "claude-opus-4-6": _price("5", "25", "0.50"),
    "claude-opus-4-5": _price("5", "25", "0.50"),
    "claude-sonnet-5-5": _price("2", "10", "0.10"),
    "claude-sonnet-5": _price("2", "10", "0.20"),
    "claude-sonnet-4-6": _price("3", "15", "0.30"),
    "claude-sonnet-4-5": _price("3", "15", "0.30"),
    "claude-haiku-5-5": _price("0.10", "0.50", "0.01", long=_price("0.50", "2.50", "0.05")),
    "claude-haiku-4-5": _price("1", "5", "0.10"),
}
DEAREST = max(PRICES.values(), key=lambda price: (price.output, price.input, price.cache_read))

_VENDOR = re.compile(r"^(?:[a-z]+[./])+(?=claude-)")
_DATE = re.compile(r"[-@]\d{8}(?:-v\d+(?::\d+)?)?$")


def price_of(model: str) -> tuple[Price, bool]:
    """Return the price of `model` and whether it is known. An unknown model gets the highest known price.

    A vendor prefix and a date suffix are ignored: "anthropic/claude-haiku-4-5-20251001".
    """
    known = PRICES.get(_DATE.sub("", _VENDOR.sub("", model)))
    return (known, True) if known else (DEAREST, False)
