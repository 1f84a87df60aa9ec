"""# duplicate_image: the same image bytes sent again

## What it does
Flags images, documents and sounds whose bytes stood in the history before. The cause says what had become of the
earlier copy, as in `reread`: `in_context`, `compacted`, `cleared`, or `parallel` where both came at once.

## Why it matters
Vendors charge an image by its size in pixels: a screenshot costs a thousand tokens and more, and as much again for its
copy, in every request that follows.

## Known problems
Text is counted here, images are not: an image block has no tokens, so a finding has none, and nothing in it is
avoidable. What is stated is how often it happened, and the bytes of the block. The same picture in another size or
encoding has other bytes and is not found. Logs that keep no bytes of images show none.

## Example
```python
[
    {"role": "user", "content": [image("aGVsbG8="), {"type": "text", "text": "What is this?"}]},
    {"role": "assistant", "content": "A chart."},
    {"role": "user", "content": [image("aGVsbG8="), {"type": "text", "text": "Which axis is time?"}]},
]
```
`image(data)` is
`{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}`.

Flagged: 0 tokens; avoidable: 0. One finding.

## Fix
Attach an image once and speak of it; have the tool answer "same as before" when a screenshot has not changed.

## References
- https://docs.anthropic.com/en/docs/build-with-claude/vision
- https://platform.openai.com/docs/guides/images-vision
"""

from __future__ import annotations

from headroom_cli.model import Waste
from headroom_cli.waste.history import History

NAME = "duplicate_image"


def find(history: History) -> list[Waste]:
    """One finding for each copy of an earlier medium."""
    findings = []
    latest: dict[str, int] = {}
    for block in history.blocks:
        if block.kind != "image" or not block.content_hash:
            continue
        earlier = latest.get(block.content_hash)
        if earlier is not None:
            # The first request that saw the copy: what it saw of the earlier one is what the copy was needed for.
            request = block.context[0].enters if block.context else None
            together = history.blocks[earlier].step == block.step
            cause = "parallel" if together else history.gone(earlier, request) or "in_context"
            findings.append(Waste(NAME, block.index, block.tokens, cause, first_block=earlier, request=request))
        latest[block.content_hash] = block.index
    return findings
