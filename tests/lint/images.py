"""Images for tests: heads that tell a size, and nothing more."""

from __future__ import annotations

import base64
import struct
from typing import Any


def png(width: int, height: int, size: int = 0) -> str:
    """The head of a PNG in Base64, filled up to `size` bytes."""
    head = (
        b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    )
    return base64.b64encode(head.ljust(size, b"\0")).decode()


def jpeg(width: int, height: int, exif: int = 0) -> str:
    """The head of a JPEG in Base64, with an EXIF segment of so many bytes before its size."""
    segment = b"\xff\xe1" + struct.pack(">H", exif + 2) + bytes(exif) if exif else b""
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes(9)
    return base64.b64encode(b"\xff\xd8" + segment + frame).decode()


def webp(width: int, height: int) -> str:
    """The head of an extended WebP in Base64."""
    sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    chunk = b"VP8X" + struct.pack("<I", 10) + bytes(4) + sizes
    return base64.b64encode(b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk).decode()


def gif(width: int, height: int) -> str:
    """The head of a GIF in Base64."""
    return base64.b64encode(b"GIF89a" + struct.pack("<HH", width, height) + bytes(3)).decode()


def image(data: str, mime: str = "image/png") -> dict[str, Any]:
    """An image block of Anthropic's."""
    return {"type": "image", "source": {"type": "base64", "media_type": mime, "data": data}}
