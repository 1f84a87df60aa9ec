"""Vocabularies shipped with the package, so that counting tokens never needs a network.

`<encoding>.zst` holds the byte strings of an encoding's mergeable tokens in order of rank, joined by the byte 0xFF and
compressed with zstandard. 0xFF occurs in no UTF-8 text and in one token only, the one that is this byte itself; it
shows as two empty strings when the file is split. `python -m headroom_cli.data.build` makes the files.
"""

from __future__ import annotations

import pkgutil

SEPARATOR = b"\xff"


def read_vocabulary(encoding: str) -> list[bytes]:
    """The mergeable tokens of an encoding, in order of rank. Raises FileNotFoundError for one that is not shipped."""
    import zstandard

    packed = pkgutil.get_data(__name__, f"{encoding}.zst")
    if packed is None:
        raise FileNotFoundError(f"{encoding}.zst")
    tokens = zstandard.ZstdDecompressor().decompress(packed).split(SEPARATOR)
    hole = tokens.index(b"")
    tokens[hole : hole + 2] = [SEPARATOR]
    return tokens
