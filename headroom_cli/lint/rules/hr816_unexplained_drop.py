"""# HR816 unexplained-drop

What the request before had in the cache was not read, and nothing in the log tells why.

## Why it matters

The usage says that most of the prompt was computed anew, though the model is the same, the pause was short, and the
context did not shrink. Something at the beginning changed that the log does not hold (session logs hold neither tools
nor the system prompt), or the provider dropped the entry. In real logs this is one request in 130 to Claude, and one in
12 to OpenAI, whose cache is not kept for certain.

Not told: what other rules explain (HR801 to HR807, HR811), what the provider explains itself (HR819), and sessions that
never read from a cache.

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
   "output_tokens": 1}}, "timestamp": "2026-11-01T10:01:00Z"}
```

## What to do

Log the requests themselves and lint them: then HR801 to HR807 name the change. Anthropic tells the reason where the
beta `cache-diagnosis-2026-04-07` is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.prefix import same
from headroom_cli.lint.rebuilds import rebuilds


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """One finding for the conversation: the dearest drop, and the sum."""
    explained = {
        step.after.line
        for step in check.steps
        if not step.appends
        or any(
            not same(step.before.body.get(name), step.after.body.get(name))
            for name in {**step.before.body, **step.after.body}
            if name not in ("metadata", "stream", "max_tokens", "user")
        )
    }
    found = [one for one in rebuilds(check, "unknown") if one.after.line not in explained]
    if found:
        worst = max(found, key=lambda one: one.tokens)
        more = f"; {len(found)} drops in all, {sum(one.tokens for one in found):,} tokens" if len(found) > 1 else ""
        usage = worst.after.usage
        read = (usage.cache_read_input_tokens if usage is not None else None) or 0
        yield check.finding(
            f"only {read:,} tokens were read from the cache, and {worst.tokens:,} computed anew that the request on "
            f"line {worst.before.line} had held{more}",
            line=worst.after.line,
            confidence="medium" if worst.gap is not None else "low",
        )


RULE = Rule(
    code="HR816",
    name="unexplained-drop",
    summary="Reads from the cache collapsed, and nothing in the log tells why.",
    refs={"*": ("K16",)},
    check_session=check_session,
    off=True,
)
