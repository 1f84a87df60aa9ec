"""# HR902 missing-parent

A line of a Claude Code session follows one that is not in the file.

## Why it matters

Claude Code resumes a session by walking from the last line to the first, from parent to parent. Where a parent is
missing the walk ends: the model sees less than the file holds, and perhaps a result without its call.

A file that begins in the middle of a session (a copy, an excerpt) has such a line at its beginning; that is told as
info, and so is a gap in the file of a subagent, which nobody resumes. What was judged here goes on with the line that
was written before.

## Example

```json
{"type": "user", "uuid": "u1", "parentUuid": null, "sessionId": "s", "message": {"role": "user", "content": "hi"}}
{"type": "assistant", "uuid": "a1", "parentUuid": "u1", "sessionId": "s", "message": {
  "id": "msg_1", "role": "assistant", "model": "claude-opus-4-8", "content": [{"type": "text", "text": "hello"}]}}
{"type": "user", "uuid": "u2", "parentUuid": "lost", "sessionId": "s", "message": {"role": "user", "content": "go on"}}
```

## What to do

Give the line the uuid of the one before it as `parentUuid`.
"""

from __future__ import annotations

from collections.abc import Iterator

from headroom_cli.lint.base import Finding, Rule, SessionCheck


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """The first such line, and how many there are; apart from it, one at the very beginning."""
    conversation = check.session.conversation
    lines = conversation.missing_parents
    begin = conversation.messages[0].line if conversation.messages else 0
    if begin in lines:
        yield check.finding(
            "the session begins with a line that follows one which is not in the file", line=begin, severity="info"
        )
    later = [line for line in lines if line != begin]
    if later:
        more = f"; so do {len(later) - 1} more" if len(later) > 1 else ""
        yield check.finding(
            "the line follows one that is not in the file: a resumed session may see nothing of what stands "
            f"before it{more}",
            line=later[0],
            severity="warning" if conversation.kind == "main" else "info",
        )


RULE = Rule(
    code="HR902",
    name="missing-parent",
    summary="A line of a session follows one that is not in the file.",
    refs={"*": ("L10",)},
    check_session=check_session,
)
