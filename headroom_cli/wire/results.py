"""Text and media of values that several wire formats share: results of tools, arguments of calls, images and files."""

from __future__ import annotations

import binascii
import json
from functools import cache
from hashlib import md5
from typing import Any

from headroom_cli.model import Media

TEXT_TYPES = frozenset({"text", "input_text", "output_text"})

_STRANDS_MEDIA = ("image", "document", "video")
_IMAGE_TYPES = frozenset({"image", "image_url", "input_image", "computer_screenshot"})
_AUDIO_TYPES = frozenset({"input_audio", "audio", "audio_url"})
_FILE_TYPES = frozenset({"file", "input_file", "document", "container_upload", "video", "video_url"})
_JPEG_HEAD = 88_000  # base64 characters: a JPEG's size stands behind its EXIF segment, which may take 64 KiB
_HEAD = 44
# Start-of-frame markers of JPEG: C0-CF without DHT (C4), JPG (C8) and DAC (CC).
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def dump(value: Any, *, sort_keys: bool = False, separators: tuple[str, str] | None = None) -> str:
    """`json.dumps` with ASCII escapes that never raises: what cannot be dumped (nested too deep) gives ""."""
    try:
        return _encoder(sort_keys, separators).encode(value)
    except (TypeError, ValueError, RecursionError):
        return ""


@cache
def _encoder(sort_keys: bool, separators: tuple[str, str] | None) -> json.JSONEncoder:
    return json.JSONEncoder(sort_keys=sort_keys, separators=separators, default=str)


def arguments_text(arguments: Any) -> str:
    """Arguments of a call as text: a string as recorded, an object or list with sorted keys, None as ""."""
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else dump(arguments, sort_keys=True)


def call_text(name: str, arguments: Any) -> str:
    """The text of a call: `name(arguments)`."""
    return f"{name}({arguments_text(arguments)})"


def result_text(content: Any, line: int = 0) -> tuple[str, list[Media]]:
    """The text of a tool's result and the media in it, as `docs/signals.md` section 1 defines them.

    A string is its own text. The text parts of a list are joined with a newline; images, documents and audio become
    media, other parts nothing. Any other object is dumped with default separators.
    """
    if isinstance(content, str):
        return content, []
    if isinstance(content, dict):
        text = _text_of(content) if "type" in content else None
        if text is not None:
            return text, []
        media = media_part(content, line) if "type" in content else None
        return ("", [media]) if media is not None else (dump(content), [])
    if not isinstance(content, list):
        return ("" if content is None else dump(content)), []
    texts: list[str] = []
    found: list[Media] = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            text = _text_of(part)
            if text is not None:
                texts.append(text)
            elif (media := media_part(part, line)) is not None:
                found.append(media)
    return "\n".join(texts), found


def _text_of(part: dict[str, Any]) -> str | None:
    kind = part.get("type")
    if kind is None:
        text = part.get("text")
        if isinstance(text, str):
            return text
        return dump(part["json"]) if "json" in part else None
    if isinstance(kind, str) and kind in TEXT_TYPES:
        text = part.get("text")
        return text if isinstance(text, str) else ""
    return None


def media_part(part: dict[str, Any], line: int = 0) -> Media | None:
    """The media of a content part in any vendor's shape; None if the part is not an image, file or sound.

    Known shapes: OpenAI `image_url`, `input_image`, `input_audio`, `file`, `input_file`; Anthropic `image` and
    `document` with a `source`; MCP `data` with `mimeType`; Bedrock `image`, `document`, `video`; Gemini `inlineData`
    and `fileData`; a bare `{"type": "image"}`.
    """
    kind = part.get("type")
    if kind is None:
        return _untyped_media(part, line)
    if not isinstance(kind, str):
        return None
    if kind in _IMAGE_TYPES:
        fallback = "image/*"
    elif kind in _AUDIO_TYPES:
        fallback = "audio/*"
    elif kind in _FILE_TYPES:
        fallback = "video/*" if kind.startswith("video") else "application/octet-stream"
    else:
        return None
    source = part.get("source")
    if isinstance(source, dict):
        return _from_source(source, fallback, part, line)
    inner = part.get(kind)
    if isinstance(inner, dict):
        return _from_fields(inner, fallback, part, line)
    return _from_fields(part, fallback, part, line)


def _untyped_media(part: dict[str, Any], line: int) -> Media | None:
    for key in _STRANDS_MEDIA:
        inner = part.get(key)
        if isinstance(inner, dict):
            form = inner.get("format")
            mime = f"{key}/{form}" if key != "document" else f"application/{form}"
            source = inner.get("source")
            data = source.get("bytes") if isinstance(source, dict) else None
            return media_from_base64(data, mime if isinstance(form, str) else f"{key}/*", raw=part, line=line)
    for key in ("inlineData", "inline_data", "fileData", "file_data"):
        inner = part.get(key)
        if isinstance(inner, dict):
            return _from_fields(inner, "application/octet-stream", part, line)
    return None


def _from_source(source: dict[str, Any], fallback: str, raw: Any, line: int) -> Media:
    mime = source.get("media_type")
    if not isinstance(mime, str):
        mime = fallback
    data = source.get("data")
    if source.get("type") == "text" and isinstance(data, str):
        return media_from_text(data, mime, raw=raw, line=line)
    url = source.get("url")
    if isinstance(url, str) and data is None:
        return media_from_url(url, mime, raw=raw, line=line)
    return media_from_base64(data, mime, raw=raw, line=line)


def _from_fields(fields: dict[str, Any], fallback: str, raw: Any, line: int) -> Media:
    mime = next((v for k in ("mimeType", "mime_type", "media_type") if isinstance(v := fields.get(k), str)), None)
    form = fields.get("format")
    if mime is None:
        mime = f"audio/{form}" if isinstance(form, str) and fallback == "audio/*" else fallback
    for key in ("data", "file_data"):
        data = fields.get(key)
        if isinstance(data, str):
            return from_any_text(data, mime, raw=raw, line=line)
    for key in ("url", "image_url", "audio_url", "video_url", "file_url", "fileUri", "file_uri"):
        url = fields.get(key)
        if isinstance(url, str):
            return media_from_url(url, mime, raw=raw, line=line)
    return Media(mime, raw=raw, line=line)


def from_any_text(data: str, mime: str, *, raw: Any = None, line: int = 0) -> Media:
    """Media from a string that is either a data: URL or base64."""
    if data.startswith("data:"):
        return media_from_url(data, mime, raw=raw, line=line)
    return media_from_base64(data, mime, raw=raw, line=line)


def media_from_url(url: str, mime: str = "image/*", *, raw: Any = None, line: int = 0) -> Media:
    """Media behind a URL: bytes and pixels only if it is a `data:` URL; `mime` is used where the URL names none."""
    if not url.startswith("data:"):
        return Media(mime, raw=raw, line=line)
    comma = url.find(",", 5, 512)
    if comma < 0:
        return Media(mime, raw=raw, line=line)
    named, *parameters = url[5:comma].split(";")
    data = url[comma + 1 :]
    if "base64" in parameters:
        return media_from_base64(data, named or mime, raw=raw, line=line)
    return media_from_text(data, named or mime, raw=raw, line=line)


def media_from_text(text: str, mime: str, *, raw: Any = None, line: int = 0) -> Media:
    """A document that is given as plain text."""
    encoded = text.encode("utf-8", "surrogatepass")
    return Media(mime, len(encoded), digest=md5(encoded, usedforsecurity=False).hexdigest()[:16], raw=raw, line=line)


def media_from_base64(data: Any, mime: str, *, raw: Any = None, line: int = 0) -> Media:
    """Media from base64 text (or bytes, or Strands' `{"__bytes_encoded__": true, "data": base64}`).

    `bytes` is the decoded size, computed from the length; `digest` the first 16 hex of the MD5 of the base64 text.
    Only the head is decoded, for the pixels of a PNG, JPEG, GIF or WebP.
    """
    if isinstance(data, dict):
        data = data.get("data")
    if isinstance(data, (bytes, bytearray)):
        data = binascii.b2a_base64(data, newline=False).decode("ascii")
    if not isinstance(data, str) or not data:
        return Media(mime, raw=raw, line=line)
    encoded = data.encode("utf-8", "surrogatepass")
    padding = 2 if data.endswith("==") else 1 if data.endswith("=") else 0
    width, height = pixels(encoded)
    digest = md5(encoded, usedforsecurity=False).hexdigest()[:16]
    return Media(mime, max(len(data) * 3 // 4 - padding, 0), width, height, digest, raw=raw, line=line)


def pixels(encoded: bytes) -> tuple[int | None, int | None]:
    """Width and height from the head of base64-encoded PNG, JPEG, GIF or WebP data."""
    length = _JPEG_HEAD if encoded.startswith(b"/9j/") else _HEAD
    chunk = encoded[:length]
    try:
        head = binascii.a2b_base64(chunk[: len(chunk) // 4 * 4])
    except binascii.Error:
        return None, None
    if head.startswith(b"\x89PNG\r\n\x1a\n") and len(head) >= 24:
        return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
    if head.startswith((b"GIF87a", b"GIF89a")) and len(head) >= 10:
        return int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")
    if head.startswith(b"\xff\xd8"):
        return _jpeg_pixels(head)
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP" and len(head) >= 30:
        return _webp_pixels(head)
    return None, None


def _jpeg_pixels(head: bytes) -> tuple[int | None, int | None]:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker in _JPEG_FRAMES:
            return int.from_bytes(head[at + 7 : at + 9], "big"), int.from_bytes(head[at + 5 : at + 7], "big")
        if marker == 0xFF:
            at += 1
            continue
        at += 2 + max(int.from_bytes(head[at + 2 : at + 4], "big"), 2)
    return None, None


def _webp_pixels(head: bytes) -> tuple[int | None, int | None]:
    chunk = head[12:16]
    if chunk == b"VP8X":
        return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
    if chunk == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if chunk == b"VP8 ":
        return int.from_bytes(head[26:28], "little") & 0x3FFF, int.from_bytes(head[28:30], "little") & 0x3FFF
    return None, None
