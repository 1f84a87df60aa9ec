from __future__ import annotations

from headroom_cli.lint.engine import judge
from headroom_cli.lint.providers import PROFILES
from headroom_cli.lint.sent import history_of
from tests.lint.support import assistant, bedrock_result, bedrock_use, of, tool_result, tool_use, user

HISTORY = [user("x"), assistant(tool_use("t1")), user(tool_result("t1"))]
CONVERSE = [
    {"role": "user", "content": [{"text": "x"}]},
    assistant(bedrock_use("a")),
    user(bedrock_result("a")),
]


def test_anthropic_takes_it_and_bedrock_does_not() -> None:
    found = of("HR604", HISTORY, model="claude-opus-4-8")
    assert [(f.severity, f.refs) for f in found] == [("warning", ("A46",))]
    found = of("HR604", CONVERSE, "bedrock", inferenceConfig={"maxTokens": 9}, modelId="m")
    assert [(f.severity, f.refs) for f in found] == [("error", ("B03",))]
    assert "toolConfig field must be defined" in (found[0].api_error or "")
    assert of("HR604", HISTORY, model="claude-opus-4-8", tools=[])


def test_a_body_of_messages_alone_may_have_been_stored_so() -> None:
    # support.findings puts the messages into the body, as a request has them.
    assert [f.severity for f in of("HR604", CONVERSE, "bedrock")] == ["warning"]


def test_healthy_twins() -> None:
    tools = [{"toolSpec": {"name": "f", "inputSchema": {"json": {}}}}]
    assert not of("HR604", CONVERSE, "bedrock", modelId="m", toolConfig={"tools": tools})
    assert not of("HR604", HISTORY, tools=[{"name": "f"}])
    assert not of("HR604", HISTORY, as_="history")
    assert not of("HR604", [user("x")], model="claude-opus-4-8")


def test_bare_messages_tell_nothing_of_tools() -> None:
    history = history_of(CONVERSE, "bedrock", judged_as="request")
    assert "HR604" not in [finding.rule.code for finding in judge(history, [PROFILES["bedrock"]])]
