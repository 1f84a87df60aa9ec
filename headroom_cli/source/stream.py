"""Opening a log: plain, gzip or zstd by magic number, up to its present size, within bounds on what it expands to."""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, Protocol

import zstandard

Compression = Literal["gzip", "zstd"]

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"

READ_ERROR = "read error"
CUT_OFF = "compressed data is cut off"
CORRUPT = "compressed data is damaged"
EXPANDS = "compressed data expands beyond the limit; unpack it to have it read"

BLOCK = 1 << 18  # larger ones the allocator maps anew each time: 1 MB takes twice as long to read
# A zstd block of 4 bytes expands to 128 KB: such a piece to 16 MB at most, whatever it holds.
_ZSTD_PIECE = 512
_TWIN_ATTEMPTS = 3
_STREAMS = (os.devnull, "/dev/stdin", "/dev/tty", "/dev/fd/0")


class Unreadable(Exception):  # noqa: N818 - part of the interface of every reader
    """A source that gives nothing at all. `reason` is a short fixed phrase, never text from the source."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds in bytes on what a source may cost: no memory is taken for what is longer.

    A line holds a record, mostly a request: 64 MB is twice what Anthropic takes as one; a YAML file counts as one, too.
    A document is a file that is JSON as a whole. `expanded_ratio` counts once `expanded_free` bytes have come out.
    """

    line_bytes: int = 64_000_000
    document_bytes: int = 256_000_000
    expanded_bytes: int = 64 << 30
    expanded_ratio: int = 1000
    expanded_free: int = 256_000_000


DEFAULT_LIMITS = Limits()


def limits_for(longest: int) -> Limits:
    """Limits within which lines, and documents, of `longest` bytes are read."""
    return replace(DEFAULT_LIMITS, line_bytes=longest, document_bytes=max(longest, DEFAULT_LIMITS.document_bytes))


def over_limit(what: str, size: int, limit: int) -> str:
    """Why something of `size` bytes was not read, and what reads it."""
    needed = -(-size // 1_000_000)
    return f"{what} of {needed:,} MB is over the limit of {limit // 1_000_000:,} MB; --max-line {needed}MB reads it"


def lines_within(buffer: io.BufferedReader, longest: int) -> Iterator[bytes]:
    """The lines of a file; a blank one in the place of each that is longer than `longest` bytes."""
    for line in iter(partial(buffer.readline, longest + 1), b""):
        if len(line) > longest:
            rest_of_line(buffer, line)
            yield b"\n"
        else:
            yield line


def pass_lines(buffer: io.BufferedReader, number: int) -> None:
    """Pass over so many lines, whatever their length, or over what is left."""
    while number > 0 and (piece := buffer.readline(BLOCK)):
        number -= piece.endswith(b"\n")


def rest_of(buffer: io.BufferedReader) -> int:
    """Pass over what is left; gives how many bytes that was."""
    return sum(map(len, iter(partial(buffer.read, BLOCK), b"")))


def rest_of_line(buffer: io.BufferedReader, begin: bytes) -> tuple[int, bool]:
    """Pass over the rest of a line that begins so; gives the bytes of the whole, and whether the line has an end."""
    size, piece = len(begin), begin[-1:]
    while not piece.endswith(b"\n") and (piece := buffer.readline(BLOCK)):
        size += len(piece)
    return size, piece != b""


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes | None: ...


class Stream(io.RawIOBase):
    """The bytes that `read` gives, `head` first, `size` at most. It ends rather than raises: `failure` says why."""

    def __init__(self, read: Callable[[int], bytes | None], *, head: bytes = b"", size: int | None = None) -> None:
        super().__init__()
        self._read = read
        self._head = head
        self._left = size
        self.total = 0
        self.failure: str | None = None

    def readable(self) -> bool:
        """A raw stream is read through a `BufferedReader`, which asks."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill `buffer` as far as one read goes; 0 at the end."""
        want = len(buffer)
        if self._left is not None:
            want = min(want, self._left - self.total)
        if want <= 0 or self.failure:
            return 0
        if self._head:
            data, self._head = self._head[:want], self._head[want:]
            data += self._next(want - len(data)) if want > len(data) else b""
        else:
            data = self._next(want)
        buffer[: len(data)] = data
        self.total += len(data)
        return len(data)

    def _next(self, want: int) -> bytes:
        try:
            return self._read(want) or b""
        except EOFError:
            self.failure = CUT_OFF
        except (gzip.BadGzipFile, zlib.error, zstandard.ZstdError):
            self.failure = CORRUPT
        except (OSError, ValueError):
            self.failure = READ_ERROR
        return b""


class _Zstd:
    """Expands zstd frames piece by piece; raises EOFError where the last frame is cut, which `stream_reader` hides."""

    def __init__(self, source: io.BufferedReader) -> None:
        self._source = source
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._compressed = b""
        self._expanded = memoryview(b"")

    def read(self, size: int) -> bytes:
        while not self._expanded:
            piece = self._compressed or self._source.read(_ZSTD_PIECE)
            if not piece:
                if self._frame is not None:
                    raise EOFError
                return b""
            frame = self._frame or zstandard.ZstdDecompressor().decompressobj()
            self._expanded = memoryview(frame.decompress(piece))
            self._compressed = frame.unused_data if frame.eof else b""
            self._frame = None if frame.eof else frame
        data, self._expanded = self._expanded[:size], self._expanded[size:]
        return bytes(data)


class _Expanded(Stream):
    """What a compressed stream expands to, as long as it keeps within the limits."""

    def __init__(self, read: Callable[[int], bytes | None], source: Stream, limits: Limits) -> None:
        super().__init__(read)
        self._source = source
        self._limits = limits

    def _next(self, want: int) -> bytes:
        data = super()._next(want)
        limits = self._limits
        bound = max(limits.expanded_free, limits.expanded_ratio * self._source.total)
        left = min(limits.expanded_bytes, bound) - self.total
        if len(data) > left:
            self.failure = EXPANDS
            return data[: max(0, left)]
        if not data and not self.failure:
            self.failure = self._source.failure
        return data


@dataclass(slots=True)
class Opened:
    """A source that is open: `lines` is what it says, expanded; `size` its bytes on disk (None: not known before)."""

    lines: io.BufferedReader
    stream: Stream
    source: Stream
    size: int | None
    compression: Compression | None
    handle: IO[bytes] | None

    def close(self) -> None:
        """Close what was opened here; a stream that was handed in stays open."""
        self.lines.close()
        if self.handle is not None:
            self.handle.close()

    @property
    def bytes(self) -> int:
        """Bytes on disk, as far as they are known now."""
        return self.source.total if self.size is None else self.size


def open_source(source: str | Path | BinaryIO, limits: Limits, *, block: int = BLOCK) -> Opened:
    """Open a path or a binary stream, to be read in blocks of `block` bytes. Raises `Unreadable`."""
    handle: IO[bytes] | None = None
    size: int | None = None
    reader: _Readable
    if isinstance(source, str | Path):
        reader = handle = _open_file(Path(source))
        status = os.fstat(handle.fileno())
        if stat.S_ISREG(status.st_mode):
            size = status.st_size
    else:
        reader = source
    try:
        head = _head(reader.read, 4 if size is None else min(4, size))
    except (OSError, ValueError):
        if handle is not None:
            handle.close()
        raise Unreadable(READ_ERROR) from None
    plain = Stream(reader.read, head=head, size=size)
    compression: Compression | None = None
    stream = plain
    if head.startswith(GZIP_MAGIC):
        compression = "gzip"
        # read1: what was expanded before the damage is still given.
        expand = gzip.GzipFile(fileobj=io.BufferedReader(plain, block), mode="rb").read1
        stream = _Expanded(expand, plain, limits)
    elif head == ZSTD_MAGIC:
        compression = "zstd"
        stream = _Expanded(_Zstd(io.BufferedReader(plain, block)).read, plain, limits)
    return Opened(io.BufferedReader(stream, block), stream, plain, size, compression, handle)


def _head(read: Callable[[int], bytes | None], size: int) -> bytes:
    head = b""
    while len(head) < size and (more := read(size - len(head))):
        head += more
    return head


def _open_file(path: Path) -> IO[bytes]:
    """Open `path`, or its twin: Codex compresses cold rollouts and expands them again under our feet."""
    for _ in range(_TWIN_ATTEMPTS):
        for candidate in (path, _twin(path)):
            if candidate is None:
                continue
            try:
                if _is_endless(candidate):
                    raise Unreadable("a device, not a file")
                return open(candidate, "rb", buffering=0)
            except FileNotFoundError:
                continue
            except PermissionError:
                raise Unreadable("permission denied") from None
            except IsADirectoryError:
                raise Unreadable("is a directory") from None
            except (OSError, ValueError):
                raise Unreadable("cannot be opened") from None
    raise Unreadable("no such file")


def _is_endless(path: Path) -> bool:
    """True for disks, `/dev/zero` and their like. `/dev/null` ends; a terminal is read as `-`."""
    status = os.stat(path)
    return stat.S_ISBLK(status.st_mode) or (stat.S_ISCHR(status.st_mode) and str(path) not in _STREAMS)


def _twin(path: Path) -> Path | None:
    if path.name.endswith(".jsonl.zst"):
        return path.with_name(path.name.removesuffix(".zst"))
    if path.name.endswith(".jsonl"):
        return path.with_name(path.name + ".zst")
    return None
