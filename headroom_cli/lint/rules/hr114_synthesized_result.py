"""# HR114 synthesized-result

A result was made up by a client because there was none.

## Why it matters

It is no error, and the provider cannot tell it from a real one; neither can the model, which goes on as if the tool had
said so. Claude Code, Codex, opencode, LangChain, LiteLLM and others close open calls with a fixed text before sending:
`[Tool result missing due to internal error]`, `aborted`, `Tool execution aborted`, and the like.

Refusals by the user and errors of a tool are real results. So is `(no output)`, which many tools print.

## Example

```json
{"messages": [
  {"role": "user", "content": "ls"},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "bash", "input": {"command": "ls"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": true,
     "content": "[Tool result missing due to internal error]"}]}]}
```

## What to do

Nothing; if the tool did run, the model does not know.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Rule
from headroom_cli.lint.placeholders import is_placeholder


def check(check: Check) -> Iterator[Finding]:
    """Results that are a known placeholder."""
    for result in check.history.of_kind("result"):
        if is_placeholder(result):
            yield check.finding(
                f"the result {result.id or result.name or 'without an id'} was made up by a client",
                result,
                severity="info",
                call_ids=(result.id,) if result.id else (),
            )


RULE = Rule(
    code="HR114",
    name="synthesized-result",
    summary="A result that a client made up because there was none.",
    refs={"*": ("L07",)},
    check=check,
    pairing=True,
)
