"""# HR112 continues-pending-response

A request goes on from a stored response (`previous_response_id`) whose calls got no output.

## Why it is refused

The Responses API keeps the calls of a stored response; the next request must bring an output for each. After an aborted
turn clients often go on without, and the error names a call that stands nowhere in `input`.

The response must be in the log for this to be known. A request that brings the outputs, or starts anew without the id,
is healthy; so are calls of tools that the provider runs.

## Example

```json
{"request": {"model": "gpt-5", "input": "list the files"}, "response": {"object": "response", "id": "resp_1",
  "model": "gpt-5", "output": [{"type": "function_call", "call_id": "call_1", "name": "ls", "arguments": "{}"}]}}
{"request": {"model": "gpt-5", "previous_response_id": "resp_1", "input": "never mind"},
  "response": {"error": {"message": "No tool output found for function call call_1."}}}
```

## What to do

Send an output for each call, or start anew without `previous_response_id`.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Finding, Related, Rule, SessionCheck
from headroom_cli.lint.history import History
from headroom_cli.model import Sent, ToolCall


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """Requests whose response before them left calls that they do not answer."""
    requests = [sent for sent in check.session.requests if sent.parent is not None]
    if not requests:
        return
    histories = {id(history.anchor): history for history in check.session.histories if history.anchor is not None}
    for sent in requests:
        missing = _missing(sent)
        if not missing:
            continue
        history: History | None = histories.get(id(sent.anchor))
        names = ", ".join(f"{call.name or 'a call'} ({call.id})" for call in missing[:5])
        yield check.finding(
            f"the response {sent.previous_response_id} that this request goes on from still waits for {names}",
            severity="error",
            history=history,
            line=sent.line,
            at=("previous_response_id",),
            call_ids=tuple(call.id for call in missing if call.id),
            api_error=f"No tool output found for function call {missing[0].id}.",
            related=_first_message(history),
        )


def _first_message(history: History | None) -> list[Related]:
    entries = history.entries[:1] if history is not None else []
    return [Related(entry, "what was sent instead") for entry in entries]


def _missing(sent: Sent) -> list[ToolCall]:
    """The client's calls in the response before, but for those that the request answers."""
    before = sent.parent
    if before is None or not isinstance(sent.messages, list):
        return []
    calls = [
        part
        for message in before.answer
        for part in message.parts
        if isinstance(part, ToolCall) and part.id and part.type in ("function", "custom")
    ]
    outputs = {raw["call_id"] for raw in sent.messages if isinstance(raw, dict) and isinstance(raw.get("call_id"), str)}
    return [call for call in calls if call.id not in outputs]


RULE = Rule(
    code="HR112",
    name="continues-pending-response",
    summary="A request that goes on from a stored response whose calls got no output.",
    refs={"openai-responses": ("R15",), "strict": ()},
    check_session=check_session,
)
