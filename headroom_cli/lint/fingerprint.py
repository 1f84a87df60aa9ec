"""What keeps a finding the same from run to run, and tells it from others."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson

from headroom_cli.lint.base import Finding
from headroom_cli.lint.places import pointer_text

_DIGITS = 24


def fingerprint(finding: Finding) -> str:
    """What stays the same when lines and messages move: rule, provider, calls, and the value at fault.

    Not the place: a message that is inserted before it moves all that follow.
    """
    value = finding.target.raw if finding.target is not None else finding.message
    parts = [
        finding.rule.code.encode(),
        finding.provider.encode(),
        *(call.encode("utf-8", "surrogatepass") for call in finding.call_ids),
        pointer_text(tuple("*" if isinstance(token, int) else token for token in finding.at)).encode(
            "utf-8", "replace"
        ),
        _bytes_of(value),
    ]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:_DIGITS]


def _bytes_of(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS, default=str)
    except (TypeError, ValueError, RecursionError):
        return repr(value).encode("utf-8", "replace")
