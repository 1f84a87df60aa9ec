"""What every log format is: a name, the detection families that it reads, and one function."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from headroom_cli.model import Conversation, Reading
from headroom_cli.source.records import Record


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A way in which sessions are stored. `families` are the verdicts of `detect` that `read` takes.

    Where a file holds many conversations, `read` gives each as soon as nothing more can belong to it.
    """

    name: str
    title: str
    client: str
    families: frozenset[str]
    summary: str
    read: Callable[[Iterable[Record], str, Reading], Iterable[Conversation]]


def conversation_id(*content_ids: str) -> str:
    """32 hex digits from what identifies the thread in any copy of it, never from where the file lies."""
    return hashlib.md5("\0".join(content_ids).encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
