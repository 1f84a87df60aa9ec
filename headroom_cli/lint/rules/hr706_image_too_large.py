"""# HR706 image-too-large

An image is larger than the provider takes.

## Why it is refused

Anthropic takes images of 5 MB, and of 8000 pixels on each side. Sources do not agree whether the 5 MB mean the image or
its Base64 text, which is a third longer: between the two it is a warning. The size in pixels is read from the head of a
PNG, JPEG, GIF or WebP.

## Example

```json
{"messages": [{"role": "user", "content": [{"type": "image", "source": {
  "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAAIygAAA+gCAIAAAA="}}]}]}
```

## What to do

Scale the image down. Lint does not do that; `--unsafe-fixes` puts a text in its place.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule

_FIX = Fix("neutralize", "put a text in the place of the image", safe=False)


def check(check: Check) -> Iterator[Finding]:
    """Images over the limits of bytes or pixels."""
    most, side = check.profile.image_bytes, check.profile.image_side
    for medium in check.media:
        if medium.kind != "image" or not medium.data:
            continue
        if most is not None and len(medium.data) > most:
            sure = medium.bytes > most
            size = medium.bytes if sure else len(medium.data)
            yield check.finding(
                f"the image has {size:,} bytes{'' if sure else ' as Base64'}; {most:,} are the most",
                medium.block,
                at=medium.at,
                severity="error" if sure else "warning",
                confidence="high" if sure else "low",
                api_error=f"image exceeds {most // 2**20} MB maximum: {size} bytes > {most} bytes",
                fix=_FIX,
            )
        elif side is not None and (pixels := medium.size) is not None and max(pixels) > side:
            yield check.finding(
                f"the image has {pixels[0]} x {pixels[1]} pixels; {side} a side are the most",
                medium.block,
                at=medium.at,
                api_error=f"At least one of the image dimensions exceed max allowed size: {side} pixels",
                fix=_FIX,
            )


RULE = Rule(
    code="HR706",
    name="image-too-large",
    summary="An image over the provider's limit of bytes or pixels.",
    refs={"anthropic": ("A39",), "bedrock": ("A39",)},
    check=check,
)
