"""# HR204 tool-name-invalid

The name of a tool has characters that the provider does not take, is too long, or is empty.

## Why it is refused

Names are letters, digits, `_` and `-`: up to 64 with OpenAI, Mistral and Bedrock, up to 128 with Anthropic. OpenAI,
Mistral and Bedrock check the names of calls in the history too; Anthropic checks declared tools, and that a call's name
is not empty.

Names of MCP tools (`mcp__server__tool`) are often longer than 64: fine with Anthropic, where they are told as info,
fatal after conversion.

## Example

```json
{"tools": [{"type": "function", "function": {"name": "get.weather", "parameters": {"type": "object"}}}],
 "messages": [{"role": "user", "content": "x"}]}
```

## What to do

Rename the tool where it is declared and wherever it is called. This is never done by `--fix`: the host finds the tool
by its name.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Related, Rule, Severity
from headroom_cli.lint.history import Block, Pointer
from headroom_cli.lint.shapes import tool_name_path

_NAMED = frozenset({"tool_use", "toolUse", "function", "custom", "function_call", "custom_tool_call"})
_ELSEWHERE = 64
_ERRORS = {
    "anthropic": "{where}: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'",
    "bedrock": "{where}: failed to satisfy constraint: Member must satisfy regular expression pattern: "
    "[a-zA-Z0-9_-]+ and have length less than or equal to 64",
    "mistral": "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum "
    "length of 64.",
}
_TOO_LONG = (
    "Invalid '{where}': string too long. Expected a string with maximum length {limit}, but got a string with length "
    "{length} instead."
)
_NO_MATCH = (
    "Invalid '{where}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
)


def check(check: Check) -> Iterator[Finding]:
    """Names that were declared, and names that were called; each once."""
    declared = check.declared
    told: set[str] = set()
    for name, at in declared.names if declared is not None else []:
        fault = _fault(check, name)
        if fault is None or name in told or not at:
            continue
        told.add(name)
        message, severity = fault
        yield check.finding(
            message,
            at=at,
            line=check.history.line,
            severity=severity,
            api_error=_api_error(check, name, _dotted(at)) if severity == "error" else None,
        )
    calls: dict[str, list[Block]] = {}
    for call in check.history.of_kind("call"):
        if call.type in _NAMED and call.name not in told:
            calls.setdefault(call.name, []).append(call)
    for name, blocks in calls.items():
        fault = _fault(check, name)
        if fault is None or (name and fault[1] == "error" and not check.profile.checks_called_names):
            continue
        yield _of_calls(check, name, blocks, *fault)


def _of_calls(check: Check, name: str, blocks: list[Block], message: str, severity: Severity) -> Finding:
    call = blocks[0]
    at = tool_name_path(call)
    where = _dotted(("messages", call.entry.index, *call.path, *at))
    error = _api_error(check, name, where)
    if not name and check.history.dialect == "anthropic":
        error = f"{call.place}.tool_use.name: String should have at least 1 character"
    return check.finding(
        message,
        call,
        at=at if name else (),
        severity=severity,
        call_ids=(call.id,) if call.id else (),
        related=[Related(other, "the same name") for other in blocks[1:5]],
        api_error=error if severity == "error" else None,
    )


def _fault(check: Check, name: str) -> tuple[str, Severity] | None:
    pattern, limit = check.profile.tool_name, check.profile.tool_name_length
    if pattern is None or limit is None:
        return None
    if not name:
        return "a tool has no name", "error"
    if not pattern.fullmatch(name):
        return f"the name {name[:80]!r} has characters other than letters, digits, _ and -", "error"
    if len(name) > limit:
        return f"the name {name[:80]}… has {len(name)} characters, and {limit} are allowed", "error"
    if len(name) > _ELSEWHERE:
        return f"the name {name} has {len(name)} characters: too long for providers other than this one", "info"
    return None


def _api_error(check: Check, name: str, where: str) -> str:
    limit = check.profile.tool_name_length or 0
    text = _ERRORS.get(check.profile.name, _TOO_LONG if len(name) > limit else _NO_MATCH)
    return text.format(where=where, name=name[:80], limit=limit, length=len(name))


def _dotted(path: Pointer) -> str:
    found = ""
    for token in path:
        found += f"[{token}]" if isinstance(token, int) else f".{token}" if found else token
    return found


RULE = Rule(
    code="HR204",
    name="tool-name-invalid",
    summary="A name of a tool that the provider does not take.",
    refs={"anthropic": ("A11",), "bedrock": ("A11",), "openai": ("O08",), "mistral": ("M07",), "strict": ()},
    check=check,
)
