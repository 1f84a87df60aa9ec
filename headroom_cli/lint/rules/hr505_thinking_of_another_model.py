"""# HR505 thinking-of-another-model

Thinking of one Claude model was sent to another.

## Why it is refused, or not

A model reads only its own thinking and that of some others. What it cannot read is dropped without an error by today's
documentation; in July 2026 requests were refused for an invalid signature after a switch between Opus, Sonnet and
Fable. Sources contradict each other, so this is a warning: at best the reasoning is lost.

Healthy look-alikes: side requests by a small model, fallbacks in answers that the client made up, thinking that had
left the context before the switch. It takes a log that tells the model of each response.

## Example

```json
{"model": "claude-opus-4-8", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}], "response": {
  "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-4-8", "content": [
  {"type": "thinking", "thinking": "hm", "signature": "EqQBCkYIBRgC"}, {"type": "text", "text": "y"}]}}
{"model": "claude-fable-5-1", "max_tokens": 9, "messages": [{"role": "user", "content": "x"},
  {"role": "assistant", "content": [
    {"type": "thinking", "thinking": "hm", "signature": "EqQBCkYIBRgC"}, {"type": "text", "text": "y"}]},
  {"role": "user", "content": "z"}]}
```

## What to do

Nothing, if the loss of reasoning does not matter; else stay with one model, or switch at a compaction.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Finding, Rule, SessionCheck
from headroom_cli.lint.models import Traits, traits
from headroom_cli.model import Conversation, Thinking


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """Switches between two Claude models over which thinking stood in the context, one finding a pair of models."""
    conversation = check.session.conversation
    if len({request.model for request in conversation.requests}) < 2:
        return
    next_other = _switches(conversation)
    blocks: dict[tuple[str, str], int] = {}
    lines: dict[tuple[str, str], int] = {}
    for message in conversation.messages:
        maker = message.request
        if maker is None or not 0 <= maker < len(next_other) or next_other[maker] is None:
            continue
        switch = next_other[maker]
        model = conversation.requests[maker].model
        for part in message.parts:
            if not isinstance(part, Thinking) or switch is None or model is None:
                continue
            if any(i.enters <= switch and (i.leaves is None or i.leaves > switch) for i in part.context):
                pair = (model, conversation.requests[switch].model or "")
                blocks[pair] = blocks.get(pair, 0) + 1
                lines.setdefault(pair, conversation.requests[switch].line)
    for (old, new), count in blocks.items():
        noun = "thinking block" if count == 1 else "thinking blocks"
        yield check.finding(
            f"{count} {noun} of {old} went to {new}, which may not be able to read {'it' if count == 1 else 'them'}",
            severity="warning",
            line=lines[old, new],
            confidence="low",
            api_error="Invalid `signature` in `thinking` block",
        )


def _switches(conversation: Conversation) -> list[int | None]:
    """For each request, the next one of another Claude model; None where there is none, or its own is unknown."""
    found: list[int | None] = [None] * len(conversation.requests)
    known: Traits | None = None
    at: int | None = None
    switch: int | None = None
    for index in range(len(found) - 1, -1, -1):
        own = traits(conversation.requests[index].model)
        if own.vendor != "claude" or own.version is None:
            continue
        if known is not None and own != known:
            switch = at
        known, at = own, index
        found[index] = switch
    return found


RULE = Rule(
    code="HR505",
    name="thinking-of-another-model",
    summary="Thinking of one Claude model that went to another.",
    refs={"anthropic": ("A30",)},
    check_session=check_session,
)
