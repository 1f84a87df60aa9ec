"""Repairs of HR7xx: cache markers and images."""

from __future__ import annotations

from headroom_cli.lint.base import Finding
from headroom_cli.lint.history import Block, Pointer
from headroom_cli.lint.images import Medium, real_type
from headroom_cli.repair import shapes
from headroom_cli.repair.fixes.common import block_of, place_of
from headroom_cli.repair.work import CannotRepair, Fixer, Work

_DROPPED_FIRST = ("messages", "system", "tools")


def too_many_markers(work: Work, finding: Finding) -> str | None:
    """HR702: the oldest markers of messages go, the last ones and those of system and tools stay."""
    most, markers = work.profile.max_cache_markers, work.check.markers
    if most is None or len(markers) <= most:
        raise CannotRepair("the limit is not known")
    order = [marker for tier in _DROPPED_FIRST for marker in markers if marker.tier == tier]
    extra = order[: len(markers) - most]
    blocks = {id(marker.block): marker.block for marker in extra if marker.block is not None}
    if not work.draft.claim(*blocks.values()):
        return None
    for marker in extra:
        _drop_marker(work, marker.block, marker.at)
    return f"dropped the {len(extra)} oldest cache markers" if len(extra) > 1 else "dropped the oldest cache marker"


def late_hour(work: Work, finding: Finding) -> str | None:
    """HR703: the later marker lives for five minutes too."""
    if finding.target is not None and not work.draft.claim(finding.target):
        return None
    work.draft.set(place_of(work, finding), "5m")
    return "gave the later marker five minutes"


def marker_target(work: Work, finding: Finding) -> str | None:
    """HR704: the marker goes."""
    block = finding.target if isinstance(finding.target, Block) else None
    if block is not None and not work.draft.claim(block):
        return None
    _drop_marker(work, block, finding.at)
    return "dropped the cache marker"


def image_type(work: Work, finding: Finding) -> str | None:
    """HR705: the media type that the data has; data that is no image becomes text."""
    if finding.fix is None or finding.fix.kind != "set":
        return image_to_text(work, finding)
    medium = _medium(work, finding)
    real = real_type(medium.data or "")
    if not real:
        raise CannotRepair("the type of the image is not known")
    if not work.draft.claim(medium.block):
        return None
    place = (*work.place(medium.block), *medium.at)
    if work.dialect == "bedrock":
        work.draft.set((*place[:-1], "format"), real.removeprefix("image/"))
    else:
        work.draft.set((*place, "media_type"), real)
    return f"set the media type {real}"


def image_to_text(work: Work, finding: Finding) -> str | None:
    """HR706, HR707: a text says that an image stood here."""
    medium = _medium(work, finding)
    if not work.draft.claim(medium.block):
        return None
    _to_text(work, medium)
    return "put a text in the place of the image"


def too_many_images(work: Work, finding: Finding) -> str | None:
    """HR708: texts in the place of the oldest images and documents."""
    media = work.check.media
    target = next((n for n, m in enumerate(media) if m.block is finding.target and m.at == finding.at), None)
    if target is None:
        raise CannotRepair("the image is not known")
    extra = media[: len(media) - target]
    blocks = {id(medium.block): medium.block for medium in extra}
    if not work.draft.claim(*blocks.values()):
        return None
    for medium in extra:
        _to_text(work, medium)
    return f"put texts in the place of the {len(extra)} oldest images"


def _drop_marker(work: Work, block: Block | None, at: Pointer) -> None:
    place = (*(work.place(block) if block is not None else ()), *at)
    holder = work.draft.get(place[:-1])
    if place[-1] == "cachePoint" and isinstance(holder, dict) and len(holder) == 1:
        work.draft.drop(place[:-1])
        if block is not None and len(at) == 1:
            work.emptied[id(block.entry)] = block.entry
    else:
        work.draft.drop(place)


def _medium(work: Work, finding: Finding) -> Medium:
    block = block_of(finding)
    for medium in work.check.media:
        if medium.block is block and medium.at == finding.at:
            return medium
    raise CannotRepair("the image is not known")


def _to_text(work: Work, medium: Medium) -> None:
    inside = medium.at[:-2] if work.dialect == "bedrock" else medium.at[:-1]
    words = f"[an {medium.kind} was here]" if medium.kind == "image" else f"[a {medium.kind} was here]"
    work.draft.replace((*work.place(medium.block), *inside), [shapes.text(work.dialect, words)])


FIXES: dict[str, Fixer] = {
    "HR702": too_many_markers,
    "HR703": late_hour,
    "HR704": marker_target,
    "HR705": image_type,
    "HR706": image_to_text,
    "HR707": image_to_text,
    "HR708": too_many_images,
}
