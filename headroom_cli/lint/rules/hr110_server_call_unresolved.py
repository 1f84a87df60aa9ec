"""# HR110 server-call-unresolved

A call of a tool that the provider runs (`server_tool_use`, `mcp_tool_use`) has no result, and the turn is closed.

## Why it is refused

The provider wrote the call and its result; where the history goes on and the result is missing, it was lost. Typical
causes: an interrupt in mid-stream, a store that keeps only the block types that it knows, a text added to results while
the provider still waits for them.

Three states without a result are healthy: the last turn (the provider paused, and goes on when it is sent back); a turn
that calls a server tool *and* tools of the client, followed by nothing but results (the result of the server tool
comes at the start of the next assistant message); code execution that waits for tools that it calls itself, for any
number of rounds. In the last two, anything beside the results, even a text, is fatal.

A call inside code execution names it as its `caller`. Where calls of the turn have lost that, the code execution can
never be resolved (catalogue A17).

## Example

```json
{"messages": [
  {"role": "user", "content": "q"},
  {"role": "assistant", "content": [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}]},
  {"role": "user", "content": "and?"}]}
```

## What to do

Drop the call (`--fix` does), or take away what stands beside the results where the provider still waits for them.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Related, Rule
from headroom_cli.lint.history import Block, Turn

_CODE = frozenset({"code_execution", "bash_code_execution", "text_editor_code_execution"})
_DROP = Fix("drop", "drop the call")


def check(check: Check) -> Iterator[Finding]:
    """Server calls without a result in turns that are closed."""
    history = check.history
    calls = history.of_kind("server_call")
    if not calls or history.dialect != "anthropic":
        return
    resolved = {block.id for block in history.of_kind("server_result")}
    # Some hosts write a plain result beside the call; HR304 speaks of it.
    resolved |= {block.id for block in history.of_kind("result") if block.entry.side == "assistant"}
    if all(call.id in resolved for call in calls):
        return
    turns = [turn for turn in check.turns if turn.side != "system"]
    waits = _waiting(turns)
    for index, turn in enumerate(turns):
        open_calls = [block for block in turn.blocks if block.kind == "server_call" and block.id not in resolved]
        if not open_calls or index == len(turns) - 1:
            continue
        own = [block for block in turn.blocks if block.kind == "call"]
        for call in open_calls:
            if own and waits[index + 1]:
                continue
            yield _finding(check, call, own, turns[index + 1])


def _waiting(turns: list[Turn]) -> list[bool]:
    """For each turn: whether from there on everything is results, and calls that code execution makes."""
    waits = [True] * (len(turns) + 1)
    for index in range(len(turns) - 1, -1, -1):
        turn = turns[index]
        if turn.side == "user":
            still = all(block.kind == "result" for block in turn.blocks)
        else:
            still = any(block.kind == "call" and _has_caller(block) for block in turn.blocks)
        waits[index] = waits[index + 1] and still
    return waits


def _has_caller(call: Block) -> bool:
    caller = call.raw.get("caller") if isinstance(call.raw, dict) else None
    kind = caller.get("type") if isinstance(caller, dict) else None
    return isinstance(kind, str) and kind != "direct"


def _finding(check: Check, call: Block, own: list[Block], after: Turn) -> Finding:
    refs: tuple[str, ...] = ("A16",) if call.type == "mcp_tool_use" else ("A13",)
    if call.name in _CODE and any(not _has_caller(block) for block in own):
        refs += ("A17",)
    extra = next((block for block in after.blocks if block.kind != "result"), None)
    has_results = any(block.kind == "result" for block in after.blocks)
    fix = _DROP
    if own and has_results and extra is not None:
        fix = Fix("drop", "take away what stands beside the results, or drop the call", safe=False)
    result = "mcp_tool_result" if call.type == "mcp_tool_use" else f"{call.name}_tool_result"
    return check.finding(
        f"{call.name or 'a server tool'} ({call.id or 'no id'}) was called and has no result",
        call,
        refs=refs,
        call_ids=(call.id,) if call.id else (),
        related=[Related(extra, "closes the turn")] if extra is not None else [],
        api_error=f"messages.{call.entry.index}: `{call.name}` tool use with id `{call.id}` was found without a "
        f"corresponding `{result}` block",
        fix=fix,
    )


RULE = Rule(
    code="HR110",
    name="server-call-unresolved",
    summary="A call of a provider's own tool without a result, in a turn that is closed.",
    refs={"anthropic": ("A13", "A16", "A17")},
    check=check,
)
