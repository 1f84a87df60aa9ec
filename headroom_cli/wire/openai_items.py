"""Items of the OpenAI Responses API, as requests, responses, Codex rollouts and the Agents SDK store them.

One item is one message. Sources: openai-python `types/responses`, codex-rs `protocol/src/models.rs`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headroom_cli.model import Declaration, Message, Origin, Other, Part, Role, Thinking, ToolCall, ToolResult
from headroom_cli.wire import openai_chat
from headroom_cli.wire.base import text_or_none
from headroom_cli.wire.results import dump, media_from_base64, media_from_url, media_part, result_text

OUTPUT_TYPES = frozenset(
    {
        "reasoning",
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "tool_search_call",
        "web_search_call",
        "file_search_call",
        "image_generation_call",
        "code_interpreter_call",
        "computer_call",
        "mcp_call",
        "mcp_approval_request",
        "shell_call",
        "apply_patch_call",
        "program",
    }
)
"""Types of the items that the model outputs, apart from `message`, which is output if its role is `assistant`."""

CLIENT_OUTPUT_TYPES = frozenset(
    {
        "function_call_output",
        "custom_tool_call_output",
        "local_shell_call_output",
        "computer_call_output",
        "apply_patch_call_output",
        "mcp_approval_response",
    }
)
"""Types of the items that only a client can add: between two of the model's items they end a response."""

_Handler = Callable[[dict[str, Any], int], list[Part]]


def is_output(item: dict[str, Any]) -> bool:
    """Whether the API put the item into a response: what the model says, or what a tool on the server answered."""
    kind = item.get("type")
    if kind is None or kind == "message":
        return item.get("role") == "assistant"
    if not isinstance(kind, str):
        return False
    return kind in OUTPUT_TYPES or (kind == "tool_search_output" and item.get("execution") == "server")


def parse_item(item: Any, index: int, line: int = 0) -> Message | None:
    """One item as one message; None for what is never sent to the model (`ghost_snapshot`).

    Calls are messages of the assistant, results messages of the role `tool`. An item that holds a call and its result
    (`mcp_call`, `file_search_call`, `code_interpreter_call`, `image_generation_call`) gives both parts.
    """
    if not isinstance(item, dict):
        return Message(index, "user", [Other("item", raw=item, line=line)], line=line, last_line=line)
    kind = item.get("type")
    if kind == "message" or kind is None:
        return openai_chat.parse_message(item, index, line)
    if kind == "ghost_snapshot":
        return None
    if isinstance(kind, str):
        found = _ITEMS.get(kind)
        if found is not None:
            role, origin, handler = found
            return Message(index, role, handler(item, line), line, line, None, "", origin)
        if kind.endswith("_output") and "output" in item:
            return Message(index, "tool", _result(item, line), line=line, last_line=line, origin="tool")
        if kind.endswith("_call"):
            parts = _call(item, line, kind.removesuffix("_call"))
            return Message(index, "assistant", parts, line=line, last_line=line, origin="model")
    if "role" in item and ("content" in item or "tool_calls" in item):
        return openai_chat.parse_message(item, index, line)
    other = Other(kind if isinstance(kind, str) else "item", raw=item, line=line)
    return Message(index, "system", [other], line=line, last_line=line, origin="harness")


def parse_items(items: Any, line: int = 0) -> list[Message]:
    """The messages of a list of items, indexed from 0; items that are never sent are left out."""
    messages: list[Message] = []
    for item in items if isinstance(items, list) else []:
        message = parse_item(item, len(messages), line)
        if message is not None:
            messages.append(message)
    return messages


def parse_message(raw: Any, index: int, line: int = 0) -> Message:
    """Like `parse_item`, but an item that is never sent gives a message without parts."""
    return parse_item(raw, index, line) or Message(index, "system", [], line=line, last_line=line, origin="harness")


def _id(item: dict[str, Any]) -> str | None:
    """The id that calls and results are matched by: `call_id`; only items without one are known by `id`."""
    return text_or_none(item.get("call_id")) or text_or_none(item.get("id"))


def _reasoning(item: dict[str, Any], line: int) -> list[Part]:
    text = _texts(item.get("content")) or _texts(item.get("summary"))
    return [Thinking(text, text_or_none(item.get("encrypted_content")), raw=item, line=line)]


def _texts(parts: Any) -> str:
    if isinstance(parts, str):
        return parts
    if not isinstance(parts, list):
        return ""
    return "\n".join(p["text"] for p in parts if isinstance(p, dict) and isinstance(p.get("text"), str))


def _function_call(item: dict[str, Any], line: int) -> list[Part]:
    server = text_or_none(item.get("namespace"))
    if server is not None:
        server = server.removeprefix("mcp__").removesuffix("__") or None
    name = text_or_none(item.get("name")) or ""
    return [ToolCall(_id(item), name, item.get("arguments"), server=server, raw=item, line=line)]


def _custom_call(item: dict[str, Any], line: int) -> list[Part]:
    name = text_or_none(item.get("name")) or ""
    return [ToolCall(_id(item), name, item.get("input"), "custom", raw=item, line=line)]


def _call(item: dict[str, Any], line: int, name: str) -> list[Part]:
    """A call whose tool is named by the item's type. It runs on the server unless a client must answer it."""
    arguments = next(
        (item[key] for key in ("action", "actions", "arguments", "operation", "code", "input") if item.get(key)), None
    )
    on_server = item.get("execution") == "server" or _hosted(item.get("environment"))
    server_side = on_server or name in ("web_search", "program")
    return [ToolCall(_id(item), name, arguments, "server" if server_side else "function", raw=item, line=line)]


def _hosted(environment: Any) -> bool:
    return isinstance(environment, dict) and environment.get("type") in ("container_auto", "container_reference")


def _named(name: str) -> _Handler:
    def parse(item: dict[str, Any], line: int) -> list[Part]:
        return _call(item, line, name)

    return parse


def _file_search_call(item: dict[str, Any], line: int) -> list[Part]:
    call = ToolCall(_id(item), "file_search", item.get("queries"), "server", raw=item, line=line)
    results = item.get("results")
    if not isinstance(results, list):
        return [call]
    return [call, ToolResult(call.id, _texts(results), raw=item, line=line)]


def _image_generation_call(item: dict[str, Any], line: int) -> list[Part]:
    call = ToolCall(_id(item), "image_generation", item.get("revised_prompt"), "server", raw=item, line=line)
    data = item.get("result")
    if not isinstance(data, str) or not data:
        return [call]
    mime = f"image/{text_or_none(item.get('output_format')) or 'png'}"
    media = media_from_base64(data, mime, line=line)
    return [call, ToolResult(call.id, "", media=[media], raw=item, line=line)]


def _code_interpreter_call(item: dict[str, Any], line: int) -> list[Part]:
    call = ToolCall(_id(item), "code_interpreter", item.get("code"), "server", raw=item, line=line)
    outputs = item.get("outputs")
    if not isinstance(outputs, list):
        return [call]
    known = [output for output in outputs if isinstance(output, dict)]
    text = "\n".join(output["logs"] for output in known if isinstance(output.get("logs"), str))
    media = [
        media_from_url(url, raw=output, line=line) for output in known if isinstance(url := output.get("url"), str)
    ]
    return [call, ToolResult(call.id, text, media=media, raw=item, line=line)]


def _mcp_call(item: dict[str, Any], line: int) -> list[Part]:
    server = text_or_none(item.get("server_label"))
    name = text_or_none(item.get("name")) or ""
    call = ToolCall(_id(item), name, item.get("arguments"), "mcp", server, raw=item, line=line)
    output, error = item.get("output"), item.get("error")
    if output is None and not error:
        return [call]
    text, media = result_text(error if output is None else output, line)
    return [call, ToolResult(call.id, text, bool(error), media, raw=item, line=line)]


def _result(item: dict[str, Any], line: int) -> list[Part]:
    output = item.get("output")
    is_error: bool | None = None
    if isinstance(output, dict) and "content" in output and isinstance(output.get("success"), bool):
        is_error = not output["success"]
        output = output["content"]
    elif item.get("status") == "failed":
        is_error = True
    text, media = result_text(output, line)
    return [ToolResult(_id(item), text, is_error, media, raw=item, line=line)]


def _shell_result(item: dict[str, Any], line: int) -> list[Part]:
    """`output` is a list of `{stdout, stderr, outcome}`: an outcome other than exit code 0 is an error."""
    output = item.get("output")
    if not isinstance(output, list):
        return _result(item, line)
    known = [part for part in output if isinstance(part, dict)]
    text = "\n".join(s for part in known for key in ("stdout", "stderr") if isinstance(s := part.get(key), str) and s)
    outcomes = [outcome for part in known if isinstance(outcome := part.get("outcome"), dict)]
    is_error = any(outcome.get("exit_code") != 0 for outcome in outcomes) if outcomes else None
    return [ToolResult(_id(item), text, is_error, raw=item, line=line)]


def _computer_result(item: dict[str, Any], line: int) -> list[Part]:
    output = item.get("output")
    media = media_part(output, line) if isinstance(output, dict) else None
    return [ToolResult(_id(item), "", media=[] if media is None else [media], raw=item, line=line)]


def _tool_search_result(item: dict[str, Any], line: int) -> list[Part]:
    """The schemas of the tools that were found enter the context here."""
    tools = item.get("tools")
    text = "\n".join(dump(tool) for tool in tools) if isinstance(tools, list) else ""
    return [ToolResult(_id(item), text, raw=item, line=line)]


def _program_result(item: dict[str, Any], line: int) -> list[Part]:
    text, media = result_text(item.get("result"), line)
    return [ToolResult(_id(item), text, media=media, raw=item, line=line)]


def _tools(item: dict[str, Any], line: int) -> list[Part]:
    """Schemas that stand among the items (`mcp_list_tools`, `additional_tools`)."""
    server = text_or_none(item.get("server_label"))
    parts: list[Part] = [*declarations(item.get("tools"), line, "mcp" if server else None)]
    return parts or [Other(str(item.get("type")), raw=item, line=line)]


def _content(item: dict[str, Any], line: int) -> list[Part]:
    return openai_chat.content_parts(item.get("content"), line)


def _other(item: dict[str, Any], line: int) -> list[Part]:
    return [Other(str(item.get("type")), raw=item, line=line)]


_ITEMS: dict[str, tuple[Role, Origin, _Handler]] = {
    "reasoning": ("assistant", "model", _reasoning),
    "function_call": ("assistant", "model", _function_call),
    "custom_tool_call": ("assistant", "model", _custom_call),
    "local_shell_call": ("assistant", "model", _named("local_shell")),
    "tool_search_call": ("assistant", "model", _named("tool_search")),
    "web_search_call": ("assistant", "model", _named("web_search")),
    "computer_call": ("assistant", "model", _named("computer")),
    "shell_call": ("assistant", "model", _named("shell")),
    "apply_patch_call": ("assistant", "model", _named("apply_patch")),
    "program": ("assistant", "model", _named("program")),
    "file_search_call": ("assistant", "model", _file_search_call),
    "image_generation_call": ("assistant", "model", _image_generation_call),
    "code_interpreter_call": ("assistant", "model", _code_interpreter_call),
    "mcp_call": ("assistant", "model", _mcp_call),
    "mcp_approval_request": ("assistant", "model", _other),
    "item_reference": ("assistant", "model", _other),
    "function_call_output": ("tool", "tool", _result),
    "custom_tool_call_output": ("tool", "tool", _result),
    "local_shell_call_output": ("tool", "tool", _result),
    "apply_patch_call_output": ("tool", "tool", _result),
    "shell_call_output": ("tool", "tool", _shell_result),
    "computer_call_output": ("tool", "tool", _computer_result),
    "tool_search_output": ("tool", "tool", _tool_search_result),
    "program_output": ("tool", "tool", _program_result),
    "agent_message": ("user", "model", _content),
    "mcp_approval_response": ("user", "human", _other),
    "mcp_list_tools": ("system", "harness", _tools),
    "additional_tools": ("system", "harness", _tools),
    "compaction": ("system", "harness", _other),
    "compaction_summary": ("system", "harness", _other),
    "compaction_trigger": ("system", "harness", _other),
    "context_compaction": ("system", "harness", _other),
}


ITEM_TYPES = frozenset(_ITEMS) | {"message", "ghost_snapshot"}
"""Every item type that is known here."""


def declarations(tools: Any, line: int, kind: str | None = None) -> list[Declaration]:
    """The tools that a request or an item declares; `kind` overrides their own type."""
    declared: list[Declaration] = []
    for tool in tools if isinstance(tools, list) else []:
        if isinstance(tool, dict):
            own = text_or_none(tool.get("type")) or "function"
            name = text_or_none(tool.get("name")) or text_or_none(tool.get("server_label")) or own
            declared.append(Declaration(name, dump(tool), kind or own, raw=tool, line=line))
    return declared
