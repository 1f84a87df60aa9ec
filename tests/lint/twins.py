"""The healthy twin of each broken case in tests/cases/lint: the case with the one thing put right, by hand.

A twin is told as edits of the case. Places are JSON Pointers, in a file of lines after the number of the line; the
last token `-` stands for the end of a list.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tests.lint.support import (
    assistant,
    bedrock_result,
    bedrock_use,
    calls,
    content,
    function_call,
    function_output,
    gemini_call,
    gemini_response,
    text,
    tool,
    tool_result,
    tool_use,
    user,
)

Edit = Callable[[Any], None]

SIGNED = "EqQBCkYIBRgCKkAx" + 8 * "q83v"
GEMINI_SIGNED = "CuQBAVSoXO4x" + 8 * "q83v"
ENCRYPTED = "gAAAAABpLV1" + 32 * "q83v" + "="


def twin(case: Path) -> str:
    """The text of a case's healthy twin."""
    lines = case.read_text("utf-8").splitlines() if case.suffix == ".jsonl" else [case.read_text("utf-8")]
    rows = [json.loads(line) for line in lines]
    root = rows if case.suffix == ".jsonl" else rows[0]
    for edit in TWINS[case.stem]:
        edit(root)
    return "".join(json.dumps(row) + "\n" for row in rows)


def put(pointer: str, value: Any) -> Edit:
    """Set a member, or replace what stands there."""
    return partial(_put, pointer, value)


def add(pointer: str, *values: Any) -> Edit:
    """Insert into a list, before what stands there."""
    return partial(_add, pointer, values)


def cut(pointer: str) -> Edit:
    """Take away."""
    return partial(_cut, pointer)


def move(pointer: str, to: str) -> Edit:
    """Take away, and insert elsewhere."""
    return partial(_move, pointer, to)


def same(pointer: str, as_: str) -> Edit:
    """Make it what stands elsewhere."""
    return partial(_same, pointer, as_)


def _at(root: Any, pointer: str) -> tuple[Any, Any]:
    """What holds a place, and the last token."""
    *tokens, last = pointer.split("/")[1:]
    for token in tokens:
        root = root[int(token)] if isinstance(root, list) else root[token]
    if isinstance(root, list):
        return root, len(root) if last == "-" else int(last)
    return root, last


def _put(pointer: str, value: Any, root: Any) -> None:
    holder, token = _at(root, pointer)
    holder[token] = value


def _add(pointer: str, values: Sequence[Any], root: Any) -> None:
    holder, token = _at(root, pointer)
    holder[token:token] = values


def _cut(pointer: str, root: Any) -> Any:
    holder, token = _at(root, pointer)
    return holder.pop(token)


def _move(pointer: str, to: str, root: Any) -> None:
    _add(to, [_cut(pointer, root)], root)


def _same(pointer: str, as_: str, root: Any) -> None:
    holder, token = _at(root, as_)
    _put(pointer, holder[token], root)


SCHEMA = {"type": "object"}
IMAGE_URL = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}

TWINS: dict[str, list[Edit]] = {
    # Anthropic
    "A01-unanswered-tool-use": [put("/messages/2/content", [tool_result("toolu_1"), text("never mind")])],
    "A02-orphan-tool-result": [add("/messages/0", user("x"), assistant(tool_use("toolu_gone")))],
    "A03-tool-result-not-adjacent": [
        put("/messages/2/content", [text("also b")]),
        move("/messages/4/content/0", "/messages/2/content/0"),
        put("/messages/4/content", "and c"),
    ],
    "A04-duplicate-tool-result": [cut("/messages/2/content/0")],
    "A05-duplicate-tool-use-id": [
        put("/messages/1/content/1/id", "t2"),
        add("/messages/2/content/-", tool_result("t2")),
    ],
    "A06-tool-result-not-first": [move("/messages/2/content/0", "/messages/2/content/-")],
    "A07-parallel-results-split": [move("/messages/3/content/0", "/messages/2/content/-"), cut("/messages/3")],
    "A08-tool-block-wrong-role": [
        put("/messages/0/role", "assistant"),
        add("/messages/0", user("x")),
        add("/messages/-", user(tool_result("t1"))),
    ],
    "A09-tool-input-not-object": [put("/messages/1/content/0/input", {"a": 1})],
    "A10-tool-use-id-pattern": [
        put("/messages/1/content/0/id", "functions_f_0"),
        put("/messages/2/content/0/tool_use_id", "functions_f_0"),
    ],
    "A11-tool-name-invalid": [put("/tools/0/name", "get_weather")],
    "A12-retrieve-undeclared": [add("/0/tools/-", {"name": "headroom_retrieve", "input_schema": SCHEMA})],
    "A12-tool-reference-undeclared": [
        add("/tools/-", {"name": "ToolSearch", "input_schema": SCHEMA}),
        add("/tools/-", {"name": "mcp__gone__x", "input_schema": SCHEMA, "defer_loading": True}),
    ],
    "A13-server-tool-unresolved": [
        add(
            "/messages/1/content/-",
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
            text("nothing found"),
        ),
    ],
    "A14-server-tool-result-orphan": [
        put("/tools", [{"type": "advisor_20260301", "name": "advisor"}]),
        add(
            "/messages/1/content/0",
            {"type": "server_tool_use", "id": "srvtoolu_x", "name": "advisor", "input": {}},
        ),
    ],
    "A15-server-tool-undeclared": [add("/tools/-", {"type": "advisor_20260301", "name": "advisor"})],
    "A16-mcp-tool-unresolved": [
        add(
            "/messages/1/content/-",
            {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "is_error": False, "content": [text("r")]},
        ),
    ],
    "A17-programmatic-caller-lost": [
        put("/messages/1/content/1/caller", {"type": "code_execution_20260120", "tool_id": "srvtoolu_c"}),
        cut("/messages/2/content/1"),
    ],
    "A18-consecutive-same-role": [put("/messages/0/content", "a\nb"), cut("/messages/1")],
    "A19-first-message-not-user": [add("/messages/0", user("greet me"))],
    "A20-system-role-in-messages": [put("/system", "be terse"), put("/messages/1", assistant("ok"))],
    "A21-empty-text-block": [cut("/messages/1/content/0")],
    "A22-whitespace-only-message": [put("/messages/1/content/0/text", "ok")],
    "A23-empty-user-message": [add("/messages/0/content/-", text("x"))],
    "A24-trailing-whitespace-prefill": [put("/messages/1/content", "The answer is")],
    "A25-assistant-prefill-unsupported": [add("/messages/-", user("go on"))],
    "A26-thinking-final-block": [add("/messages/1/content/-", text("ok"))],
    "A27-thinking-missing-before-tool-use": [
        add("/messages/1/content/0", {"type": "thinking", "thinking": "hm", "signature": SIGNED})
    ],
    "A29-thinking-signature-invalid": [put("/messages/1/content/0/signature", SIGNED)],
    "A31-thinking-prefix-changed": [same("/1/system", "/0/system")],
    "A32-thinking-while-disabled": [put("/thinking", {"type": "enabled", "budget_tokens": 2000})],
    "A33-tool-result-error-non-text": [put("/messages/2/content/0/content", [text("no display")])],
    "A34-tool-reference-mixed-content": [move("/messages/2/content/0/content/1", "/messages/2/content/-")],
    "A35-cache-control-too-many": [cut("/messages/0/content/0/cache_control")],
    "A36-cache-control-ttl-order": [put("/system/0/cache_control/ttl", "1h")],
    "A37-cache-control-bad-target": [cut("/messages/1/content/0/cache_control")],
    "A38-image-media-type-mismatch": [put("/messages/0/content/0/source/media_type", "image/jpeg")],
    "A42-lone-surrogate": [put("/messages/0/content", "cut \U0001f600")],
    "A43-unknown-field": [cut("/messages/0/timestamp")],
    "A44-all-tools-deferred": [cut("/tools/0/defer_loading")],
    "A46-blank-tool-history-without-tools": [put("/tools", [{"name": "f", "input_schema": SCHEMA}])],
    # Bedrock Converse
    "B01-expected-tool-result": [move("/messages/3/content/0", "/messages/2/content/-"), cut("/messages/3")],
    "B02-too-many-tool-results": [add("/messages/1/content/-", bedrock_use("a"))],
    "B03-tool-config-missing": [
        put("/toolConfig", {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": SCHEMA}}}]}),
    ],
    "B04-blank-text": [cut("/messages/1/content/0")],
    "B05-alternation": [move("/messages/1/content/0", "/messages/0/content/-"), cut("/messages/1")],
    "B07-error-result-non-text": [put("/messages/2/content/0", bedrock_result("a", "no display", status="error"))],
    # Strict hosts
    "D01-reasoning-content-not-returned": [put("/messages/1/reasoning_content", "f will tell")],
    "D02-minimax-2013": [add("/messages/2", tool("c1"))],
    "D03-template-alternation": [add("/messages/1", assistant("ok"))],
    "D04-empty-text-compatible": [put("/messages/1/content", "ok")],
    "D05-anthropic-shape-strict": [move("/messages/3/content/0", "/messages/2/content/-"), cut("/messages/3")],
    # Gemini
    "G01-function-response-count": [add("/contents/2/parts/-", gemini_response("g"))],
    "G02-function-call-turn-order": [move("/contents/1/parts/0", "/contents/2/parts/0"), cut("/contents/1")],
    "G03-function-response-turn-order": [
        add("/contents/0", content("user", {"text": "x"}), content("model", gemini_call()))
    ],
    "G04-thought-signature-missing": [put("/contents/1/parts/0/thoughtSignature", GEMINI_SIGNED)],
    "G05-thought-signature-invalid": [  # the case also begins with the model (G02)
        put("/contents/0/parts/0/thoughtSignature", GEMINI_SIGNED),
        add("/contents/0", content("user", {"text": "x"})),
    ],
    "G06-empty-parts": [add("/contents/1/parts/-", {"text": "ok"})],
    # Stability of the cache
    "K01-tools-changed-mid-session": [same("/1/tools", "/0/tools")],
    "K02-tools-reordered": [move("/1/tools/1", "/1/tools/0")],
    "K03-tools-bytes-unstable": [same("/1/tools/1/description", "/0/tools/1/description")],
    "K04-system-changed-mid-session": [same("/1/system", "/0/system")],
    "K05-dynamic-value-in-prefix": [same("/1/system", "/0/system")],
    "K06-model-switch-mid-session": [same("/1/model", "/0/model")],
    "K07-history-rewritten": [same("/1/messages/2/content/0/content", "/0/messages/2/content/0/content")],
    "K19-vendor-cache-miss-reason": [cut("/1/message/diagnostics")],
    # Mistral
    "M01-call-response-count": [put("/messages/2", tool("abcdefghi"))],
    "M02-tool-call-id-shape": [
        put("/messages/1/tool_calls/0/id", "call1call"),
        put("/messages/2/tool_call_id", "call1call"),
    ],
    "M03-unexpected-role-order": [add("/messages/1", calls("abcdefghi"))],
    "M04-last-role": [add("/messages/-", user("z"))],
    "M05-content-xor-tool-calls": [cut("/messages/1/content")],
    "M06-tool-id-set": [put("/messages/2/tool_call_id", "abcdefghi")],
    "M07-function-name": [put("/messages/1/tool_calls/0/function/name", "a_b")],
    "M08-chunk-type-for-role": [put("/messages/2/content", "an image")],
    # OpenAI chat completions
    "O01-unanswered-tool-call": [add("/messages/2", tool("c1"))],
    "O02-orphan-tool-message": [add("/messages/1", calls("c1"))],
    "O03-tool-call-id-mismatch": [put("/messages/2/tool_call_id", "c1")],
    "O04-duplicate-tool-message": [cut("/messages/2")],
    "O05-duplicate-tool-call-id": [put("/messages/1/tool_calls/1/id", "c2"), add("/messages/-", tool("c2"))],
    "O06-interleaved-in-tool-run": [move("/messages/3", "/messages/-")],
    "O07-tool-call-id-too-long": [
        put("/messages/1/tool_calls/0/id", "call_01234567890123456789012345678901234"),
        put("/messages/2/tool_call_id", "call_01234567890123456789012345678901234"),
    ],
    "O08-function-name-invalid": [put("/tools/0/function/name", "a_b")],
    "O09-content-null": [put("/messages/1/content", "")],
    "O10-empty-tool-calls": [cut("/messages/1/tool_calls")],
    "O11-arguments-not-string": [put("/messages/1/tool_calls/0/function/arguments", '{"a": 1}')],
    "O12-arguments-not-json": [put("/messages/1/tool_calls/0/function/arguments", '{"a": 1}')],
    "O13-legacy-function-role": [put("/messages/1", calls("c1")), put("/messages/2", tool("c1"))],
    "O14-image-in-non-user-role": [
        put("/messages/2/content", "the image follows"),
        add("/messages/-", user(IMAGE_URL)),
    ],
    "O16-role-not-supported-by-model": [put("/messages/0/role", "user")],
    "O17-foreign-content-part": [put("/messages/0/content", None)],
    "O18-unknown-parameter": [cut("/reasoning"), put("/reasoning_effort", "low")],
    # OpenAI Responses
    "R01-no-tool-output": [add("/input/2", function_output("call_1"))],
    "R02-no-tool-call": [add("/input/1", function_call("call_1"))],
    "R03-output-type-mismatch": [put("/input/1/type", "custom_tool_call_output")],
    "R04-output-before-call": [move("/input/0", "/input/-")],
    "R05-interleaved-call-output": [move("/input/1", "/input/-")],
    "R06-duplicate-output": [cut("/input/1")],
    "R07-reasoning-without-follower": [cut("/input/1")],
    "R08-item-without-its-reasoning": [cut("/input/1/id")],
    "R09-duplicate-item-id": [put("/input/2/id", "rs_2")],
    "R10-id-too-long": [put("/input/0/call_id", 64 * "c"), put("/input/1/call_id", 64 * "c")],
    "R11-item-id-prefix": [cut("/input/0/id")],
    "R12-item-not-persisted": [put("/input/0/encrypted_content", ENCRYPTED)],
    "R14-deferred-tools-without-search": [add("/tools/-", {"type": "tool_search"})],
    "R16-reasoning-not-passed-back": [
        put("/input/0/content", [{"type": "reasoning_text", "text": "a first"}]),
        add(
            "/input/2", {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "then b"}], "summary": []}
        ),
    ],
}
