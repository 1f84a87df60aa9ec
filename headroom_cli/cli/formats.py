"""`headroom formats`: what can be read."""

from __future__ import annotations


def formats() -> None:
    """List the log formats that can be read."""
    from headroom_cli.logs import known_formats

    formats = known_formats()
    width = max(len(log_format.name) for log_format in formats)
    for log_format in formats:
        print(f"{log_format.name.ljust(width)}  {log_format.summary}")
