"""# HR509 item-without-reasoning

An item of a reasoning model is sent back without the reasoning that it followed.

## Why it is refused

OpenAI remembers by its `id` (`fc_…`, `msg_…`) that an item belongs to a reasoning item, and demands both. Filters that
drop reasoning, compaction and hand-written histories keep one without the other.

Where the log has the response, this is an error. Else it may be one: an item with the id of a server, in a request
without any reasoning, of a model that reasons or is not named. Healthy look-alikes: items without `id`; models that do
not reason (GPT-4o, GPT-4.1); requests that continue a stored response. Codex sends items without ids.

## Example

```json
{"model": "gpt-5.2", "input": [
  {"type": "message", "role": "user", "content": "x"},
  {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"},
  {"type": "function_call_output", "call_id": "c", "output": "r"}]}
```

## What to do

Drop the `id` of the item, its content stays (`--fix` does); or send the reasoning back as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Fix, Rule, SessionCheck
from headroom_cli.lint.history import Entry
from headroom_cli.lint.models import traits
from headroom_cli.lint.steps import steps

_FIX = Fix("drop", "drop the id of the item, which keeps its content")
_PREFIXES = {"function_call": "fc_", "custom_tool_call": "ctc_", "web_search_call": "ws_"}
_FOLLOWERS = frozenset({*_PREFIXES, "message"})


def check(check: Check) -> Iterator[Finding]:
    """The first call with an id of the server's in a request that holds no reasoning at all."""
    history = check.history
    if (
        history.judged_as != "request"
        or history.dialect != "openai-responses"
        or history.of_kind("thinking")
        or not history.complete
        or any(history.body.get(key) for key in ("conversation", "previous_response_id"))
        or _never_reasons(history.model)
    ):
        return
    found = [entry for entry in history.entries if _server_id(entry.raw) is not None]
    if found:
        yield _finding(check, found[0], None, len(found))


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """Items of a recorded response that come back without the reasoning that stood before them."""
    for step in steps(check.session):
        owner = _owners(step.before.output)
        if not owner or step.history is None or step.history.dialect != "openai-responses":
            continue
        entries = step.history.entries[: step.after.length]
        there = {_text(entry.raw, "id") for entry in entries if _type(entry.raw) in ("reasoning", "item_reference")}
        for entry in entries[step.kept :]:
            item_id = _text(entry.raw, "id")
            reasoning = owner.get(item_id) if item_id is not None else None
            if reasoning is not None and reasoning not in there:
                yield _finding(check, entry, reasoning, 1, step.after.line, step.history)


def _finding(
    check: Check | SessionCheck, entry: Entry, reasoning: str | None, count: int, line: int = 0, history: Any = None
) -> Finding:
    kind, item_id = _type(entry.raw), _text(entry.raw, "id")
    sure = reasoning is not None
    if sure:
        message = f"{item_id} came with the reasoning {reasoning}, which is not sent back"
    else:
        more = f", and {count - 1} more" if count > 1 else ""
        message = f"{item_id}{more}: sent back without reasoning, which a model that reasons may demand"
    context = {} if history is None else {"history": history, "line": line}
    return check.finding(
        message,
        entry,
        severity="error" if sure else "warning",
        confidence="high" if sure else "low",
        api_error=f"Item '{item_id}' of type '{kind}' was provided without its required 'reasoning' item: "
        f"'{reasoning or 'rs_…'}'.",
        fix=_FIX,
        **context,
    )


def _owners(output: list[Any]) -> dict[str, str]:
    """For each item of a response the reasoning item right before it, by id."""
    owners: dict[str, str] = {}
    reasoning: str | None = None
    for raw in output:
        if _type(raw) == "reasoning":
            reasoning = _text(raw, "id")
            continue
        item_id = _text(raw, "id")
        if reasoning is not None and item_id is not None and _type(raw) in _FOLLOWERS:
            owners[item_id] = reasoning
        reasoning = None
    return owners


def _server_id(raw: Any) -> str | None:
    prefix = _PREFIXES.get(_type(raw) or "")
    item_id = _text(raw, "id")
    return item_id if prefix is not None and item_id is not None and item_id.startswith(prefix) else None


def _never_reasons(model: str | None) -> bool:
    known = traits(model)
    if known.vendor == "openai":
        return known.family in ("gpt", "chatgpt") and (known.version is None or known.version < (5, 0))
    return model is not None


def _type(raw: Any) -> str | None:
    return _text(raw, "type")


def _text(raw: Any, key: str) -> str | None:
    value = raw.get(key) if isinstance(raw, dict) else None
    return value if isinstance(value, str) else None


RULE = Rule(
    code="HR509",
    name="item-without-reasoning",
    summary="An item sent back without the reasoning that it followed.",
    refs={"openai-responses": ("R08",)},
    check=check,
    check_session=check_session,
)
