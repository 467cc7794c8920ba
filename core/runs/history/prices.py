"""Token prices from a table of the user, in a file or shared. None are built in, because they change."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from core.platform.errors import ConfigurationError, InputError
from core.platform.settings.preferences import PRICES_FILE
from core.platform.settings.settings import Settings
from core.runs.model import Usage

MOST_PRICES = 200
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    model: str
    """As named by the endpoint."""
    input: float
    """Per million prompt tokens."""
    output: float
    """Per million completion tokens."""
    currency: str = "USD"


@dataclass(frozen=True, slots=True)
class Cost:
    amount: float
    currency: str


def cost_of(usage: Usage, model: str, prices: Sequence[Price]) -> Cost | None:
    """None for a model without a price."""
    for price in prices:
        if price.model == model:
            spent = usage.prompt_tokens * price.input + usage.completion_tokens * price.output
            return Cost(spent / _MILLION, price.currency)
    return None


def load_prices(settings: Settings) -> tuple[Price, ...]:
    """Raises ConfigurationError if the table cannot be read."""
    try:
        table = settings.prices
        return () if table is None else checked_prices(json.loads(table))
    except (ValueError, TypeError, AttributeError, ConfigurationError, InputError) as error:
        place = PRICES_FILE if settings.is_shared else str(settings.data / PRICES_FILE)
        raise ConfigurationError("settings.prices.unreadable", path=place) from error


def prices_text(prices: Sequence[Price]) -> str:
    """The table as stored under PRICES_FILE."""
    return json.dumps([asdict(price) for price in prices], ensure_ascii=False, indent=1)


def checked_prices(rows: Any) -> tuple[Price, ...]:
    """Rows with model, input, output and currency; one per model. Raises InputError that names the mistake."""
    if not isinstance(rows, list) or len(rows) > MOST_PRICES:
        raise InputError("settings.prices.too_many", limit=MOST_PRICES)
    prices: dict[str, Price] = {}
    for row in rows:
        price = _price(row)
        if price.model in prices:
            raise InputError("settings.prices.twice", model=price.model)
        prices[price.model] = price
    return tuple(prices.values())


def _price(row: Any) -> Price:
    model = str(row.get("model") or "").strip()[:200]
    currency = str(row.get("currency") or "USD").strip()[:8]
    if not model:
        raise InputError("settings.prices.no_model")
    amounts = [row.get("input"), row.get("output")]
    for amount in amounts:
        if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 <= amount < math.inf:
            raise InputError("settings.prices.amount", model=model)
    return Price(model, float(amounts[0]), float(amounts[1]), currency)
