"""Wire formats: how providers write messages, requests, responses and usage.

A *dialect* is the name of one: `openai` (Chat Completions), `openai-responses`, `anthropic`, `bedrock`, `gemini`.
"""

from __future__ import annotations

from headroom_cli.wire.dialects import DIALECTS, Dialect, dialect_of, module, parse_history

__all__ = ["DIALECTS", "Dialect", "dialect_of", "module", "parse_history"]
