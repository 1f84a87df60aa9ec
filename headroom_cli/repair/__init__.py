"""Repair: a history that a provider would refuse becomes one that it accepts, with as little touched as possible.

`messages` repairs a list of raw messages (lint, fix, lint until nothing changes), `documents` writes the changed values
back into the file that held them, `claude` and `codex` repair the sessions of their clients. Nothing here looks at a
clock or at chance: the same history gives the same repair, and repairing it again changes nothing.
"""
