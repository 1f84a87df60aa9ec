"""# HR111 server-result-orphan

The result of a tool that the provider runs has no call before it.

## Why it is refused

Blocks such as `web_search_tool_result`, `advisor_tool_result` or `mcp_tool_result` name the call that they answer; it
must stand before them. Typical causes: a history put together from a branch that lacks the call, and windows that know
only `tool_use`.

"Before" is anywhere before, not the message before: the result of a server tool that was called together with tools of
the client comes at the start of the next assistant message. A history that begins in the middle is warned about only.

## Example

```json
{"messages": [
  {"role": "user", "content": "q"},
  {"role": "assistant", "content": [
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_x", "content": []},
    {"type": "text", "text": "ok"}]},
  {"role": "user", "content": "go"}]}
```

## What to do

Drop the result (`--fix` does).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule

_FIX = Fix("drop", "drop the result")


def check(check: Check) -> Iterator[Finding]:
    """Server results whose id no call before them has."""
    history = check.history
    if history.dialect != "anthropic" or not history.of_kind("server_result"):
        return
    seen: set[str | None] = set()
    for block in history.blocks:
        if block.kind == "server_call" and block.id is not None:
            seen.add(block.id)
        elif block.kind == "server_result" and block.id not in seen:
            yield check.finding(
                f"the {block.type} {block.id or 'without an id'} answers no call before it",
                block,
                severity="error" if history.complete else "warning",
                call_ids=(block.id,) if block.id else (),
                api_error=f"{block.place}: unexpected `tool_use_id` found in `{block.type}` "
                f"blocks: {block.id}. Each `{block.type}` block must have a corresponding `server_tool_use` block "
                "before it.",
                fix=_FIX,
            )


RULE = Rule(
    code="HR111",
    name="server-result-orphan",
    summary="The result of a provider's own tool without a call before it.",
    refs={"anthropic": ("A14",)},
    check=check,
)
