"""Recorded HTTP: cassettes in JSON and YAML, HAR files."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from headroom_cli.lint.sent import sessions
from headroom_cli.logs import read_log
from headroom_cli.model import Reading

CHAT = "https://api.openai.com/v1/chat/completions"
QUESTION = {"role": "user", "content": "What does the shop sell? " * 8}
ANSWER = {"role": "assistant", "content": "Anvils."}
NEXT = {"role": "user", "content": "And what else?"}
FIRST = {"model": "gpt-4o", "messages": [QUESTION]}
SECOND = {"model": "gpt-4o", "messages": [QUESTION, ANSWER, NEXT]}


def reply(text: str) -> dict[str, Any]:
    return {
        "object": "chat.completion",
        "id": "chatcmpl-" + text,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 4},
    }


def interaction(body: Any, response: Any, uri: str = CHAT) -> dict[str, Any]:
    return {
        "request": {"method": "POST", "uri": uri, "headers": {"Accept": ["*/*"]}, "body": body},
        "response": {"status": {"code": 200}, "headers": {}, "body": response},
    }


def cassette(*interactions: Any) -> dict[str, Any]:
    return {"interactions": list(interactions), "version": 1}


TWO = cassette(
    interaction(json.dumps(FIRST), {"string": json.dumps(reply("Anvils."))}),
    interaction(json.dumps(SECOND), {"string": json.dumps(reply("Rockets."))}),
)


def read(path: Path) -> Reading:
    reading = read_log(path, keeps_sent=True)
    assert reading.skipped is None and reading.damaged == []
    return reading


def test_yaml_cassette_with_two_calls_of_one_conversation(tmp_path: Path) -> None:
    path = tmp_path / "cassette.yaml"
    path.write_text(yaml.dump(TWO))
    (conversation,) = read(path).conversations
    assert [request.usage.output_tokens for request in conversation.requests if request.usage] == [4, 4]
    assert [message.role for message in conversation.messages] == ["user", "assistant", "user", "assistant"]
    lines = [number for number, line in enumerate(path.read_text().split("\n"), 1) if line.startswith("    body: '{")]
    assert [sent.line for sent in conversation.sent] == lines
    (session,) = sessions(read(path))
    (history,) = session.histories
    assert (history.judged_as, history.line, len(history.entries)) == ("request", lines[1], 3)


def test_json_cassette_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "cassette.json"
    path.write_text(json.dumps(TWO, indent=2))
    (conversation,) = read(path).conversations
    assert len(conversation.requests) == 2
    assert conversation.log_format == "openai-chat"


def test_bodies_that_the_recorder_has_parsed(tmp_path: Path) -> None:
    request = {"method": "POST", "uri": "https://api.anthropic.com/v1/messages"}
    body = {"model": "claude-opus-4-8", "max_tokens": 9, "stream": False, "messages": [QUESTION]}
    answer = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": "Anvils."}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 7, "output_tokens": 3},
    }
    made = cassette({"request": {**request, "parsed_body": body}, "response": {"parsed_body": answer}})
    path = tmp_path / "cassette.yml"
    path.write_text(yaml.dump(made))
    (conversation,) = read(path).conversations
    assert conversation.dialect == "anthropic"
    assert conversation.sent[0].body == {"model": "claude-opus-4-8", "max_tokens": 9, "stream": False}
    assert conversation.requests[0].usage is not None and conversation.requests[0].usage.input_tokens == 7


def test_ruby_cassette_of_gemini_names_the_model_in_the_address(tmp_path: Path) -> None:
    contents = [{"role": "user", "parts": [{"text": "hello"}]}]
    answer = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "hi"}]}}],
        "usageMetadata": {"promptTokenCount": 2, "candidatesTokenCount": 1},
    }
    uri = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:generateContent?alt=json"
    made = {
        "http_interactions": [
            interaction(
                {"encoding": "UTF-8", "string": json.dumps({"contents": contents})},
                {"base64_string": base64.b64encode(gzip.compress(json.dumps(answer).encode())).decode()},
                uri,
            )
        ],
        "recorded_with": "VCR 6.0.0",
    }
    path = tmp_path / "cassette.yaml"
    path.write_text(yaml.dump(made))
    (conversation,) = read(path).conversations
    assert (conversation.dialect, conversation.model) == ("gemini", "gemini-2.5-pro")
    assert len(conversation.messages) == 2


def test_har(tmp_path: Path) -> None:
    stream = "".join(
        f"data: {json.dumps(chunk)}\n\n"
        for chunk in (
            {"object": "chat.completion.chunk", "id": "c", "choices": [{"index": 0, "delta": {"content": "Anv"}}]},
            {"object": "chat.completion.chunk", "id": "c", "choices": [{"index": 0, "delta": {"content": "ils."}}]},
        )
    )
    entries = [
        {"request": {"method": "GET", "url": "https://acme.example/"}, "response": {"content": {"text": "<html>"}}},
        {
            "startedDateTime": "2026-11-01T10:00:00.000Z",
            "request": {
                "method": "POST",
                "url": CHAT,
                "headers": [{"name": "X-Session-Id", "value": "shop"}],
                "postData": {"mimeType": "application/json", "text": json.dumps(FIRST)},
            },
            "response": {
                "content": {"encoding": "base64", "text": base64.b64encode(stream.encode()).decode()},
            },
        },
    ]
    path = tmp_path / "capture.har"
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}, indent=1))
    reading = read(path)
    (conversation,) = reading.conversations
    assert conversation.session_id == "shop"
    assert conversation.started_at == 1_793_527_200_000_000
    assert [message.role for message in conversation.messages] == ["user", "assistant"]
    assert reading.unknown == {"HTTP call without a history": 1}


@pytest.mark.parametrize(
    "text",
    [
        "a: [unclosed\ninteractions: request",
        "interactions: 3\nrequest: 4\n",
        "interactions: {request: {body: x}}\n",
        "interactions:\n- request\n- 3\n- request: [1, 2]\n  response: 4\n- [request]\n",
        "interactions:\n- request: {body: !!binary '@@', uri: 3}\n",
        "interactions:\n- request: {body: !!python/object:os.system 'x', headers: {a: !!int zz}}\n",
        "interactions:\n- request: &a\n    body: *a\n",
    ],
)
def test_hostile_yaml_never_raises(tmp_path: Path, text: str) -> None:
    path = tmp_path / "cassette.yaml"
    path.write_text(text)
    reading = read_log(path, keeps_sent=True)
    assert reading.conversations == []
    assert reading.skipped or reading.damaged or reading.unknown


def test_aliases_that_multiply_are_given_up(tmp_path: Path) -> None:
    levels = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 12))
    path = tmp_path / "bomb.yaml"
    path.write_text(f"l0: &l0 [x]\n{levels}\ninteractions:\n- request: {{body: x}}\n  more: *l11\n")
    reading = read_log(path)
    assert [damage.reason for damage in reading.damaged] == ["nested too deeply"]


def test_other_yaml_is_told_apart_at_once(tmp_path: Path) -> None:
    path = tmp_path / "compose.yaml"
    path.write_text("services:\n  web:\n    image: nginx\n")
    assert read_log(path).skipped == "no cassette"
