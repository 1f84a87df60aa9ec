"""`--max-increase`: how far cost and the avoidable share may rise from A to B."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from headroom_cli.report.compare.comparison import Comparison
from headroom_cli.report.compare.measures import Measured
from headroom_cli.report.layout import Section

_SHARE = re.compile(r"^(\d{1,4}(?:\.\d{1,6})?)\s*%$")
_HELD = {
    "cost": ("cost_usd_micros", "input_tokens"),
    "avoidable": ("avoidable_cost_share", "avoidable_share"),
}
"""What is held against the limit: the first figure that both sides know."""

_WORDS = {
    "cost_usd_micros": "cost of a session",
    "input_tokens": "input of a session (costs are not known)",
    "avoidable_cost_share": "avoidable share of the cost",
    "avoidable_share": "avoidable share of what entered (costs are not known)",
}


@dataclass(frozen=True, slots=True)
class Increase:
    """Figures that rose by more than `limit`, as parts of A's (infinite from 0); `unknown` ones could not be held."""

    limit: float
    beyond: dict[str, float] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)


def limit_of(text: str) -> float:
    """A share from a text as in `10%`. Raises ValueError."""
    found = _SHARE.match(text.strip())
    if found is None:
        raise ValueError(f"cannot read {text!r}; write a share, as in 10%")
    return float(found[1]) / 100


def increased(found: Comparison, limit: float) -> Increase:
    """Hold a comparison against a limit."""
    result = Increase(limit)
    for what, names in _HELD.items():
        name = next((name for name in names if found.figures[name].difference is not None), None)
        if name is None:
            result.unknown.append(what)
        elif (rise := _rise(found.figures[name])) > limit:
            result.beyond[name] = rise
    return result


def _rise(figure: Measured) -> float:
    if figure.change is not None:
        return figure.change
    return math.inf if figure.difference else 0.0


def increase_section(increase: Increase) -> Section:
    """What rose too far, as a section."""
    section = Section("INCREASE", f"beyond {_percent(increase.limit)}" if increase.beyond else "within the limit")
    section.lines = [
        f"{_WORDS[name]}: {'from nothing' if rise == math.inf else '+' + _percent(rise)}"
        for name, rise in increase.beyond.items()
    ]
    section.lines += [f"{what}: not known, so not held against the limit" for what in increase.unknown]
    return section


def _percent(value: float) -> str:
    return f"{100 * value:.3g} %"
