"""Usage as OpenAI-style APIs count it: Chat Completions, Responses, Codex and the gateways that imitate them."""

from __future__ import annotations

from typing import Any

from headroom_cli.model import Usage
from headroom_cli.wire.base import count

_MAX_SECONDS = 10_000_000_000


def parse_usage(raw: object) -> Usage | None:
    """The usage of one response; None where nothing was counted (absent, all zero, or not a usage object).

    `input_tokens` includes what was cached, as these vendors count. A gateway that reports cached tokens beside the
    input (more cached than input, Anthropic's field names under `input_tokens`, or a total that only adds up with
    them) is brought to the same meaning; likewise reasoning that stands beside the output.
    """
    if not isinstance(raw, dict):
        return None
    given = _first(raw, "input_tokens", "prompt_tokens")
    output = _first(raw, "output_tokens", "completion_tokens")
    if not given and not output:
        return None
    input_details = _details(raw, "input_tokens_details", "prompt_tokens_details")
    output_details = _details(raw, "output_tokens_details", "completion_tokens_details")
    read = _first(input_details, "cached_tokens")
    if read is None:
        read = _first(raw, "cached_input_tokens", "cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens")
    write = _first(input_details, "cache_write_tokens", "cache_creation_tokens", "cache_creation_input_tokens")
    if write is None:
        write = _first(raw, "cache_write_input_tokens", "cache_creation_input_tokens")
    reasoning = _first(output_details, "reasoning_tokens")
    if reasoning is None:
        reasoning = _first(raw, "reasoning_output_tokens", "reasoning_tokens")
    total = _first(raw, "total_tokens")
    cached = (read or 0) + (write or 0)
    if given is not None and cached and _cached_beside(raw, given, cached, output, total):
        given += cached
    if output and reasoning and given is not None and total == given + output + reasoning:
        output += reasoning
    return Usage(
        input_tokens=given,
        uncached_input_tokens=None if given is None else given - cached,
        cache_read_input_tokens=read,
        cache_write_input_tokens=write,
        output_tokens=output,
        reasoning_output_tokens=reasoning,
    )


def usage_entries(raw: object) -> list[Usage]:
    """The usage of each request in an Agents SDK `Usage` dump; empty where only the sum over the run was kept."""
    entries = raw.get("request_usage_entries") if isinstance(raw, dict) else None
    if not isinstance(entries, list):
        return []
    return [usage for entry in entries if (usage := parse_usage(entry)) is not None]


def microseconds(seconds: object) -> int | None:
    """Microseconds UTC of a `created` field (whole or fractional seconds since the epoch)."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < _MAX_SECONDS:
        return None
    return int(seconds * 1_000_000)


def _cached_beside(raw: dict[str, Any], given: int, cached: int, output: int | None, total: int | None) -> bool:
    if cached > given:
        return True
    if total is not None and output is not None:
        return total == given + cached + output
    return "input_tokens" in raw and ("cache_read_input_tokens" in raw or "cache_creation_input_tokens" in raw)


def _first(fields: dict[str, Any], *names: str) -> int | None:
    for name in names:
        value = count(fields.get(name))
        if value is not None:
            return value
    return None


def _details(raw: dict[str, Any], *names: str) -> dict[str, Any]:
    for name in names:
        value = raw.get(name)
        # The Agents SDK serialises the details as a list of one.
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, dict):
            return value
    return {}
