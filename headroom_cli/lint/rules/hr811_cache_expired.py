"""# HR811 cache-expired

A request came so late that the provider had dropped what it had cached, and the whole prompt was computed anew.

## Why it matters

Claude keeps an entry for 5 minutes after its last use, or for an hour where that was asked for; OpenAI for 5 to 10
minutes. After a longer pause the next request pays for everything again. A person who thinks is no mistake: the finding
is what it cost.

Told from usage alone, as `headroom analyze` tells it: at least 1,024 tokens and a tenth of what the request before had
in the cache were not read, the pause was longer than an entry lives, and nothing else explains it. Sessions that never
read from a cache are not told.

## Example

```json
{"request": {"model": "claude-opus-4-8", "max_tokens": 9, "messages": [{"role": "user", "content": "a"}]},
 "response": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "b"}],
  "usage": {"input_tokens": 4, "cache_read_input_tokens": 20000, "cache_creation_input_tokens": 900,
   "output_tokens": 1}}, "timestamp": "2026-11-01T10:00:00Z"}
{"request": {"model": "claude-opus-4-8", "max_tokens": 9, "messages": [
  {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]},
 "response": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "d"}],
  "usage": {"input_tokens": 4, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 21500,
   "output_tokens": 1}}, "timestamp": "2026-11-01T10:20:00Z"}
```

## What to do

Where pauses are the rule and three or more reads follow each of them, ask for an hour (`"ttl": "1h"`): writing costs
twice the input price then instead of 1.25 times. Else nothing: a compaction before a long pause makes it cheaper.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.rebuilds import rebuilds


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """One finding for the conversation: the dearest pause, and the sum."""
    expired = rebuilds(check, "expired")
    if expired:
        worst = max(expired, key=lambda one: one.tokens)
        more = f"; {len(expired)} pauses in all, {sum(e.tokens for e in expired):,} tokens" if len(expired) > 1 else ""
        yield check.finding(
            f"{_minutes(worst.gap or 0)} after the request before (line {worst.before.line}), the cache had expired: "
            f"{worst.tokens:,} tokens were computed anew{more}",
            line=worst.after.line,
        )


def _minutes(seconds: float) -> str:
    return f"{seconds / 3600:,.1f} hours" if seconds >= 7200 else f"{seconds / 60:.0f} minutes"


RULE = Rule(
    code="HR811",
    name="cache-expired",
    summary="A request came after the cache had expired.",
    refs={"*": ("K11",)},
    check_session=check_session,
    off=True,
)
