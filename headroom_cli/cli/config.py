"""`headroom config`: the settings in force, and where each comes from."""

from __future__ import annotations

from headroom_cli.cli.options import ConfigFile
from headroom_cli.cli.shared import load_config


def config(
    config: ConfigFile = None,
) -> None:
    """Print the settings in force, and where each comes from."""
    from headroom_cli.config import KEYS

    loaded = load_config(config)
    print(f"# {loaded.path}" if loaded.path else "# no headroom.toml found; defaults")
    for key, definition in KEYS.items():
        origin = "file" if key in loaded.values else "default"
        print(f"{key} = {_toml(loaded[key])}  # ({origin}) {definition.meaning}")


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_toml(item) for item in value)}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{name}" = {_toml(item)}' for name, item in value.items()) + "}"
    return f'"{value}"' if isinstance(value, str) else str(value)
