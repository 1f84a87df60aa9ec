"""Work spread over processes: the largest pieces first, results in the order of the pieces.

A process that dies (killed for memory, say) costs the item that killed it, never the run: its piece is done again item
by item, each in a fresh process, and an item that kills a second one is given up.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

T = TypeVar("T")
R = TypeVar("R")

KILLED = "the process that read it was killed (out of memory?)"
"""Why a file was not read whose process died."""


def available_cores() -> int:
    """How many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def batches(items: Iterable[T], size: Callable[[T], int], limit: int) -> Iterator[list[T]]:
    """Neighbours in lists of at most `limit` together, or of one that is larger alone."""
    batch: list[T] = []
    total = 0
    for item in items:
        if batch and total + size(item) > limit:
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += size(item)
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class Lost(Generic[T]):
    """Stands in the place of a result: the process that worked on this item died."""

    item: T


@dataclass(frozen=True, slots=True)
class _Piece(Generic[T]):
    number: int
    place: int
    items: list[T]


@dataclass(slots=True)
class _Worker(Generic[T]):
    process: BaseProcess
    connection: Connection
    piece: _Piece[T] | None = None


def spread(
    make_task: Callable[[], Callable[[list[T]], R]],
    pieces: Sequence[list[T]],
    jobs: int,
    *,
    size: Callable[[list[T]], int],
    done: Callable[[list[T]], None] | None = None,
) -> list[R | Lost[T]]:
    """Run a task over pieces in `jobs` processes; `make_task` (picklable) makes it, once in each process.

    Results stand in the order of pieces; a piece whose process died gives one for each of its items. `done` is called
    after each. An exception in a task is raised here.
    """
    import multiprocessing
    from multiprocessing.connection import wait

    context = multiprocessing.get_context("spawn")
    queue = deque(
        sorted(
            (_Piece(number, 0, list(piece)) for number, piece in enumerate(pieces)),
            key=lambda piece: size(piece.items),
            reverse=True,
        )
    )
    results: dict[tuple[int, int], R | Lost[T]] = {}
    workers: list[_Worker[T]] = []

    def start() -> _Worker[T]:
        here, there = context.Pipe()
        process = context.Process(target=_work, args=(there, make_task), daemon=True)
        process.start()
        there.close()
        return _Worker(process, here)

    try:
        while queue or any(worker.piece for worker in workers):
            while queue and len([w for w in workers if w.piece]) < jobs:
                worker = next((w for w in workers if w.piece is None), None)
                if worker is None:
                    worker = start()
                    workers.append(worker)
                worker.piece = queue.popleft()
                _send(worker, worker.piece.items)
            busy = {worker.connection: worker for worker in workers if worker.piece}
            for connection in wait(list(busy)):
                worker = busy[connection]  # type: ignore[index]
                piece, worker.piece = worker.piece, None
                assert piece is not None
                try:
                    answer, problem = worker.connection.recv()
                except (EOFError, OSError):
                    workers.remove(worker)
                    _end(worker)
                    if len(piece.items) > 1:
                        queue.extendleft(_Piece(piece.number, place, [item]) for place, item in enumerate(piece.items))
                        continue
                    answer, problem = Lost(piece.items[0]), None
                if problem is not None:
                    raise problem
                results[piece.number, piece.place] = answer
                if done is not None:
                    done(piece.items)
    finally:
        for worker in workers:
            _end(worker)
    return [results[key] for key in sorted(results)]


def _send(worker: _Worker[Any], items: list[Any]) -> None:
    try:
        worker.connection.send(items)
    except OSError:
        return  # it has died: receiving tells


def _end(worker: _Worker[Any]) -> None:
    worker.connection.close()
    worker.process.terminate()
    worker.process.join()


def _work(connection: Connection, make_task: Callable[[], Callable[[list[Any]], Any]]) -> None:
    """What a process does: tasks until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it, and ends this process
    task = make_task()
    while True:
        try:
            items = connection.recv()
        except (EOFError, OSError):
            return
        try:
            answer: tuple[Any, BaseException | None] = (task(items), None)
        except Exception as problem:  # noqa: BLE001 - raised again by who waits for the answer
            answer = (None, problem)
        connection.send(answer)
