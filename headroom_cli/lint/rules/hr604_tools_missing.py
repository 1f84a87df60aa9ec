"""# HR604 tools-missing

The history holds calls and results, and the request declares no tools.

## Why it is refused

Bedrock demands a `toolConfig` as soon as the history holds `toolUse` or `toolResult` blocks. Anthropic itself takes
such a request today, but its routes over Bedrock do not, and gateways add a dummy tool: there it is a warning. It
happens in side requests that reuse a history: titles, summaries, final answers.

Only requests are judged; logs and bare messages do not tell what was declared. A body that holds nothing but messages
may have been stored without its tools, and gives a warning.

## Example

```json
{"modelId": "us.anthropic.claude-sonnet-4-5", "messages": [
  {"role": "user", "content": [{"text": "x"}]},
  {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}]},
  {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "1"}]}}]}]}
```

## What to do

Declare the same tools as before (this also keeps the cache), or turn calls and results into text (`--fix` does).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule

_MESSAGES = ("messages", "system")
_FIX = Fix("neutralize", "turn calls and results into text in the same place", safe=False)


def check(check: Check) -> Iterator[Finding]:
    """The first call or result of a request without tools."""
    history = check.history
    if history.judged_as != "request" or history.tools or not isinstance(history.anchor, dict):
        return
    first = next(iter(history.of_kind("call") or history.of_kind("result")), None)
    if first is None:
        return
    bedrock = check.profile.name == "bedrock"
    yield check.finding(
        "the history holds calls of tools, but the request declares none"
        + ("" if bedrock else "; Bedrock refuses that, and some gateways"),
        first,
        severity="error" if bedrock and any(key not in _MESSAGES for key in history.body) else "warning",
        line=history.line,
        api_error="The toolConfig field must be defined when using toolUse and toolResult content blocks.",
        fix=_FIX,
    )


RULE = Rule(
    code="HR604",
    name="tools-missing",
    summary="Calls in the history of a request that declares no tools.",
    refs={"anthropic": ("A46",), "bedrock": ("B03",)},
    check=check,
)
