"""# HR903 resume-unsafe

Results of parallel calls stand beside the chain of lines that an old Claude Code follows when it resumes the session.

## Why it matters

Claude Code writes a line per block. The result of the first of two parallel calls and the second call both follow the
first call: from the last line back to the first, only one of them is met. Before 2.1.85, a resumed or forked session
lost the others, and with them calls or results (claude-code#31330, #35024, #37779). Newer versions find them by the
response's id, as it is done here: the history that was judged is whole.

Told once for a session whose newest line was written by a version before 2.1.85, and only where the rule is selected:
most sessions of that time with parallel calls are like this.

## Example

```json
{"type": "user", "uuid": "u1", "parentUuid": null, "sessionId": "s", "version": "2.1.40",
 "message": {"role": "user", "content": "read both"}}
{"type": "assistant", "uuid": "a1", "parentUuid": "u1", "sessionId": "s", "version": "2.1.40", "message": {
  "id": "msg_1", "role": "assistant", "model": "claude-opus-4-5", "content": [
   {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "a"}}]}}
{"type": "assistant", "uuid": "a2", "parentUuid": "a1", "sessionId": "s", "version": "2.1.40", "message": {
  "id": "msg_1", "role": "assistant", "model": "claude-opus-4-5", "content": [
   {"type": "tool_use", "id": "toolu_2", "name": "Read", "input": {"file_path": "b"}}]}}
{"type": "user", "uuid": "r1", "parentUuid": "a1", "sessionId": "s", "version": "2.1.40", "message": {
  "role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "1"}]}}
{"type": "user", "uuid": "r2", "parentUuid": "a2", "sessionId": "s", "version": "2.1.40", "message": {
  "role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_2", "content": "2"}]}}
```

## What to do

Resume it with Claude Code 2.1.85 or newer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from headroom_cli.lint.base import Finding, Rule, SessionCheck

_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})\.(\d{1,4})")
_FIXED = (2, 1, 85)


def check_session(check: SessionCheck) -> Iterator[Finding]:
    """One finding for the session, at the first such result."""
    conversation = check.session.conversation
    version = _VERSION.match(conversation.client_version or "")
    if not conversation.off_chain or version is None or tuple(map(int, version.groups())) >= _FIXED:
        return
    count = len(conversation.off_chain)
    results = "1 result of a parallel call stands" if count == 1 else f"{count} results of parallel calls stand"
    yield check.finding(
        f"{results} beside the chain of lines that Claude Code {version.group()} follows: resumed with a version "
        "before 2.1.85, the session may lose them",
        line=conversation.off_chain[0],
        severity="info",
    )


RULE = Rule(
    code="HR903",
    name="resume-unsafe",
    summary="Results of parallel calls stand beside the chain of lines that an old client follows.",
    refs={"*": ("L02",)},
    check_session=check_session,
    off=True,
)
