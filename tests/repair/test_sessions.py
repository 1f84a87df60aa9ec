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


@pytest.mark.parametrize(
    ("second", "kept", "what"),
    [
        ("312 links, all fine", [], "drop it from its line"),
        ("no result recorded", [], "drop it from its line"),
        ("two are broken", ["[result of Bash ({})]\ntwo are broken"], "keep it as text, in its line"),
    ],
)
def test_of_two_results_in_a_line_the_right_one_goes(second: str, kept: list[str], what: str) -> None:
    rows = [json.loads(line) for line in (HERE / "claude-interrupted-call.jsonl").read_text("utf-8").splitlines()]
    (result,) = rows[5]["message"]["content"]
    rows[5]["message"]["content"] = [result, {**result, "content": second}]
    data = "\n".join(json.dumps(row) for row in rows).encode()
    outcome = repair_session(data, "s.jsonl")
    assert [(repair.line, repair.rule, repair.what) for repair in outcome.repairs][1:] == [(6, "HR104", what)]
    after = [json.loads(line) for line in outcome.after.decode().splitlines()]
    texts = [{"type": "text", "text": words.format(result["tool_use_id"])} for words in kept]
    assert after[6] == {**rows[5], "message": {"role": "user", "content": [result, *texts]}}
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


def rollout(*items: dict[str, Any], **meta: Any) -> bytes:
    """A rollout of these items, between a prompt and an answer."""
    head = {"id": "019a7e31-5d0c-7b42-9a15-2c8f6e4d1b07", "cwd": "/code/acme", "cli_version": "0.125.0", **meta}
    said = [_message("user", "input_text", "go"), *items, _message("assistant", "output_text", "done")]
    rows = [{"type": "session_meta", "payload": head}, *({"type": "response_item", "payload": item} for item in said)]
    return b"".join(json.dumps({"timestamp": "2026-11-13T10:20:00.000Z", **row}).encode() + b"\n" for row in rows)


def _message(role: str, kind: str, words: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": words}]}


def _call(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "name": name, "arguments": "{}", "call_id": f"call_{name}", **more}


def _output(name: str, words: str, kind: str = "function_call_output") -> dict[str, Any]:
    return {"type": kind, "call_id": f"call_{name}", "output": words}


PATCH = {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch", "call_id": "call_patch"}
SHOWN = "[result of a call (call_lost), which is not in this history]\n7 files"


@pytest.mark.parametrize(
    ("broken", "sound", "repairs"),
    [
        (
            [_output("ls", "a.py"), _call("ls"), _call("id"), _output("id", "0")],
            [_call("ls"), _output("ls", "a.py"), _call("id"), _output("id", "0")],
            [(3, "HR103", "move its line to right after the call")],
        ),
        (
            [_call("ls"), _output("ls", "aborted"), _output("ls", "a.py")],
            [_call("ls"), _output("ls", "a.py")],
            [(4, "HR104", "drop the line")],
        ),
        (
            [_call("ls"), _output("ls", "a.py"), _output("ls", "b.py")],
            [
                _call("ls"),
                _output("ls", "a.py"),
                _message("developer", "input_text", "[result of ls (call_ls)]\nb.py"),
            ],
            [(5, "HR104", "keep it as text, in its line")],
        ),
        (
            [_call("ls"), _call("ls"), _output("ls", "a.py")],
            [_call("ls"), _output("ls", "a.py")],
            [(4, "HR201", "drop the line")],
        ),
        (
            [PATCH, _output("patch", "Success")],
            [PATCH, _output("patch", "Success", "custom_tool_call_output")],
            [(4, "HR108", "make it a custom_tool_call_output")],
        ),
        ([_output("lost", "aborted")], [], [(3, "HR102", "drop the line")]),
        (
            [_output("lost", "7 files")],
            [_message("developer", "input_text", SHOWN)],
            [(3, "HR102", "keep it as text, in its line")],
        ),
        ([_call("ls")], [_call("ls")], []),  # Codex itself says that it was aborted
    ],
)  # fmt: skip
def test_repairs_of_rollouts(
    broken: list[dict[str, Any]], sound: list[dict[str, Any]], repairs: list[tuple[int, str, str]]
) -> None:
    outcome = repair_session(rollout(*broken), "rollout.jsonl")
    assert [(repair.line, repair.rule, repair.what) for repair in outcome.repairs] == repairs
    assert outcome.after == rollout(*sound)
    assert outcome.left == []


def test_a_rollout_that_counts_its_lines_keeps_their_number() -> None:
    data = rollout(_call("ls"), _output("ls", "aborted"), _output("ls", "a.py"), history_mode="paginated")
    outcome = repair_session(data, "rollout.jsonl")
    kept = _message("developer", "input_text", "[result of ls (call_ls)]\naborted")
    assert outcome.after == rollout(_call("ls"), kept, _output("ls", "a.py"), history_mode="paginated")
    moved = rollout(_output("ls", "a.py"), _call("ls"), history_mode="paginated")
    outcome = repair_session(moved, "rollout.jsonl")
    assert [(left.finding.rule.code, left.why) for left in outcome.left] == [("HR103", "its line cannot be moved")]
    assert outcome.after == moved


def session_lines(*rows: tuple[str, str | None, str, Any]) -> bytes:
    """Lines of a session by uuid, parent, response (empty: the user's) and content."""
    made = []
    for uuid, parent, response, content in rows:
        message: dict[str, Any] = {"role": "assistant" if response else "user", "content": content}
        if response:
            message |= {"id": response, "model": "claude-opus-4-5-20251101"}
        made.append({"type": message["role"], "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message})
    return "".join(json.dumps(row) + "\n" for row in made).encode()


@pytest.mark.parametrize(
    ("useless", "rule"),
    [
        ({"type": "thinking", "thinking": "Hm."}, "HR504"),  # a gateway that keeps no signatures
        ({"type": "thinking", "thinking": "Hm.", "signature": ""}, "HR504"),
        ({"type": "server_tool_use", "id": "call_1", "name": "webReader", "input": {}}, "HR110"),
    ],
)
def test_what_no_provider_takes_and_nobody_misses_goes_with_its_line(useless: Any, rule: str) -> None:
    said = [{"type": "text", "text": "Done."}]
    data = session_lines(
        ("u1", None, "", "look"),
        ("a1", "u1", "msg_1", [useless]),
        ("a2", "a1", "msg_1", said),
        ("u2", "a2", "", "thanks"),
        ("a3", "u2", "msg_2", said),
    )
    assert errors(data, "s.jsonl") == [rule]
    outcome = repair_session(data, "s.jsonl")
    assert [(repair.line, repair.rule, repair.what) for repair in outcome.repairs] == [(2, rule, "drop the line")]
    before, after = data.decode().splitlines(), outcome.after.decode().splitlines()
    assert [*after[:1], *after[2:]] == [*before[:1], *before[3:]]
    assert json.loads(after[1]) == {**json.loads(before[2]), "parentUuid": "u1"}
    assert errors(outcome.after, "s.jsonl") == []
    assert repair_session(outcome.after, "s.jsonl").after == outcome.after
