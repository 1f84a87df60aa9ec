"""What repairs of several families share."""

from __future__ import annotations

from headroom_cli.lint.base import Finding
from headroom_cli.lint.history import Block, Pointer
from headroom_cli.repair.work import CannotRepair, Work


def drop_target(work: Work, finding: Finding) -> str | None:
    """Drop the block, message or item at fault, or what stands beside the messages."""
    target = finding.target
    if target is None:
        if not finding.at:
            raise CannotRepair("the place is not known")
        work.draft.drop(finding.at)
        return f"dropped {finding.at[0]}"
    if not work.draft.claim(target):
        return None
    if isinstance(target, Block):
        work.take_out(target)
        return f"dropped the {target.type.replace('_', ' ') or 'block'}"
    work.draft.drop(target.path)
    kind = target.raw.get("type", "message") if isinstance(target.raw, dict) else "message"
    return f"dropped the {kind if isinstance(kind, str) else 'item'}"


def drop_member(work: Work, finding: Finding) -> str | None:
    """Drop the member that the finding leads to."""
    if not finding.at:
        raise CannotRepair("the member is not known")
    if finding.target is not None and not work.draft.claim(finding.target):
        return None
    work.draft.drop(place_of(work, finding))
    return f"dropped {finding.at[-1]}"


def place_of(work: Work, finding: Finding) -> Pointer:
    """Where the value at fault stands, from the root."""
    target = finding.target
    if target is None:
        return finding.at
    start = work.place(target) if isinstance(target, Block) else target.path
    return (*start, *finding.at)


def block_of(finding: Finding) -> Block:
    """The block at fault."""
    if not isinstance(finding.target, Block):
        raise CannotRepair("the block is not known")
    return finding.target
