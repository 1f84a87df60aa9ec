from __future__ import annotations

from headroom_cli.lint.base import Check
from headroom_cli.lint.providers import PROFILES
from headroom_cli.lint.rules import hr709_request_too_large as hr709
from headroom_cli.lint.sent import history_of
from tests.lint.support import user

MOST = 32 * 2**20
ENVELOPE = len('{"model":"m","messages":[{"role":"user","content":""}]}')


def severities(size: int, as_: str = "request", provider: str = "anthropic") -> list[tuple[str, str]]:
    """The findings of a request of exactly so many bytes."""
    messages = [user("é" * ((size - ENVELOPE) // 2) + "x" * ((size - ENVELOPE) % 2))]
    body = {"model": "m", "messages": messages}
    check = Check(history_of(messages, "anthropic", body=body, judged_as=as_), PROFILES[provider])  # type: ignore[arg-type]
    check.rule = hr709.RULE
    return [(f.severity, f.message) for f in hr709.check(check)]


def test_the_size_is_exact() -> None:
    assert severities(MOST + 1) == [("error", "the request has 33,554,433 bytes; 33,554,432 are the most")]
    assert severities(MOST) == [("warning", "the request has 33,554,432 bytes; 33,554,432 are the most")]
    assert severities(int(MOST * 0.94)) == []


def test_only_requests_are_judged() -> None:
    assert severities(MOST + 1, as_="history") == []
    assert severities(MOST + 1, provider="bedrock") == []
