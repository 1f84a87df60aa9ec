"""The entry point: answers `--version` at once, leaves everything else to the commands."""

from __future__ import annotations

import sys


def main() -> None:
    """Run `headroom`."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from headroom_cli.version import __version__

        print(f"headroom {__version__}")
        return
    from headroom_cli.cli.app import run

    run()


if __name__ == "__main__":
    main()
