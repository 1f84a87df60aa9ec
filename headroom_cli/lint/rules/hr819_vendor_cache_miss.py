"""# HR819 vendor-cache-miss

The provider itself says why its cache was not read.

## Why it matters

Anthropic compares a request with the one before and names what changed: `model_changed`, `system_changed`,
`tools_changed` or `messages_changed`, with the tokens that were missed. Claude Code writes it into its transcripts,
which hold neither tools nor the system prompt: there it is the only way to know. Names that are not known are told as
they stand.

Not told: `none`, `unavailable` and `previous_message_not_found`, which say that there is nothing to say.

## Example

```json
{"type": "user", "uuid": "u1", "parentUuid": null, "sessionId": "s", "timestamp": "2026-11-01T10:00:00Z",
 "message": {"role": "user", "content": "hi"}}
{"type": "assistant", "uuid": "a1", "parentUuid": "u1", "sessionId": "s", "timestamp": "2026-11-01T10:00:05Z",
 "message": {"id": "msg_0000000001", "type": "message", "role": "assistant", "model": "claude-opus-4-8",
  "content": [{"type": "text", "text": "hello"}],
  "usage": {"input_tokens": 4, "cache_creation_input_tokens": 79954, "output_tokens": 9},
  "diagnostics": {"cache_miss_reason": {"type": "system_changed", "cache_missed_input_tokens": 79954}}}}
```

## What to do

See HR801 (tools), HR804 and HR805 (system), HR806 (model), HR807 (messages).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.caching import SILENT
from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.model import Request


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """One finding for each reason: the dearest request, and the sum."""
    reasons: dict[str, list[tuple[int, Request]]] = {}
    for request in check.session.conversation.requests:
        if request.cache_miss is not None and request.cache_miss[0] not in SILENT and not request.copied:
            kind, tokens = request.cache_miss
            reasons.setdefault(kind, []).append((tokens or 0, request))
    for kind, misses in reasons.items():
        tokens, worst = max(misses, key=lambda miss: miss[0])
        more = f"; so in {len(misses)} requests, {sum(t for t, _ in misses):,} tokens" if len(misses) > 1 else ""
        yield check.finding(
            f"the provider missed its cache for {kind[:64]}: {tokens:,} tokens were computed anew{more}",
            line=worst.line,
        )


RULE = Rule(
    code="HR819",
    name="vendor-cache-miss",
    summary="The provider itself says why its cache was not read.",
    refs={"anthropic": ("K19",), "bedrock": ("K19",)},
    check_session=check_session,
    off=True,
)
