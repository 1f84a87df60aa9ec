"""Images and documents of a history, also those inside results, and what the head of an image tells of it."""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from headroom_cli.lint.history import Block, History, Pointer
from headroom_cli.wire.results import pixels

_HEAD = 32  # base64 characters that hold every magic number below
_JPEG_HEAD = 88_000  # the size of a JPEG stands behind its EXIF segment
_MAGIC = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))


@dataclass(slots=True, eq=False)
class Medium:
    """An image or document. `at` leads from `block` to what holds it; `data` is its base64 text, if it lies here."""

    block: Block
    at: Pointer
    kind: Literal["image", "document"]
    mime: str
    data: str | None

    @property
    def bytes(self) -> int:
        """The size of its data when decoded, from the length of the base64 text."""
        data = self.data or ""
        return max(len(data) * 3 // 4 - data[-2:].count("="), 0)

    @property
    def size(self) -> tuple[int, int] | None:
        """Width and height in pixels, if its head tells them."""
        if self.kind != "image" or not self.data:
            return None
        head = self.data[:_JPEG_HEAD]
        width, height = pixels(head.encode()) if head.isascii() else (None, None)
        return None if width is None or height is None else (width, height)


def media_of(history: History) -> list[Medium]:
    """All images and documents of a history in Anthropic's or Bedrock's form, in order."""
    if not history.of_kind("media") and not any(isinstance(block.value, list) for block in history.of_kind("result")):
        return []
    return [medium for block in history.blocks for medium in _in_block(block)]


def _in_block(block: Block) -> Iterator[Medium]:
    if block.kind == "media":
        found = _medium(block, block.raw, ())
        if found is not None:
            yield found
    elif block.kind == "result" and isinstance(block.value, list):
        path: Pointer = ("toolResult", "content") if block.type == "toolResult" else ("content",)
        for i, part in enumerate(block.value):
            found = _medium(block, part, (*path, i))
            if found is not None:
                yield found


def _medium(block: Block, raw: Any, at: Pointer) -> Medium | None:
    if not isinstance(raw, dict):
        return None
    name = raw.get("type")
    if name == "image" or name == "document":
        source = raw.get("source")
        source = source if isinstance(source, dict) else {}
        mime, data = source.get("media_type"), source.get("data")
        inline = source.get("type") == "base64" and isinstance(data, str)
        return Medium(
            block,
            (*at, "source"),
            "image" if name == "image" else "document",
            mime if isinstance(mime, str) else "",
            data if inline else None,
        )
    for kind in ("image", "document"):
        inner = raw.get(kind)
        if isinstance(inner, dict):
            form, source = inner.get("format"), inner.get("source")
            data = source.get("bytes") if isinstance(source, dict) else None
            if isinstance(data, dict):
                data = data.get("data")
            mime = f"{kind}/{form}" if isinstance(form, str) else ""
            return Medium(block, (*at, kind, "source"), kind, mime, data if isinstance(data, str) else None)
    return None


def real_type(data: str) -> str | None:
    """The media type that base64 data begins with: PNG, JPEG, GIF or WebP; "" for anything else; None: no base64."""
    chunk = data[:_HEAD]
    try:
        head = binascii.a2b_base64(chunk + "=" * (-len(chunk) % 4), strict_mode=True)
    except (binascii.Error, ValueError):
        return None
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    return next((mime for magic, mime in _MAGIC if head.startswith(magic)), "")
