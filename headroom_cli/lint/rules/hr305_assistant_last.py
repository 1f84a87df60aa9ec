"""# HR305 assistant-last

The request ends with a message of the assistant.

## Why it is refused

Claude 4.6 and later, on every platform, do not continue an answer that the request begins for them ("prefill"); models
up to 4.5 do. Mistral wants `prefix: true` on such a message. OpenAI and Gemini just answer again.

Only requests are judged: a log ends with the assistant as a rule, and the next request adds the user's turn. An answer
that stopped with `pause_turn` is sent back as it is, with its server tool still to run: that is right. A call that
waits for its result is HR101's matter.

## Example

```json
{"model": "claude-opus-4-8", "max_tokens": 100, "messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": "{"}]}
```

## What to do

End with a user's message ("Continue"); to force a form, use structured output. On Mistral, set `prefix`.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.history import Entry
from headroom_cli.lint.models import traits

_CONTINUE = Fix("synthesize", 'end with a user\'s message, "Continue"', safe=False)
_PREFIX = Fix("set", 'end with a user\'s message, or set "prefix": true', safe=False)
_CLAUDE = "This model does not support assistant message prefill. The conversation must end with a user message."
_MISTRAL = (
    "Expected last role User or Tool (or Assistant with prefix or continue_final_message set to True) for serving but "
    "got assistant"
)


def check(check: Check) -> Iterator[Finding]:
    """The last entry of a request."""
    history = check.history
    if history.judged_as != "request" or not history.entries or history.dialect == "openai-responses":
        return
    last = history.entries[-1]
    if last.role != "assistant" or last.of_kind("call"):
        return
    if history.dialect == "openai" and check.profile.name in ("mistral", "strict"):
        if len(history.entries) > 1 and not _is_prefix(last):
            yield check.finding("the request ends with the assistant", last, api_error=_MISTRAL, fix=_PREFIX)
        return
    if check.profile.name == "mistral" or _paused(last):
        return
    model = traits(history.model)
    if model.prefill or (check.profile.name == "bedrock" and history.model and model.vendor != "claude"):
        return
    known = model.prefill is False
    yield check.finding(
        "the request ends with the assistant" + ("" if known else "; Claude 4.6 and later may not continue it"),
        last,
        severity="error" if known else "warning",
        confidence="high" if known else "low",
        api_error=_CLAUDE,
        fix=_CONTINUE,
    )


def _is_prefix(entry: Entry) -> bool:
    return isinstance(entry.raw, dict) and entry.raw.get("prefix") is True


def _paused(entry: Entry) -> bool:
    """Whether a call of a server tool waits to be run."""
    done = {block.id for block in entry.of_kind("server_result")}
    raws = {block.raw.get("tool_use_id") for block in entry.of_kind("server_result") if isinstance(block.raw, dict)}
    return any(call.id not in done and call.id not in raws for call in entry.of_kind("server_call"))


RULE = Rule(
    code="HR305",
    name="assistant-last",
    summary="The request ends with a message of the assistant.",
    refs={"anthropic": ("A25",), "bedrock": ("A25",), "mistral": ("M04",), "strict": ()},
    check=check,
)
