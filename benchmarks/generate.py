"""Real-shaped logs of any size: `python -m benchmarks.generate --mb 100 --out DIR --seed 7`.

By bytes, 70 % are Claude Code sessions, 20 % Codex rollouts and 10 % OpenAI-style logs, in files of 2 to 4 MB (plus
small subagent files). File *n* of a family depends on the seed and *n* alone, so a larger set begins with the files of
a smaller one, save the last of each family, which is cut at its share. The same arguments give the same bytes.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import orjson

from benchmarks import chat, claude_code, codex

SHARES = {"claude": 0.70, "codex": 0.20, "openai": 0.10}
SMALLEST, LARGEST = 2_000_000, 4_000_000


def lines_of(family: str, rng: Random, number: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The endless lines of file `number` of a family."""
    if family == "claude":
        return claude_code.session(rng)
    if family == "codex":
        return codex.session(rng, number)
    return chat.session(rng, number)


def write_file(out: Path, family: str, number: int, seed: int, limit: int) -> int:
    """Write one log of a family of at most `limit` bytes (at least one line) and return its bytes."""
    rng = Random(f"{seed}/{family}/{number}")
    limit = min(limit, SMALLEST + int(rng.random() * (LARGEST - SMALLEST)))
    written = 0
    handles: dict[str, list[bytes]] = {}
    for path, line in lines_of(family, rng, number):
        data = orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
        if written and written + len(data) > limit:
            break
        handles.setdefault(path, []).append(data)
        written += len(data)
    for path, chunks in handles.items():
        file = out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"".join(chunks))
    return written


def generate(out: Path, megabytes: float, seed: int) -> int:
    """Write a set of logs into the folder `out` (made if missing) and return its bytes."""
    total = 0
    for family, share in SHARES.items():
        wanted, size, number = megabytes * 1e6 * share, 0, 0
        while size < wanted * 0.99:
            size += write_file(out, family, number, seed, int(wanted) - size)
            number += 1
        total += size
    return total


def main(arguments: list[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.generate", description="Write real-shaped logs.")
    parser.add_argument("--mb", type=float, default=10, help="megabytes (10^6 bytes) to write")
    parser.add_argument("--out", type=Path, required=True, help="folder to write into; emptied first")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(arguments)
    if options.out.exists():
        if any(options.out.iterdir()) and not (options.out / "claude").is_dir():
            print(f"{options.out} holds something else; give an empty folder", file=sys.stderr)
            return 2
        shutil.rmtree(options.out)
    size = generate(options.out, options.mb, options.seed)
    print(f"{size / 1e6:.1f} MB in {options.out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
