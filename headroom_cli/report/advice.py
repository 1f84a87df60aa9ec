"""What findings mean in plain words, and what to do about them: one line a signal."""

from __future__ import annotations

CAUSES = {
    ("reread", "in_context"): "unchanged, still in context",
    ("reread", "after_change"): "read again after an edit",
    ("reread", "compressed"): "read again after it was compressed",
    ("reread", "cleared"): "read again after it was cleared",
    ("reread", "compacted"): "read again after a compaction",
    ("reread", "changed"): "called again, and most of the answer was new",
    ("reread", "unanswered"): "the earlier call has no result",
    ("duplicate_image", None): "the same image again",
    ("failed_retry", None): "the same call failed the same way again",
    ("write_readback", None): "read back what it had just written",
    ("subset_read", None): "a part of a file that a larger read still shows",
    ("id_lookup", None): "a look into a store only for an id",
    ("stale_read", None): "an old copy of a file that was changed later",
    ("unused_tools", None): "tools that were declared and never called",
    ("cache_rebuilt", "expired"): "the cache had expired",
    ("cache_rebuilt", "tools"): "the tools had changed",
    ("cache_rebuilt", "system"): "the system prompt had changed",
    ("cache_rebuilt", None): "the cached prefix had changed",
    ("base64", None): "binary data as base64 text",
    ("ansi_noise", None): "terminal colours and progress bars",
    ("html_noise", None): "HTML tags and comments",
    ("json_bloat", None): "JSON that says the same in fewer tokens",
    ("repetition", None): "lines that repeat but for numbers",
    ("line_numbers", None): "line numbers before each line",
    ("whitespace", None): "runs of blanks and empty lines",
    ("dynamic_date", None): "dates and ids in the cached prefix",
}

ADVICE = {
    "reread": "tell the agent that files it has read are still in its context; read ranges, not whole files",
    "duplicate_image": "attach an image once; let screenshots that have not changed say so",
    "failed_retry": "let errors say what would help; change something before trying again",
    "write_readback": "tell the agent that a write that reports success needs no check",
    "subset_read": "tell the agent that files it has read are still in its context; read the needed part first",
    "id_lookup": "put the ids into the memory block that is injected",
    "unused_tools": "connect only the tools that are used, or load schemas on demand",
    "cache_rebuilt": "cache for an hour where sessions pause, or compact before; leave tools and system prompt alone",
    "base64": "keep binary data out of results: save it to a file and return the path",
    "ansi_noise": "run tools without colours and progress bars (NO_COLOR=1, --no-progress, | cat)",
    "html_noise": "strip markup before the model sees it: fetch pages as text, drop HTML fields of API answers",
    "json_bloat": "return minified JSON, lists as columns, and only the fields that are used",
    "repetition": "filter output before the model sees it: -q, | tail, | uniq -c",
    "whitespace": "squeeze blanks and empty lines out of results (| cat -s)",
    "dynamic_date": "move dates and ids behind the system prompt, so that the cached prefix stays the same",
}


def cause_words(signal: str, cause: str | None) -> str:
    """Why a finding is one, in plain words."""
    words = CAUSES.get((signal, cause)) or CAUSES.get((signal, None))
    return words or " ".join(part.replace("_", " ") for part in (signal, cause) if part)
