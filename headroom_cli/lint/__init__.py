"""Lint: which histories a provider would refuse.

`sent` makes histories of what the readers found, `engine` runs the rules of `rules/` over them, `providers` is what
providers enforce, as data. No tokens are counted here, and no data frame is needed.
"""
