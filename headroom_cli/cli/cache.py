"""`headroom cache`: what is kept of earlier runs, and how to get rid of it."""

from __future__ import annotations

from typing import Annotated

import typer


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove everything that is kept.")] = False,
) -> None:
    """Show what is kept of earlier runs, so that unchanged logs need not be read again; or clear it."""
    from headroom_cli import cache as packs
    from headroom_cli.report.words import plural, size

    folder = packs.cache_folder()
    if clear:
        print(f"removed {size(packs.clear(folder))} from {folder}")
        return
    found = list(packs.packs_in(folder / "analysis"))
    files = {path for pack in found for path in pack.files}
    print(
        f"{folder}: {plural(len(files), 'file')} in {plural(len(found), 'pack')}, {size(sum(p.bytes for p in found))}"
    )
    print(f"at most {size(packs.MAX_BYTES)}; elsewhere with {packs.VARIABLE}; not at all with --no-cache")
