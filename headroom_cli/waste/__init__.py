"""Waste signals: one module each, registered by being there, documented by its own docstring."""

from __future__ import annotations

import importlib
import pkgutil
from inspect import cleandoc


def pages() -> dict[str, str]:
    """The page of each signal by name, sorted: the docstring of every module here that has a `NAME`."""
    modules = (importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__))
    found = {module.NAME: cleandoc(module.__doc__ or "") for module in modules if hasattr(module, "NAME")}
    return dict(sorted(found.items()))
