"""Standard output: screens as the terminal can show them, and data as UTF-8."""

from __future__ import annotations

import sys
from collections.abc import Callable

from rich.console import Console
from rich.text import Text

_NARROWEST = 80
_PLAIN_FORMS = str.maketrans({"…": "~", "·": ".", **dict(zip("▁▂▃▄▅▆▇█", "__--==##", strict=True))})


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the command line what a closed pipe means."""
        raise


def print_screen(screen: Callable[[int], Text], *, color: bool | None = None) -> None:
    """Print what `screen` makes of a width in cells, at least 80.

    Colours only on a terminal, without NO_COLOR, and unless `color` is False.
    """
    console = _Console(no_color=True if color is False else None, highlight=False, markup=False, emoji=False)
    console.width = width = max(console.width, _NARROWEST)
    text = screen(width)
    if not _can_encode(console.encoding):
        plain_text = text.plain.translate(_PLAIN_FORMS)
        text.plain = plain_text.encode(console.encoding, "replace").decode(console.encoding)
    console.print(text, no_wrap=True, overflow="ignore", crop=False, soft_wrap=True)


def write(text: str | bytes) -> None:
    """Write data, which is UTF-8 whatever the terminal speaks."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text if isinstance(text, bytes) else text.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def _can_encode(encoding: str) -> bool:
    try:
        "…·▁█".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
