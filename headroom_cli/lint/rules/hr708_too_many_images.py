"""# HR708 too-many-images

The request holds more images and documents than the model takes.

## Why it is refused

Claude models with a window of one million tokens take 600 images and documents, those with 200,000 take 100. Over
Bedrock, the ends of the service differ: up to 20 are safe, up to 100 work on most, up to 600 on some. More than 600 are
refused everywhere; below that it is a warning unless the model is known.

## Example

None in full: it takes 101 images.

## What to do

Drop the oldest images (`--unsafe-fixes` puts texts in their place), or compact the session.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Check, Finding, Fix, Rule, Severity
from headroom_cli.lint.models import traits

_FIX = Fix("neutralize", "put texts in the place of the oldest images", safe=False)
_MOST = 600
_SMALL = 100


def check(check: Check) -> Iterator[Finding]:
    """The first image that is one too many."""
    count = len(check.media)
    safe = 20 if check.profile.name == "bedrock" else _SMALL
    if count <= safe:
        return
    known = traits(check.history.model).max_images if check.profile.name == "anthropic" else None
    if count > (known or _MOST):
        severity: Severity = "error"
        most = known or _MOST
    elif known is None:
        severity, most = "warning", safe
    else:
        return
    images = sum(medium.kind == "image" for medium in check.media)
    extra = check.media[most]
    yield check.finding(
        f"{count} images and documents; {most} are the most" + ("" if severity == "error" else " that are safe"),
        extra.block,
        at=extra.at,
        severity=severity,
        confidence="high" if severity == "error" else "medium",
        api_error=f"too many images and documents: {images} + {count - images} > {most}",
        fix=_FIX,
    )


RULE = Rule(
    code="HR708",
    name="too-many-images",
    summary="More images and documents than the model takes.",
    refs={"anthropic": ("A41",), "bedrock": ("A41", "B06")},
    check=check,
)
