"""How Claude Code writes sessions: lines, responses over several lines, and the graph they stand in."""
