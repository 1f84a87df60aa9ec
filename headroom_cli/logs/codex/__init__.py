"""How Codex writes rollouts: items, usage events, compaction, and copied history."""
