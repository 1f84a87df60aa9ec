"""# HR701 too-many-tools

The request declares more tools than the provider takes.

## Why it is refused

OpenAI's chat completions take 128 tools. Agents with many MCP servers pass that. Responses took 600 when it was tried,
and Anthropic names no limit: nothing is said there.

## Example

None in full: it takes 129 tools.

## What to do

Leave out tools, or use a tool search. Which ones matter is for the host to decide; there is no repair.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Rule


def check(check: Check) -> Iterator[Finding]:
    """A request with too many tools."""
    tools, most = check.history.tools, check.profile.max_tools
    if tools is not None and most is not None and len(tools) > most:
        yield check.finding(
            f"the request declares {len(tools)} tools; at most {most} are taken",
            at=("tools",),
            line=check.history.line,
            api_error=f"Invalid 'tools': array too long. Expected an array with maximum length {most}, but got an "
            f"array with length {len(tools)} instead.",
        )


RULE = Rule(
    code="HR701",
    name="too-many-tools",
    summary="More tools than the provider takes.",
    refs={"openai": ("O15",), "strict": ("O15",)},
    check=check,
)
