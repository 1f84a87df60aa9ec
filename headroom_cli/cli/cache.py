"""`headroom cache`: what is kept of earlier runs, and how to get rid of it."""

from __future__ import annotations

from typing import Annotated

import typer


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove everything that is kept.")] = False,
) -> None:
    """Show what is kept of earlier runs, so that unchanged logs need not be read again; or clear it."""
    from headroom_cli import packs
    from headroom_cli.report.words import plural, size

    folder = packs.cache_folder()
    if clear:
        print(f"removed {size(packs.clear(folder))} from {folder}")
        return
    found = packs.all_packs(folder)
    files = {path for pack in found for path in pack.files}
    print(f"{folder}: {plural(len(files), 'file')} in {plural(len(found), 'pack')}, {size(sum(p.size for p in found))}")
    most = size(sum(packs.MAX_BYTES.values()))
    print(f"at most {most}; elsewhere with {packs.VARIABLE}; not at all with --no-cache")
