"""The entry point: answers `--version` at once, leaves everything else to the commands."""

from __future__ import annotations

import gc
import os
import sys

_COLLECT_AFTER = 100_000  # new objects: what is made while modules are loaded stays


def main() -> None:
    """Run `headroom`; Ctrl-C is quiet even while modules are loaded."""
    try:
        _main()
    except KeyboardInterrupt:
        from headroom_cli.cli.exits import INTERRUPTED

        os._exit(INTERRUPTED)


def _main() -> None:
    _open_standard_streams()
    if sys.argv[1:] in (["--version"], ["-V"]):
        from headroom_cli.cli.exits import OK, ending_of, leave, say
        from headroom_cli.version import __version__

        code = OK
        try:
            print(f"headroom {__version__}", flush=True)
        except OSError as error:
            ending = ending_of(error)
            if ending is None:
                raise
            code = say(ending)
        leave(code)
    gc.set_threshold(_COLLECT_AFTER)
    # What Polars frees goes back soon: kept for half a second, as it would be, it is a fifth of the peak.
    os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:5,muzzy_decay_ms:0")
    from headroom_cli.cli.app import run

    run()


def _open_standard_streams() -> None:
    """Give a process that was started without standard streams empty ones; without output nobody reads a report."""
    from headroom_cli.cli.exits import PIPE_CLOSED

    if sys.stdout is None:
        os._exit(PIPE_CLOSED)
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115 - as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


if __name__ == "__main__":
    main()
