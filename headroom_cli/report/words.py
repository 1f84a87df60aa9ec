"""Figures as people read them, and text from logs as a terminal may show it."""

from __future__ import annotations

import os
import unicodedata
from datetime import UTC, datetime, tzinfo
from pathlib import Path

_UNITS = ("B", "KB", "MB", "GB", "TB")
_EARLIEST, _LATEST = -62_135_400_000, 253_402_200_000
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def size(number: int) -> str:
    """Bytes in decimal units: `8.1 GB`."""
    value = float(number)
    for unit in _UNITS:
        if value < 1000 or unit == _UNITS[-1]:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError


def short(number: int) -> str:
    """A count at a glance: `950`, `21k`, `3.70 M`."""
    if number < 1000:
        return str(number)
    if number < 999_500:
        return f"{number / 1000:.1f}k" if number < 9_950 else f"{number / 1000:.0f}k"
    if number < 999_500_000:
        return f"{number / 1e6:.2f} M"
    return f"{number / 1e9:.2f} G"


def whole(number: int) -> str:
    """A count in full: `11,204,310`."""
    return f"{number:,}"


def usd(micros: int) -> str:
    """Micro-dollars as dollars; small amounts keep two telling digits."""
    dollars = micros / 1_000_000
    if dollars >= 1000:
        return f"${dollars:,.0f}"
    if micros == 0 or dollars >= 0.005:
        return f"${dollars:,.2f}"
    return f"${dollars:.4f}" if micros >= 100 else "<$0.0001"


def share(part: float, of: float) -> str:
    """A share in per cent: `41 %`, `<1 %`; empty where there is nothing to share."""
    if of <= 0:
        return ""
    percent = 100 * part / of
    return "<1 %" if 0 < percent < 0.5 else f"{percent:.0f} %"


def plural(number: int, noun: str, many: str | None = None) -> str:
    """`1 file`, `2 files`."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def plain(text: str, width: int = 200) -> str:
    """Text from a log, made harmless: one line, no control, format or bidi characters, at most `width` long."""
    kept = "".join("·" if unicodedata.category(c) in _HIDDEN else c for c in text[: width * 4])
    line = " ".join(kept.split())
    return line if len(line) <= width else line[: width - 1] + "…"


def place(path: str) -> str:
    """A path as people write it: from here, or from home."""
    if path == "-":
        return "standard input"
    for base, prefix in ((Path.cwd(), ""), (Path.home(), f"~{os.sep}")):
        try:
            return plain(prefix + str(Path(path).absolute().relative_to(base)), 4096)
        except (ValueError, RuntimeError):
            continue
    return plain(path, 4096)


def local(microseconds: int, zone: tzinfo | None) -> datetime:
    """A time in `zone`, or in the machine's; what no calendar holds becomes the nearest day that one does."""
    seconds = min(max(microseconds / 1_000_000, _EARLIEST), _LATEST)
    return datetime.fromtimestamp(seconds, UTC).astimezone(zone)


def zone_name(zone: tzinfo | None) -> str:
    """The time zone that days and times are shown in."""
    return str(zone) if zone is not None else (datetime.now().astimezone().tzname() or "local")


def duration(microseconds: int) -> str:
    """A span of time at a glance: `45 s`, `16 min`, `2 h 45 min`, `3 d 4 h`."""
    seconds = max(microseconds, 0) // 1_000_000
    if seconds < 60:
        return f"{seconds} s"
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86_400
    if hours == 0:
        return f"{minutes} min"
    if days == 0:
        return f"{hours} h {minutes % 60:02d} min"
    return f"{days} d {hours % 24} h"


def period(start: int, end: int, zone: tzinfo | None) -> str:
    """From when to when, with the zone: `Thu 12 Nov 2026 13:02-13:19 UTC`."""
    first, last = local(start, zone), local(max(start, end), zone)
    day = "%a %d %b %Y"
    name = str(zone) if zone is not None else last.tzname() or "local"
    if first.date() == last.date():
        until = f"-{last:%H:%M}" if f"{first:%H:%M}" != f"{last:%H:%M}" else ""
        return f"{first:{day}} {first:%H:%M}{until} {name}"
    return f"{first:{day}} {first:%H:%M} - {last:{day}} {last:%H:%M} {name}"


def days(start: int, end: int, zone: tzinfo | None) -> str:
    """From which day to which, with the zone: `12 Nov - 3 Dec 2026, UTC`."""
    first, last = local(start, zone), local(max(start, end), zone)
    name = str(zone) if zone is not None else last.tzname() or "local"
    until = f"{last.day} {last:%b %Y}"
    if first.date() == last.date():
        return f"{until}, {name}"
    return f"{first.day} {first:%b}{f' {first:%Y}' if first.year != last.year else ''} - {until}, {name}"
