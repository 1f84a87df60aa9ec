"""# HR810 below-minimum-prefix

What stands before the cache markers is too short to be cached, in all requests of a conversation.

## Why it matters

Prefixes below a minimum are not cached, and nothing tells so: 4,096 tokens for Claude Opus 4.5 to 4.8 and Haiku 4.5,
2,048 for Fable and Sonnet 4.6, 1,024 for others. The marker does nothing.

Tokens are not counted here: a prefix is told only if it is too short by any count. A conversation that grows beyond
the minimum is not told.

## Example

```json
{"model": "claude-opus-4-8", "max_tokens": 9,
 "system": [{"type": "text", "text": "You help.", "cache_control": {"type": "ephemeral"}}],
 "messages": [{"role": "user", "content": "a"}]}
```

## What to do

Drop the marker, or put more of what stays the same before it.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.caching import caching
from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.markers import markers_of
from headroom_cli.lint.models import least_cached, traits
from headroom_cli.lint.prefix import about_tokens, prefix_size

_CAUTION = 2  # bytes that hold at most a token, on average over any text


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """One finding for the conversation, at its last request."""
    session = check.session
    if not session.requests or not any(caching(profile.name).marked for profile in check.profiles):
        return
    largest = 0
    for history in session.histories:
        markers = markers_of(history)
        if history.judged_as != "request" or traits(history.model).vendor != "claude":
            return
        if not markers:
            continue
        raws = [entry.raw for entry in history.entries]
        whole = any(marker.tier == "request" for marker in markers)
        reach = max((m.block.entry.index + 1 for m in markers if m.block is not None), default=0)
        sent = next((s for s in session.requests if s.body is history.body), session.requests[-1])
        largest = max(largest, prefix_size(sent, raws, len(raws) if whole else reach))
    if largest and largest < _CAUTION * least_cached(session.model):
        yield check.finding(
            f"{about_tokens(largest)} stand before the last cache marker: prefixes below "
            f"{least_cached(session.model):,} tokens are not cached",
            line=session.requests[-1].line,
        )


RULE = Rule(
    code="HR810",
    name="below-minimum-prefix",
    summary="What stands before the cache markers is too short to be cached.",
    refs={"anthropic": ("K10",), "bedrock": ("K10",)},
    check_session=check_session,
    off=True,
)
