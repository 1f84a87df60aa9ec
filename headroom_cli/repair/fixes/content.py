"""Repairs of HR4xx: what stands in messages and results."""

from __future__ import annotations

from typing import Any

from headroom_cli.lint.base import Finding
from headroom_cli.lint.history import Block, Pointer
from headroom_cli.repair import shapes, verbs
from headroom_cli.repair.fixes.common import block_of, drop_member, drop_target
from headroom_cli.repair.work import CannotRepair, Fixer, Work
from headroom_cli.source.decode import scrub

NO_OUTPUT = "(no output)"
_FOLLOWS = "(what it holds follows)"


def empty_text(work: Work, finding: Finding) -> str | None:
    """HR401: an empty block goes; where a host wants a text, it says that there is none."""
    if finding.fix is None or finding.fix.kind == "drop":
        return drop_target(work, finding)
    block = block_of(finding)
    if not work.draft.claim(block):
        return None
    words = NO_OUTPUT if block.kind == "result" else shapes.EMPTY
    work.draft.set(_text_place(work, block), words)
    return f'wrote "{words}"'


def blank_text(work: Work, finding: Finding) -> str | None:
    """HR402: a blank block goes; a blank message of the assistant too, one of the user says that it is empty."""
    entry = finding.entry
    if entry is None or isinstance(finding.target, Block) or entry.side == "assistant":
        return drop_target(work, finding)
    return empty_message(work, finding)


def empty_message(work: Work, finding: Finding) -> str | None:
    """HR403: a message of the user says that it is empty; one of the assistant goes."""
    entry = finding.entry
    if entry is None:
        raise CannotRepair("the message is not known")
    if entry.side == "assistant":
        return drop_target(work, finding)
    if not work.draft.claim(entry):
        return None
    path = shapes.content_path(entry, work.dialect)
    work.draft.set(path, [shapes.text(work.dialect, shapes.EMPTY)] if work.dialect != "openai" else shapes.EMPTY)
    return f'wrote "{shapes.EMPTY}"'


def null_content(work: Work, finding: Finding) -> str | None:
    """HR404: results and answers get an empty text, other messages go."""
    entry = finding.entry
    if entry is None:
        raise CannotRepair("the message is not known")
    if finding.fix is None or finding.fix.kind == "drop":
        return drop_target(work, finding)
    if not work.draft.claim(entry):
        return None
    work.draft.set((*entry.path, "content"), "" if work.dialect == "openai" else [])
    return "wrote an empty content"


def error_result(work: Work, finding: Finding) -> str | None:
    """HR408: what is no text comes behind the results."""
    return _move_out(work, block_of(finding), lambda part: part.get("type") == "text" or "text" in part)


def mixed_references(work: Work, finding: Finding) -> str | None:
    """HR409: what is no reference comes behind the results."""
    return _move_out(work, block_of(finding), lambda part: part.get("type") == "tool_reference")


def image_in_result(work: Work, finding: Finding) -> str | None:
    """HR410: images of tool messages come in a user's message behind the whole run of them."""
    block = block_of(finding)
    if block.kind != "result" or not isinstance(block.value, list):
        raise CannotRepair("what the image belongs to is not known")
    if not work.draft.claim(block):
        return None
    images = [part for part in block.value if isinstance(part, dict) and part.get("type") == "image_url"]
    rest = [part for part in block.value if not any(part is image for image in images)]
    work.draft.set((*block.entry.path, "content"), rest or _FOLLOWS)
    last = verbs.run_end(work, block.entry)
    made = work.added.get(id(last))
    if made is None:
        made = work.added[id(last)] = []
        work.draft.after(last.path, {"role": "user", "content": made})
    made += images
    return "moved the image into a user's message after the results"


def lone_surrogate(work: Work, finding: Finding) -> str | None:
    """HR411: U+FFFD in the place of half a character, in all texts of the message."""
    if finding.target is None:
        work.draft.set(finding.at, scrub(work.draft.get(finding.at)))
        return "wrote U+FFFD in its place"
    if not work.draft.claim(finding.target):
        return None
    target = finding.target
    start = work.place(target) if isinstance(target, Block) else target.path
    for way, broken in _broken(target.raw, ()):
        work.draft.set((*start, *way), scrub(broken))
    return "wrote U+FFFD in its place"


def trailing_space(work: Work, finding: Finding) -> str | None:
    """HR306: the text ends where its words end."""
    block = block_of(finding)
    if not work.draft.claim(block) or not isinstance(block.value, str):
        return None
    work.draft.set(_text_place(work, block), block.value.rstrip())
    return "trimmed the end of the text"


def _text_place(work: Work, block: Block) -> Pointer:
    place = work.place(block)
    if block.type == "string":
        return place
    if block.kind == "result":
        inner: Pointer = {"bedrock": (block.type, "content"), "openai-responses": ("output",)}.get(
            work.dialect, ("content",)
        )
        return (*place, *inner)
    return (*place, "text")


def _move_out(work: Work, block: Block, stays: Any) -> str | None:
    if not isinstance(block.value, list) or work.dialect not in ("anthropic", "bedrock"):
        raise CannotRepair("the parts of the result are not known")
    if not work.draft.claim(block):
        return None
    kept = [part for part in block.value if isinstance(part, dict) and stays(part)]
    moved = [part for part in block.value if not any(part is each for each in kept)]
    work.draft.set(_text_place(work, block), kept or [shapes.text(work.dialect, _FOLLOWS)])
    last = block.entry.of_kind("result")[-1]
    work.draft.after(work.place(last), *(part for part in moved if isinstance(part, dict)))
    return "moved what is not taken there behind the results"


def _broken(value: Any, way: Pointer) -> list[tuple[Pointer, str]]:
    """The strings in a value that hold half a character, with the way to each."""
    found: list[tuple[Pointer, str]] = []
    pending: list[tuple[Pointer, Any]] = [(way, value)]
    while pending:
        at, node = pending.pop()
        if isinstance(node, str):
            if scrub(node) is not node and scrub(node) != node:
                found.append((at, node))
        elif isinstance(node, dict):
            pending += [((*at, key), item) for key, item in node.items()]
        elif isinstance(node, list):
            pending += [((*at, number), item) for number, item in enumerate(node)]
    return found


FIXES: dict[str, Fixer] = {
    "HR306": trailing_space,
    "HR401": empty_text,
    "HR402": blank_text,
    "HR403": empty_message,
    "HR404": null_content,
    "HR405": drop_member,
    "HR407": drop_member,
    "HR408": error_result,
    "HR409": mixed_references,
    "HR410": image_in_result,
    "HR411": lone_surrogate,
    "HR412": drop_target,
}
