"""# HR808 no-breakpoint

The requests of a conversation hold no cache marker at all, though what they share is large enough to be cached.

## Why it matters

Claude caches only up to a marker: without one, every request pays the full price for the whole history, ten times that
of a read from the cache.

Healthy look-alikes: a marker at the top of the request, which places itself; providers that cache on their own
(OpenAI, Gemini, and others behind Anthropic's API); a single request, which nothing follows.

## Example

```json
{"request": {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "a"}]},
 "response": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "b"}],
  "usage": {"input_tokens": 9000, "cache_read_input_tokens": 0, "output_tokens": 1}}}
{"request": {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [
  {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]},
 "response": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "d"}],
  "usage": {"input_tokens": 9100, "cache_read_input_tokens": 0, "output_tokens": 1}}}
```

## What to do

Put `cache_control` on the last block of the system prompt and on the last block of the newest message.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.caching import caching
from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.markers import markers_of
from headroom_cli.lint.models import least_cached, traits
from headroom_cli.lint.prefix import about_tokens, prefix_size
from headroom_cli.model import Usage

_CAUTION = 5  # bytes that surely hold a token


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """One finding for the conversation."""
    steps = check.steps
    if not steps or not any(caching(profile.name).marked for profile in check.profiles):
        return
    first = steps[0]
    if traits(first.before.model).vendor != "claude":
        return
    if any(sent.markers for sent in check.session.requests) or any(map(markers_of, check.session.histories)):
        return
    if any(_was_cached(sent.usage) for sent in check.session.requests):
        return  # the log does not hold the markers
    least = least_cached(first.before.model)
    usage = first.before.usage
    counted = usage.input_tokens if usage is not None else None
    size = prefix_size(first.before, first.messages, first.kept)
    if (counted >= least) if counted is not None else size >= _CAUTION * least:
        paid = f"{counted:,} tokens" if counted is not None else about_tokens(size)
        yield check.finding(
            f"no cache marker in {len(steps) + 1} requests: {paid} and all that follows are paid in full each time",
            line=first.before.line,
        )


def _was_cached(usage: Usage | None) -> bool:
    return usage is not None and bool(usage.cache_read_input_tokens or usage.cache_write_input_tokens)


RULE = Rule(
    code="HR808",
    name="no-breakpoint",
    summary="The requests of a conversation hold no cache marker.",
    refs={"anthropic": ("K08",), "bedrock": ("K08",)},
    check_session=check_session,
    off=True,
)
