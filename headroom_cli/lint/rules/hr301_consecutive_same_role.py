"""# HR301 consecutive-same-role

Two messages of the user, or two of the assistant, follow each other.

## Why it is refused

Bedrock demands that roles alternate (of other models than Claude it is said that they may), and so do the chat
templates of many hosts that serve open models (vLLM, llama.cpp, LM Studio) and some gateways. Anthropic's own API
merges such messages today: there it is a warning, because the same history fails elsewhere. OpenAI, Gemini and Mistral
take messages of one role in a row.

Typical causes: an interrupted turn and a new prompt, queued prompts, reminders sent as messages of their own, an empty
answer that was filtered out between two prompts. Claude Code merges its user's messages before it sends them, so
nothing is said of its logs. Results of one turn in several messages are HR106's matter.

## Example

```json
{"model": "claude-haiku-4-5", "max_tokens": 100, "messages": [
  {"role": "user", "content": "a"},
  {"role": "user", "content": "b"}]}
```

## What to do

Merge the contents of the two, text blocks in their order (`--fix` does, but not where the thinking of two different
answers would come to stand in one message).
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Related, Rule
from headroom_cli.lint.history import Entry
from headroom_cli.lint.models import traits

_FIX = Fix("merge", "put what both say into one message")
_DIALECTS = frozenset({"openai", "anthropic", "bedrock"})
_ERRORS = {
    "anthropic": 'messages: roles must alternate between "user" and "assistant", but found multiple "{role}" roles in '
    "a row",
    "bedrock": "A conversation must alternate between user and assistant roles. Make sure the conversation alternates "
    "between user and assistant roles and try again.",
    "strict": "Conversation roles must alternate user/assistant/user/assistant/...",
}


def check(check: Check) -> Iterator[Finding]:
    """Runs of entries of one role: one finding each, at the second of them."""
    history = check.history
    if history.dialect not in _DIALECTS or history.log_format.startswith("claude-"):
        return
    other = history.model is not None and traits(history.model).vendor != "claude"
    lenient = check.profile.name == "bedrock" and other
    for run in _runs(history.entries):
        first, second = run[0], run[1]
        thinks = second.role == "assistant" and any(entry.of_kind("thinking") for entry in run)
        yield check.finding(
            f"{len(run)} messages of the {first.role} in a row" + (", which may be refused" if lenient else ""),
            second,
            severity="error" if check.profile.alternates and not lenient else "warning",
            confidence="medium" if lenient else "high",
            related=[Related(first, f"the {first.role}'s message before it")],
            api_error=_ERRORS[check.profile.name].format(role=first.role),
            fix=None if thinks else _FIX,
        )


def _runs(entries: list[Entry]) -> Iterator[list[Entry]]:
    run: list[Entry] = []
    for entry in entries:
        if run and entry.role == run[-1].role and not _split_results(run[-1], entry):
            run.append(entry)
            continue
        if len(run) > 1:
            yield run
        run = [entry] if entry.role in ("user", "assistant") else []
    if len(run) > 1:
        yield run


def _split_results(first: Entry, second: Entry) -> bool:
    return bool(first.of_kind("result") and second.of_kind("result"))


RULE = Rule(
    code="HR301",
    name="consecutive-same-role",
    summary="Two messages of one role in a row.",
    refs={"anthropic": ("A18",), "bedrock": ("B05",), "strict": ("D03",)},
    check=check,
)
