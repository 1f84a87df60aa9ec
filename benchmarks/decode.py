"""JSON decode, and nothing else: every line decoded once with orjson and dropped. `python -m benchmarks.decode DIR`."""

from __future__ import annotations

import argparse
from pathlib import Path

import orjson

from benchmarks.floor import log_files


def decode(folder: Path) -> int:
    """Decode the logs in a folder; gives their lines."""
    lines = 0
    for path in log_files(folder):
        with path.open("rb") as file:
            for raw in file:
                orjson.loads(raw)
                lines += 1
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decode")
    parser.add_argument("folder", type=Path)
    print(decode(parser.parse_args(arguments).folder))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
