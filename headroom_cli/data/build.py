"""Make the compact vocabularies: `python -m headroom_cli.data.build o200k_base.tiktoken cl100k_base.tiktoken`.

The inputs are tiktoken's original files, known by their SHA-256 (the names don't matter), plain or gzipped. Anything
else is refused. The outputs are written beside this module.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

import zstandard

from headroom_cli.data import SEPARATOR

ORIGINALS = {
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": "o200k_base",
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": "cl100k_base",
}


def pack(original: bytes) -> bytes:
    """The compact form of a `.tiktoken` file: lines of base64 token, blank, rank; ranks count up from 0."""
    tokens = []
    for rank, line in enumerate(original.splitlines()):
        token, _, number = line.partition(b" ")
        if int(number) != rank:
            raise ValueError(f"rank {rank} is missing")
        tokens.append(base64.b64decode(token))
    return zstandard.ZstdCompressor(level=22).compress(SEPARATOR.join(tokens))


def restore(tokens: Sequence[bytes]) -> bytes:
    """The `.tiktoken` file that the tokens came from, byte for byte."""
    return b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for rank, token in enumerate(tokens))


def main(paths: Sequence[str]) -> int:
    """Pack each file; returns the exit code."""
    for path in paths:
        original = Path(path).read_bytes()
        if original.startswith(b"\x1f\x8b"):
            original = gzip.decompress(original)
        encoding = ORIGINALS.get(hashlib.sha256(original).hexdigest())
        if encoding is None:
            print(f"{path}: not one of tiktoken's o200k_base and cl100k_base", file=sys.stderr)
            return 2
        Path(__file__).with_name(f"{encoding}.zst").write_bytes(pack(original))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
