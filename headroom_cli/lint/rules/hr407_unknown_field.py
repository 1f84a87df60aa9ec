"""# HR407 unknown-field

A request has a member that this API does not know.

## Why it is refused

Anthropic refuses anything extra in a message or block; OpenAI refuses unknown parameters. Typical causes: a stored
message that is sent back with what the client noted beside it (`timestamp`, `uuid`), fields of another API
(`reasoning_content`, `tool_calls`), options of a library that were not taken out (`modify_params`).

What an API takes grows each month, so only members that are known not to belong are found, and only in requests. Many
hosts with OpenAI's API take more than it: of models of another vendor nothing is said.

## Example

```json
{"model": "claude-opus-4-8", "max_tokens": 100, "messages": [{"role": "user", "content": "x", "timestamp": 1}]}
```

## What to do

Drop the member (`--fix` does).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.history import Block, Entry, Pointer
from headroom_cli.lint.models import traits

_FIX = Fix("drop", "drop the member")
_OWN = frozenset({"uuid", "parentUuid", "sessionId", "session_id", "isSidechain", "timestamp", "created_at"})
_MESSAGE = _OWN | {
    "reasoning_content",
    "reasoning",
    "reasoning_details",
    "tool_calls",
    "tool_call_id",
    "function_call",
    "refusal",
    "annotations",
    "additional_kwargs",
    "response_metadata",
    "usage_metadata",
    "usage",
    "stop_reason",
    "stop_sequence",
    "name",
    "metadata",
    "provider_specific_fields",
}
_BLOCK = _OWN | {
    "parsed_output",
    "partial_json",
    "reasoning_content",
    "thoughtSignature",
    "thought_signature",
    "extra_content",
    "providerOptions",
    "provider_specific_fields",
}
_INTERNAL = frozenset({"modify_params", "drop_params", "extra_body", "extra_headers", "litellm_params", "api_key"})
_ANTHROPIC = _INTERNAL | {
    "max_completion_tokens",
    "max_output_tokens",
    "frequency_penalty",
    "presence_penalty",
    "response_format",
    "parallel_tool_calls",
    "reasoning_effort",
    "logit_bias",
    "instructions",
    "stop",
    "seed",
}
_CHAT = _INTERNAL | {
    "reasoning",
    "text",
    "instructions",
    "input",
    "include",
    "truncation",
    "max_output_tokens",
    "previous_response_id",
    "stop_sequences",
    "anthropic_version",
    "system",
}


def check(check: Check) -> Iterator[Finding]:
    """Members of the request, its messages and blocks that do not belong there."""
    history, name = check.history, check.profile.name
    if history.judged_as != "request":
        return
    if name == "anthropic" and check.native:
        yield from _anthropic(check)
    elif name in ("openai", "strict") and history.dialect == "openai":
        vendor = traits(history.model).vendor
        if history.model is not None and (vendor not in ("openai", "other") or "/" in history.model):
            return  # a router's name, or another vendor's model: not OpenAI's own host
        certain = history.model is None or vendor == "openai"
        for key in sorted(history.body.keys() & _CHAT, key=str):
            yield check.finding(
                f"the request has a parameter {key}",
                at=(key,),
                severity="error" if certain else "warning",
                confidence="high" if certain else "low",
                refs=("O18",),
                api_error=f"Unknown parameter: '{key}'.",
                fix=_FIX,
            )


def _anthropic(check: Check) -> Iterator[Finding]:
    for key in sorted(check.history.body.keys() & _ANTHROPIC, key=str):
        yield _finding(check, None, key, (key,), str(key))
    for entry in check.history.entries:
        if isinstance(entry.raw, dict) and not _MESSAGE.isdisjoint(entry.raw):
            for key in sorted(entry.raw.keys() & _MESSAGE, key=str):
                yield _finding(check, entry, key, (key,), f"messages.{entry.index}.{key}")
    for block in check.history.blocks:
        if isinstance(block.raw, dict) and not _BLOCK.isdisjoint(block.raw):
            for key in sorted(block.raw.keys() & _BLOCK, key=str):
                yield _finding(check, block, key, (key,), f"{block.place}.{key}")


def _finding(check: Check, target: Entry | Block | None, key: Any, at: Pointer, where: str) -> Finding:
    what = "a block" if isinstance(target, Block) else "a message" if target is not None else "the request"
    return check.finding(
        f"{what} has a member {key}",
        target,
        at=at,
        refs=("A43",),
        api_error=f"{where}: Extra inputs are not permitted",
        fix=_FIX,
    )


RULE = Rule(
    code="HR407",
    name="unknown-field",
    summary="A member that this API does not know.",
    refs={"anthropic": ("A43",), "openai": ("O18",), "strict": ()},
    check=check,
)
