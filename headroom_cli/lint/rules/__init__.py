"""The rules: one module each, found by being here. Its docstring is its page; `RULE` declares it."""
