"""# HR705 image-type

An image is not what its media type says, or cannot be read.

## Why it is refused

Anthropic compares `media_type` with the first bytes of the image and takes PNG, JPEG, GIF and WebP. Screenshots that
are named `.png` and hold a JPEG are the usual case; an image that lies in the history fails in every later request.
Empty data, and data that is no Base64 or no image, is refused as well. The latter is a warning in logs that hold no
requests, which may have left the image out, and in Bedrock's, where bytes are written in many ways.

## Example

```json
{"messages": [{"role": "user", "content": [
  {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "/9j/4AAQSkZJRgABAQ=="}}]}]}
```

## What to do

Set the media type that the bytes have (`--fix` does); put a text in the place of what is no image.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule
from headroom_cli.lint.images import real_type

_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_NEUTRALIZE = Fix("neutralize", "put a text in the place of the image", safe=False)


def check(check: Check) -> Iterator[Finding]:
    """Images whose data does not fit their media type."""
    sure = check.history.judged_as == "request" and check.profile.name == "anthropic"
    for medium in check.media:
        if medium.kind != "image" or medium.data is None:
            continue
        given = "image/jpeg" if medium.mime == "image/jpg" and check.profile.name == "bedrock" else medium.mime
        real = real_type(medium.data) if medium.data else None
        if real in _TYPES and real != given:
            yield check.finding(
                f"the image is {real}, not {given or 'what it says'}",
                medium.block,
                at=medium.at,
                api_error=f"image.source.base64: Image does not match the provided media type {given}",
                fix=Fix("set", f"set the media type {real}"),
            )
        elif not real:
            yield check.finding(
                "the image has no data" if not medium.data else "the data is no image that a provider takes",
                medium.block,
                at=medium.at,
                severity="error" if sure else "warning",
                api_error="image cannot be empty" if not medium.data else "Could not process image",
                fix=_NEUTRALIZE,
            )


RULE = Rule(
    code="HR705",
    name="image-type",
    summary="An image that is not what its media type says.",
    refs={"anthropic": ("A38",), "bedrock": ("A38",)},
    check=check,
)
