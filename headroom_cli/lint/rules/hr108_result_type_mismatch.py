"""# HR108 result-type-mismatch

An output item is of another kind than its call.

## Why it is refused

The Responses API pairs by `call_id` *and* kind: a `custom_tool_call` is answered by a `custom_tool_call_output`, a
`function_call` by a `function_call_output`, and so on. The error is that of a missing output. Typical causes: a tool
that became a custom tool in mid-session, and converters that know one kind of output only.

A `local_shell_call` is also answered by a `function_call_output` (Codex does).

## Example

```json
{"input": [
  {"type": "custom_tool_call", "call_id": "call_1", "name": "apply_patch", "input": "*** Begin Patch"},
  {"type": "function_call_output", "call_id": "call_1", "output": "ok"}]}
```

## What to do

Write the kind that fits the call (`--fix` does where the output is text).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Related, Rule
from headroom_cli.lint.shapes.responses import CALLS

_ALSO = {"local_shell_call": "function_call_output"}


def check(check: Check) -> Iterator[Finding]:
    """Pairs whose kinds do not fit."""
    if check.history.dialect != "openai-responses":
        return
    pairs = [*check.matching.answered, *((pair.call, pair.result) for pair in check.matching.displaced)]
    for call, result in pairs:
        fits = CALLS.get(call.type)
        if fits is None or result.type in (fits, _ALSO.get(call.type)):
            continue
        kind = call.type.replace("_", " ")
        yield check.finding(
            f"{call.type} {call.id or ''} is answered by a {result.type}, not by a {fits}",
            result,
            at=("type",),
            call_ids=(call.id,) if call.id else (),
            related=[Related(call, "its call")],
            api_error=f"No tool output found for {kind} {call.id}.",
            fix=Fix("set", f"write {fits} as the type of the output", safe=isinstance(result.value, str)),
        )


RULE = Rule(
    code="HR108",
    name="result-type-mismatch",
    summary="An output item of another kind than its call.",
    refs={"openai-responses": ("R03",), "strict": ()},
    check=check,
)
