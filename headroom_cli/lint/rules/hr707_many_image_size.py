"""# HR707 many-image-size

With more than 20 images in a request, one of them has a side of more than 2000 pixels.

## Why it is refused

Anthropic lowers its limit from 8000 to 2000 pixels a side once a request holds more than 20 images, those in results
included; Bedrock counts documents too. The 21st screenshot makes an old one fail, and the session is stuck.

## Example

```json
{"messages": [{"role": "user", "content": [
  {"type": "image", "source": {
    "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAADwAAAAhwCAIAAAA="}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}},
  {"type": "image", "source": {"type": "url", "url": "https://example.com/1.png"}}]}]}
```

## What to do

Scale screenshots down before they enter the history. For a history that is stuck, `--unsafe-fixes` puts texts in the
place of the oldest images that are too large, until the rest is taken.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule

_FIX = Fix("neutralize", "put a text in the place of the image", safe=False)


def check(check: Check) -> Iterator[Finding]:
    """Images over the lower limit, in a request with many."""
    many, side = check.profile.many_images, check.profile.many_images_side
    if many is None or side is None or len(check.media) <= many:
        return
    images = [medium for medium in check.media if medium.kind == "image"]
    count = len(check.media) if check.profile.name == "bedrock" else len(images)
    if count <= many:
        return
    for medium in images:
        pixels = medium.size
        if pixels is None or max(pixels) <= side:
            continue
        at = medium.block.entry.index
        yield check.finding(
            f"the image has {pixels[0]} x {pixels[1]} pixels; with {count} images, {side} a side are the most",
            medium.block,
            at=medium.at,
            api_error=f"messages.{at}.image.source.base64.data: At least one of the image dimensions exceed max "
            f"allowed size for many-image requests: {side} pixels",
            fix=_FIX,
        )


RULE = Rule(
    code="HR707",
    name="many-image-size",
    summary="A large image in a request with many.",
    refs={"anthropic": ("A40",), "bedrock": ("A40",)},
    check=check,
)
