"""# HR410 image-in-non-user-role

An image stands in a chat message that is not the user's.

## Why it is refused

OpenAI's chat completions take `image_url` parts from the user only: not in `tool`, `system` or `assistant` messages.
Mistral takes them in tool messages only with newer tokenizers. Some hosts with OpenAI's API take images of tools: of
models of another vendor it is said that they may refuse it.

In the Responses API an output may hold `input_image`, and in Anthropic's a result may hold an image: nothing is found
there.

## Example

```json
{"messages": [
  {"role": "user", "content": "a"},
  {"role": "assistant", "content": null,
   "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "c1",
   "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]}]}
```

## What to do

Say in the tool message that an image follows, and put it into a user's message after the *whole* run of tool messages:
inside the run it would part a result from its call.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.history import Block
from headroom_cli.lint.models import traits

_FIX = Fix("neutralize", "move the image into a user's message after the tool messages")
_ERROR = (
    "Invalid 'messages[{n}]'. Image URLs are only allowed for messages with role 'user', but this message with role "
    "'{role}' contains an image URL."
)
_MISTRAL = "Unexpected content chunk types in {role} message: ['image_url']"


def check(check: Check) -> Iterator[Finding]:
    """Images in messages of tools, the assistant and the system."""
    history = check.history
    if history.dialect != "openai":
        return
    for block in history.of_kind("media"):
        if block.type == "image_url" and block.entry.role != "user":
            yield _finding(check, block)
    for block in history.of_kind("result"):
        if isinstance(block.value, list):
            place = next((i for i, part in enumerate(block.value) if _is_image(part)), None)
            if place is not None:
                yield _finding(check, block, ("content", place))


def _is_image(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "image_url"


def _finding(check: Check, block: Block, at: tuple[str | int, ...] = ()) -> Finding:
    mistral, model = check.profile.name == "mistral", check.history.model
    openai = model is None or (traits(model).vendor == "openai" and "/" not in model)
    certain = not mistral and (openai or check.profile.name == "strict")
    role = block.entry.role[:40]
    return check.finding(
        f"an image in a message of the role {role}" + ("" if certain else ", which this host may refuse"),
        block,
        at=at,
        severity="error" if certain else "warning",
        confidence="high" if certain else "medium",
        call_ids=(block.id,) if block.id else (),
        api_error=(_MISTRAL if mistral else _ERROR).format(n=block.entry.index, role=role),
        fix=_FIX if block.kind == "result" else None,
    )


RULE = Rule(
    code="HR410",
    name="image-in-non-user-role",
    summary="An image in a chat message that is not the user's.",
    refs={"openai": ("O14",), "mistral": ("M08",), "strict": ()},
    check=check,
)
