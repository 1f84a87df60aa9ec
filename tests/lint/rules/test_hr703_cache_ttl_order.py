from __future__ import annotations

from typing import Any

from tests.lint.support import of, text, user

SHORT = {"cache_control": {"type": "ephemeral"}}
LONG = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


def test_an_hour_after_five_minutes() -> None:
    found = of("HR703", [user({**text("x"), **LONG})], system=[{**text("s"), **SHORT}])
    assert [(f.severity, f.refs, f.at, f.message) for f in found] == [
        (
            "error",
            ("A36",),
            ("cache_control", "ttl"),
            "a marker of one hour in messages comes after one of five minutes in system",
        )
    ]


def test_tools_come_first() -> None:
    found = of("HR703", [user("x")], system=[{**text("s"), **LONG}], tools=[{"name": "f", **SHORT}])
    assert [(f.target, f.at) for f in found] == [(None, ("system", 0, "cache_control", "ttl"))]


def test_healthy_twins() -> None:
    long_first: dict[str, Any] = {"system": [{**text("s"), **LONG}], "tools": [{"name": "f", **LONG}]}
    assert not of("HR703", [user({**text("x"), **SHORT})], **long_first)
    assert not of("HR703", [user({**text("x"), **LONG})], **long_first)
    assert not of("HR703", [user({**text("x"), **SHORT})], system=[{**text("s"), "cache_control": {"ttl": "5m"}}])
    assert not of("HR703", [user({**text("x"), **LONG})], cache_control={"type": "ephemeral"})
