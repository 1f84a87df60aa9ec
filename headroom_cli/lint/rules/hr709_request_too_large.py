"""# HR709 request-too-large

The body of the request is larger than the provider takes.

## Why it is refused

Anthropic takes 32 MB; more gives a 413 before anything is read. Images that stay in a history are the usual cause. The
size is exact: that of the body as compact JSON, which clients send. From 95 % on it is a warning, for the next turn may
pass the limit. Tokens over the window are not judged: lint counts none.

## Example

None in full: it takes 33 MB.

## What to do

Compact the session, drop old images, or refer to files by id. There is no repair.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from headroom_cli.lint.base import Check, Finding, Rule
from headroom_cli.wire.results import dump

_NEAR = 0.95


def check(check: Check) -> Iterator[Finding]:
    """A request whose body is over the limit, or close to it."""
    history, most = check.history, check.profile.body_bytes
    if most is None or history.judged_as != "request" or not isinstance(history.anchor, dict):
        return
    size = _size(history.anchor)
    if size <= most * _NEAR:
        return
    yield check.finding(
        f"the request has {size:,} bytes; {most:,} are the most",
        line=history.line,
        severity="error" if size > most else "warning",
        api_error="Request exceeds the maximum size",
    )


def _size(body: dict[str, Any]) -> int:
    try:
        return len(orjson.dumps(body))
    except (TypeError, orjson.JSONEncodeError):
        return len(dump(body).encode("utf-8", "surrogatepass"))


RULE = Rule(
    code="HR709",
    name="request-too-large",
    summary="A request over the provider's limit of bytes.",
    refs={"anthropic": ("A45",)},
    check=check,
)
