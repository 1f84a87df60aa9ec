from __future__ import annotations

from tests.lint.support import of, user


def test_a_name_declared_twice() -> None:
    tools = [{"name": "read"}, {"name": "write"}, {"name": "read"}]
    found = of("HR605", [user("x")], tools=tools)
    assert [(f.severity, f.refs, f.at, f.message) for f in found] == [
        ("error", ("A11",), ("tools", 2, "name"), "the tool read is declared twice, first at tools/0")
    ]


def test_bedrock() -> None:
    spec = {"toolSpec": {"name": "read"}}
    found = of("HR605", [user({"text": "x"})], "bedrock", toolConfig={"tools": [spec, spec]})
    assert [(f.severity, f.at) for f in found] == [("warning", ("toolConfig", "tools", 1, "toolSpec", "name"))]


def test_healthy_twins() -> None:
    assert not of("HR605", [user("x")], tools=[{"name": "read"}, {"name": "Read"}])
    assert not of("HR605", [user("x")], tools=[None, {}, {"name": None}, {"name": None}, {"name": ["a"]}])
    assert not of("HR605", [user("x")])
