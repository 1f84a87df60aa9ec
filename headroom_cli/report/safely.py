"""JSON as bytes that no terminal acts on.

JSON escapes the control characters below U+0020. Those from U+007F to U+009F, which some terminals obey as well, and
the marks that turn the direction of writing are escaped here too: any reader of JSON gives the same strings.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

_OBEYED = re.compile(rb"\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]")


def json_bytes(value: Any, option: int = 0) -> bytes:
    """One line of JSON, or with `orjson.OPT_INDENT_2` several, and the end of the line."""
    written = orjson.dumps(value, option=option) + b"\n"
    return _OBEYED.sub(lambda found: b"\\u%04x" % ord(found[0].decode()), written)
