"""# unused_tools: tool schemas sent with every request and never called

## What it does
Flags the schema of each tool that requests declared at least twice and that nothing in the conversation calls. Only
logs that keep request bodies have schemas. Tools that the vendor runs (web search, code execution) and tools whose
loading is deferred are left out. Tokens are those of the schema that no other signal has claimed. Confidence is medium.

## Why it matters
A schema is one of the first things in the context and is paid for in every request. Dozens of them, from servers that
were connected for another task, cost more than many conversations.

## Known problems
A tool that was not needed in this conversation may be needed in the next, and nobody can know before. Look at the tools
that no conversation of a log calls. What a tool choice forbade to call counts as well.

## Example
```python
{
    "tools": [tool("get_weather", "city"), tool("get_traffic", "street")],
    "messages": [
        *call("toolu_1", "get_weather", {"city": "Bern"}, "fair"),
        {"role": "assistant", "content": "Fair."},
    ],
}
```
`tool(name, key)` is
`{"name": name, "input_schema": {"type": "object", "properties": {key: {"type": "string"}}}}`.

Flagged: 35 tokens; avoidable: 35.

## Fix
Connect servers per project, defer loading of schemas (tool search), shorten descriptions, give rare tools to a
subagent.

## References
- https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/tool-search-tool
"""

from __future__ import annotations

from headroom_cli.model import Block, Declaration, Waste
from headroom_cli.waste.history import History

NAME = "unused_tools"
MIN_REQUESTS = 2


def find(history: History) -> list[Waste]:
    """One finding for each schema that at least two requests sent in vain."""
    schemas = [
        block
        for block in history.blocks
        if block.kind == "system" and isinstance(block.part, Declaration) and _is_called_by_name(block.part)
    ]
    if not schemas:
        return []
    called = {block.tool_name for block in history.calls}
    requests = max((block.request + 1 for block in history.blocks if block.request is not None), default=0)
    return [
        Waste(NAME, block.index, block.tokens, avoidable_tokens=block.tokens, confidence="medium")
        for block in schemas
        if block.tool_name not in called and _times_sent(block, requests) >= MIN_REQUESTS
    ]


def _is_called_by_name(tool: Declaration) -> bool:
    """Whether calls carry the name of the tool, and its schema stands in the context from the first."""
    deferred = isinstance(tool.raw, dict) and tool.raw.get("defer_loading") is True
    return tool.type in ("function", "custom") and not deferred


def _times_sent(block: Block, requests: int) -> int:
    return sum((requests if i.leaves is None else i.leaves) - i.enters for i in block.context)
