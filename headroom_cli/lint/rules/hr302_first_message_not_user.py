"""# HR302 first-message-not-user

The history begins with the assistant.

## Why it is refused

Bedrock wants a user's message first, and so do chat templates; Gemini up to 2.5 refuses a call of a function as the
first content. Claude models have refused such histories, on both platforms, and answer them now: there, and for newer
Gemini models, it is a warning. An *empty* assistant message may come first with Anthropic.

Typical causes: a window or a compaction cut the user's message off, few-shot examples, a greeting that the client
invented. A system message before the first is passed over; HR303 speaks of it where it is not allowed. What `claude -p`
prints begins with the answer, for the prompt was its input: nothing is said of it.

## Example

```json
{"model": "claude-haiku-4-5", "max_tokens": 100, "messages": [
  {"role": "assistant", "content": "hello"},
  {"role": "user", "content": "hi"}]}
```

## What to do

Put a user's message before it, or begin with the first one that there is. Dropping a call orphans its result: lint
again.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.history import Entry
from headroom_cli.lint.models import Traits, traits

_FIX = Fix("synthesize", "put a short message of the user before it", safe=False)
_ERRORS = {
    "anthropic": 'messages: first message must use the "user" role',
    "bedrock": "A conversation must start with a user message. Try again with a conversation that starts with a user "
    "message.",
    "gemini": "Please ensure that function call turn comes immediately after a user turn or after a function response "
    "turn.",
    "strict": "Conversation roles must alternate user/assistant/user/assistant/...",
}


def check(check: Check) -> Iterator[Finding]:
    """The first entry that is no system message, if it is the assistant's and says anything."""
    history, name = check.history, check.profile.name
    first = next((entry for entry in history.entries if entry.side != "system"), None)
    unasked = history.dialect == "openai-responses" or history.log_format == "claude-stream-json"
    if first is None or first.side != "assistant" or unasked:
        return
    says = _is_call(first) if name == "gemini" else _says_anything(first)
    if not says:
        return
    refuses = _refuses(name, traits(history.model))
    certain = refuses and history.complete
    yield check.finding(
        "the first message is the assistant's"
        + ("" if certain else "; what came before is not here" if refuses else ", which may be refused"),
        first,
        severity="error" if certain else "info" if history.is_branch and not history.complete else "warning",
        confidence="high" if certain else "medium",
        api_error=_ERRORS[name],
        fix=_FIX,
    )


def _refuses(name: str, model: Traits) -> bool:
    if name == "gemini":
        return model.version is None or model.version < (3, 0)
    return name == "strict" or (name == "bedrock" and model.vendor not in ("claude", "other"))


def _is_call(entry: Entry) -> bool:
    return any(block.kind == "call" for block in entry.blocks)


def _says_anything(entry: Entry) -> bool:
    return any(block.kind != "text" or bool(block.value) for block in entry.blocks)


RULE = Rule(
    code="HR302",
    name="first-message-not-user",
    summary="The history begins with the assistant.",
    refs={"anthropic": ("A19",), "bedrock": ("B05",), "gemini": ("G02",), "strict": ()},
    check=check,
)
