"""# HR203 call-id-too-long

The id of a call is longer than the provider takes.

## Why it is refused

OpenAI's chat API takes 40 characters (and so do Azure and xAI), the Responses API and Bedrock 64. Typical causes:
composite ids (`call_…|fc_…`) of a history carried over from the Responses API, signatures hidden in ids, and the
tool's output put where the id belongs.

Anthropic has no such limit.

## Example

```json
{"messages": [
  {"role": "user", "content": "x"},
  {"role": "assistant", "content": null, "tool_calls": [
    {"id": "call_0123456789012345678901234567890123456789", "type": "function",
     "function": {"name": "f", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "call_0123456789012345678901234567890123456789", "content": "r"}]}
```

## What to do

Rename the call and its result together, to an id made from the old one (`--fix` does).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Related, Rule
from headroom_cli.lint.history import Block
from headroom_cli.lint.shapes import call_id_path

_FIX = Fix("rename", "give the call and its result a shorter id")
_ERROR = (
    "Invalid '{where}': string too long. Expected a string with maximum length {limit}, but got a string with length "
    "{length} instead."
)


def check(check: Check) -> Iterator[Finding]:
    """Each id that is too long, once: of calls, and of results that answer none."""
    limit = check.profile.call_id_length
    if limit is None:
        return
    long: dict[str, list[Block]] = {}
    for kind in ("call", "result"):
        for block in check.history.of_kind(kind):
            if block.id is not None and len(block.id) > limit:
                long.setdefault(block.id, []).append(block)
    for call_id, blocks in long.items():
        block = blocks[0]
        at = call_id_path(block)
        yield check.finding(
            f"the id {call_id[:40]}… has {len(call_id)} characters, and {limit} are allowed",
            block,
            at=at,
            call_ids=(call_id,),
            related=[Related(other, "the same id") for other in blocks[1:10]],
            api_error=_ERROR.format(where=_where(check, block, at), limit=limit, length=len(call_id)),
            fix=_FIX,
        )


def _where(check: Check, block: Block, at: tuple[str | int, ...]) -> str:
    root = "input" if check.history.dialect == "openai-responses" else "messages"
    found = f"{root}[{block.entry.index}]"
    for token in (*block.path, *at):
        found += f"[{token}]" if isinstance(token, int) else f".{token}"
    return found


RULE = Rule(
    code="HR203",
    name="call-id-too-long",
    summary="An id of a call that is longer than the provider takes.",
    refs={"bedrock": (), "openai": ("O07",), "openai-responses": ("R10",), "strict": ()},
    check=check,
)
