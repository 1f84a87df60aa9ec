from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli.lint.engine import judge_session
from headroom_cli.lint.sent import sessions
from headroom_cli.logs import read_stream
from headroom_cli.repair.lines import SessionRepair
from headroom_cli.repair.sessions import repair_session

HERE = Path(__file__).parent / "sessions"
SAMPLES = Path(__file__).parents[2] / "sample_transcripts"
SOUND = [
    *sorted(SAMPLES.glob("claude-code/projects/*/*.jsonl")),
    *sorted(SAMPLES.glob("codex/sessions/*/*/*/*.jsonl")),
]


def repaired(name: str) -> tuple[list[str], list[str], SessionRepair]:
    """The lines of a broken session, those of the repaired one, and what was done."""
    data = (HERE / name).read_bytes()
    outcome = repair_session(data, name)
    return data.decode().split("\n"), outcome.after.decode().split("\n"), outcome


def errors(data: bytes, name: str) -> list[str]:
    reading = read_stream(io.BytesIO(data), name, keeps_sent=True)
    found = [finding for session in sessions(reading) for finding in judge_session(session)]
    return sorted(finding.rule.code for finding in found if finding.severity == "error")


def messages_of(line: str) -> Any:
    return json.loads(line)["message"]


def test_a_result_whose_call_was_never_written_stays_as_text() -> None:
    before, after, outcome = repaired("claude-lost-call.jsonl")
    (repair,) = outcome.repairs
    assert (repair.line, repair.rule, repair.what) == (8, "HR102", "keep it as text, in its line")
    assert outcome.touched == 1 and outcome.left == []
    assert [*after[:7], *after[8:]] == [*before[:7], *before[8:]]
    was, now = json.loads(before[7]), json.loads(after[7])
    call_id = was["message"]["content"][0]["tool_use_id"]
    assert messages_of(after[7]) == {
        "role": "user",
        "content": [
            {
                "type": "text",
                "text": f"[result of a call ({call_id}), which is not in this history]\n"
                + was["message"]["content"][0]["content"],
            }
        ],
    }
    # It hangs on the line before the lost one, so that the chain of the session is whole again.
    assert now["parentUuid"] == json.loads(before[6])["uuid"]
    rest = {"message", "parentUuid"}
    assert {k: v for k, v in now.items() if k not in rest} == {k: v for k, v in was.items() if k not in rest}
    assert errors(outcome.after, "s.jsonl") == []


def test_an_interrupted_parallel_call_gets_an_honest_result() -> None:
    before, after, outcome = repaired("claude-interrupted-call.jsonl")
    (repair,) = outcome.repairs
    assert (repair.line, repair.rule, repair.what) == (5, "HR101", 'add a line after it: "no result recorded"')
    assert [*after[:5], *after[6:]] == before
    call, added = json.loads(before[4]), json.loads(after[5])
    assert added == {
        **{key: call[key] for key in ("isSidechain", "slug", "userType", "cwd", "sessionId", "version", "gitBranch")},
        "parentUuid": call["uuid"],
        "type": "user",
        "message": {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": call["message"]["content"][0]["id"],
                    "content": "no result recorded",
                    "is_error": True,
                }
            ],
        },
        "uuid": "e36527e1-9290-5e45-b9be-ffbfda619345",  # made from those of the line and of the call
        "timestamp": call["timestamp"],
        "toolUseResult": "Error: no result recorded",
        "sourceToolAssistantUUID": call["uuid"],
    }
    assert errors(outcome.after, "s.jsonl") == []


@pytest.mark.parametrize(("name", "number"), [("codex-orphan-output.jsonl", 12), ("codex-bare-items.jsonl", 5)])
def test_an_output_without_a_call_becomes_a_message_of_the_developer(name: str, number: int) -> None:
    before, after, outcome = repaired(name)
    assert [(repair.line, repair.rule) for repair in outcome.repairs] == [(number, "HR102")]
    assert outcome.touched == 1 and outcome.left == []
    was, now = json.loads(before.pop(number - 1)), json.loads(after.pop(number - 1))
    assert after == before
    output = was.get("payload", was)
    words = f"[result of a call ({output['call_id']}), which is not in this history]\n{output['output']}"
    message = {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": words}]}
    assert now == ({**was, "payload": message} if "payload" in was else message)
    assert errors(outcome.after, "rollout.jsonl") == []


def test_a_repaired_line_keeps_its_form() -> None:
    _, after, _ = repaired("codex-orphan-output.jsonl")
    assert after[11].startswith(
        '{"timestamp":"2026-11-13T10:20:06.034Z","type":"response_item","payload":{"type":"message","role":"developer",'
    )


@pytest.mark.parametrize("path", SOUND, ids=lambda path: path.name)
def test_sound_sessions_are_left_alone(path: Path) -> None:
    data = path.read_bytes()
    outcome = repair_session(data, path.name)
    assert outcome.after == data
    assert (outcome.repairs, outcome.left, outcome.touched) == ([], [], 0)


@pytest.mark.parametrize("path", SOUND, ids=lambda path: path.name)
@given(data=st.data())
@settings(max_examples=40)
def test_lost_and_doubled_lines(path: Path, data: st.DataObject) -> None:
    lines = path.read_bytes().split(b"\n")
    kinds = (b'"type":"tool_use"', b'"type":"tool_result"', b'"type":"function_call')
    places = [number for number, line in enumerate(lines) if any(kind in line for kind in kinds)]
    for number in sorted(data.draw(st.sets(st.sampled_from(places), min_size=1, max_size=5)), reverse=True):
        if data.draw(st.booleans()):
            del lines[number]
        else:
            lines.insert(number, lines[number])
    broken = b"\n".join(lines)
    outcome = repair_session(broken, path.name)
    # What is left is told, and a second repair changes nothing.
    assert errors(outcome.after, path.name) == sorted(left.finding.rule.code for left in outcome.left) == []
    again = repair_session(outcome.after, path.name)
    assert (again.after, again.repairs) == (outcome.after, [])
    # No more lines change than is said, and all others stay in their order, byte for byte.
    after = outcome.after.split(b"\n")
    gone, new = Counter(lines) - Counter(after), Counter(after) - Counter(lines)
    assert max(gone.total(), new.total()) <= outcome.touched
    kept = iter(lines)
    assert all(line in kept for line in after if not new[line])


def test_a_torn_last_line_goes() -> None:
    data = SOUND[0].read_bytes()
    outcome = repair_session(data + b'{"parentUuid":"cf0c056b-47b6-402f-809b-b3a3d785176c","isSidecha', SOUND[0].name)
    (repair,) = outcome.repairs
    assert (repair.rule, repair.problem, repair.what) == ("HR901", "last line torn after 63 bytes", "drop the line")
    assert outcome.after == data


def test_line_ends_and_strange_bytes_of_other_lines_stay() -> None:
    lines = (HERE / "claude-lost-call.jsonl").read_bytes().replace(b"\n", b"\r\n").split(b"\r\n")
    lines.insert(3, b'{"type":"note","text":"\xff\xfe"}   ')
    outcome = repair_session(b"\r\n".join(lines), "s.jsonl")
    after = outcome.after.split(b"\r\n")
    assert outcome.touched == 1
    assert [*after[:8], *after[9:]] == [*lines[:8], *lines[9:]]


def test_a_call_that_a_session_ends_with_is_left_alone() -> None:
    lines = (HERE / "claude-interrupted-call.jsonl").read_bytes().split(b"\n")[:5]
    outcome = repair_session(b"\n".join(lines), "s.jsonl")
    assert outcome.repairs == []
    assert outcome.left == []


def test_thinking_after_a_repair_is_told() -> None:
    data = (HERE / "claude-lost-call.jsonl").read_bytes().replace(b"claude-opus-4-6", b"claude-fable-5-2")
    outcome = repair_session(data, "s.jsonl")
    assert [repair.thinking for repair in outcome.repairs] == [None]  # all thinking stands before it
    lines = data.split(b"\n")
    thought = json.loads(lines[2])
    answer = json.loads(lines[8])
    answer["message"]["content"] = [*thought["message"]["content"], *answer["message"]["content"]]
    lines[8] = json.dumps(answer, ensure_ascii=False).encode()
    outcome = repair_session(b"\n".join(lines), "s.jsonl")
    assert [repair.thinking for repair in outcome.repairs] == ["yes"]


def test_other_files_are_refused() -> None:
    chat = b'{"role": "user", "content": "hi"}\n{"role": "assistant", "content": "hello"}\n'
    refused = repair_session(chat, "chat.jsonl").refused
    assert refused == "it is no session of Claude Code or Codex; for other histories: headroom lint --fix"
    assert repair_session(b"\x1f\x8b\x08\x00", "s.jsonl.gz").refused == "it is compressed; expand it first"


def test_repairs_that_undo_each_other_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headroom_cli.repair.lines.MAX_ROUNDS", 1)
    before, after, outcome = repaired("claude-lost-call.jsonl")
    assert after == before
    assert [(left.finding.rule.code, left.why) for left in outcome.left] == [("HR102", "repairs of it undo each other")]
