"""# HR304 block-in-wrong-role

A call or thinking stands in a message of the user, or a result in one of the assistant.

## Why it is refused

Anthropic and Bedrock take `tool_use`, `server_tool_use` and thinking only from the assistant, `tool_result` only from
the user. Typical cause: a converter that kept a whole turn in one message.

Results of server tools (`web_search_tool_result`, `mcp_tool_result`, …) belong to the assistant, next to their calls.
Hosts of other models may write theirs as a plain `tool_result` there (GLM's `webReader`): a warning in their sessions.

## Example

```json
{"messages": [{"role": "user", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]}]}
```

## What to do

Split the message by role, in its order.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.history import Block, BlockKind
from headroom_cli.lint.models import traits

_FIX = Fix("reorder", "split the message by role", safe=False)
_CALLS: tuple[BlockKind, ...] = ("call", "server_call", "thinking")


def check(check: Check) -> Iterator[Finding]:
    """Blocks on the wrong side of Anthropic's and Bedrock's messages."""
    history = check.history
    if history.dialect not in ("anthropic", "bedrock"):
        return
    for kind in _CALLS:
        for block in history.of_kind(kind):
            if block.entry.side == "user" and block.entry.role:
                yield _finding(check, block, "assistant")
    served = {block.id for block in history.of_kind("server_call")}
    by_host = history.model is not None and traits(history.model).vendor != "claude"
    for block in history.of_kind("result"):
        if block.entry.side == "assistant":
            yield _finding(check, block, "user", certain=not (by_host and block.id in served))


def _finding(check: Check, block: Block, belongs: str, *, certain: bool = True) -> Finding:
    return check.finding(
        f"a {block.type} block in a message of the {block.entry.role}",
        block,
        severity="error" if certain else "warning",
        api_error=f"messages.{block.entry.index}: `{block.type}` blocks can only be in `{belongs}` messages",
        call_ids=(block.id,) if block.id else (),
        fix=_FIX,
    )


RULE = Rule(
    code="HR304",
    name="block-in-wrong-role",
    summary="A call in a message of the user, or a result in one of the assistant.",
    refs={"anthropic": ("A08",), "bedrock": ("A08",), "strict": ("D05",)},
    check=check,
)
