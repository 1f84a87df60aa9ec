"""# HR513 thought-signature-missing

A call of Gemini's in the current turn stands without its thought signature.

## Why it is refused

Gemini 3 and later demand the `thoughtSignature` of the first call of each step, in the turn that is still open: all
that follows the last prompt. Clients that rebuild calls from name and arguments lose it.

Healthy look-alikes: Gemini 2.x; earlier turns; parallel calls, of which only the first carries a signature. Without
the model's name this is a warning. A log whose last turn is closed owes nothing.

## Example

```json
{"contents": [
  {"role": "user", "parts": [{"text": "x"}]},
  {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
  {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}]}
```

## What to do

Keep the parts of the model as they came and send them back. A signature cannot be made up.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Rule
from headroom_cli.lint.history import Entry
from headroom_cli.lint.models import traits

_SIGNATURES = ("thoughtSignature", "thought_signature")


def check(check: Check) -> Iterator[Finding]:
    """The first call of each step of the open turn, if it has no signature."""
    history = check.history
    wanted = traits(history.model).wants_signatures
    if history.dialect != "gemini" or history.judged_as == "training" or wanted is False:
        return
    for entry in _open_turn(history.entries):
        calls = entry.of_kind("call")
        if not calls or not isinstance(calls[0].raw, dict) or any(calls[0].raw.get(key) for key in _SIGNATURES):
            continue
        name = calls[0].name
        yield check.finding(
            f"the call of {name or 'a function'} in the current turn has no thought signature"
            + ("" if wanted else ", which Gemini 3 and later may demand"),
            calls[0],
            severity="error" if wanted else "warning",
            confidence="high" if wanted else "medium",
            api_error=f"Unable to submit request because function call `{name}` in the {entry.index + 1}. content "
            "block is missing a `thought_signature`.",
        )


def _open_turn(entries: list[Entry]) -> list[Entry]:
    """The model's contents after the last prompt, if the history ends with responses."""
    if not entries or not entries[-1].of_kind("result"):
        return []
    for index in range(len(entries) - 1, -1, -1):
        entry = entries[index]
        if entry.side == "user" and not entry.of_kind("result"):
            return [entry for entry in entries[index + 1 :] if entry.side == "assistant"]
    return [entry for entry in entries if entry.side == "assistant"]


RULE = Rule(
    code="HR513",
    name="thought-signature-missing",
    summary="A call of Gemini's in the open turn without its thought signature.",
    refs={"gemini": ("G04",)},
    check=check,
)
