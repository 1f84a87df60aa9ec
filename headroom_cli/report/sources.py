"""What filled the context: tokens by where they came from, and what recorded input holds beside them."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from headroom_cli.settle import Settled

COPIED = "history of another session"


@dataclass(frozen=True, slots=True)
class Source:
    """Tokens of one source: `entered` counted once, `sent` once for each request that saw them; both estimates."""

    name: str
    entered: int
    sent: int


@dataclass(frozen=True, slots=True)
class Sent:
    """All sources, most sent first, against what the provider counted.

    `recorded` is the recorded input of own requests (None: not recorded for any); `unrecorded_requests` are own
    requests without a count. `has_prefix` tells whether the logs hold the system prompt or tool schemas.
    """

    sources: list[Source]
    recorded: int | None
    unrecorded_requests: int
    has_prefix: bool

    @property
    def explained(self) -> int:
        """Estimated tokens of everything in the log that requests sent."""
        return sum(source.sent for source in self.sources)

    @property
    def unexplained(self) -> int | None:
        """Recorded input less what the log explains; negative where the estimate is above the count.

        None where that can't be told: nothing recorded, or the estimate also covers requests without a count.
        """
        if self.recorded is None:
            return None
        rest = self.recorded - self.explained
        return None if self.unrecorded_requests and rest < 0 else rest

    @property
    def total(self) -> int:
        """What was sent: the recorded input, or the estimate where it is larger or alone."""
        return max(self.recorded or 0, self.explained)


def what_was_sent(settled: Settled) -> Sent:
    """Sources of everything that own requests sent, whoever owns it."""
    roles = settled.messages.select("conversation", "message_index", "role")
    blocks = settled.blocks.join(roles, on=["conversation", "message_index"], how="left")
    rows = (
        blocks.with_columns(source=_source())
        .group_by("source")
        .agg(
            entered=pl.when(pl.col("own")).then(pl.col("tokens")).otherwise(0).cast(pl.Int64).sum(),
            sent=pl.col("sent_tokens").sum(),
        )
        .filter((pl.col("entered") > 0) | (pl.col("sent") > 0))
        .sort("sent", "entered", "source", descending=[True, True, False])
    )
    requests = settled.requests.filter("own")
    counted = requests["input_tokens"].drop_nulls()
    return Sent(
        sources=[Source(name, entered, sent) for name, entered, sent in rows.iter_rows()],
        recorded=int(counted.sum()) if len(counted) else None,
        unrecorded_requests=len(requests) - len(counted),
        has_prefix=_all_have_prefix(blocks, requests),
    )


def _all_have_prefix(blocks: pl.DataFrame, requests: pl.DataFrame) -> bool:
    """Whether every conversation whose input is recorded has its system prompt or tool schemas in the log."""
    outside = (pl.col("message_index") == -1) | (pl.col("role") == "system")
    with_prefix = blocks.filter((pl.col("kind") == "system") & outside)
    return requests.drop_nulls("input_tokens").join(with_prefix, on="conversation", how="anti").is_empty()


def _source() -> pl.Expr:
    kind, outside = pl.col("kind"), pl.col("message_index") == -1
    server, tool = pl.col("mcp_server"), pl.col("tool_name")
    return (
        pl.when(pl.col("copied"))
        .then(pl.lit(COPIED))
        .when(kind == "tool_call")
        .then(pl.lit("tool calls"))
        .when(kind.is_in(["tool_result", "image"]) & server.is_not_null())
        .then(pl.format("mcp {}", server))
        .when((kind == "tool_result") & tool.is_not_null())
        .then(pl.format("{} results", tool))
        .when(kind == "tool_result")
        .then(pl.lit("tool results"))
        .when(kind.is_in(["assistant", "thinking"]))
        .then(pl.lit("assistant, thinking"))
        .when((kind == "system") & outside & tool.is_not_null())
        .then(pl.lit("tool schemas"))
        .when((kind == "system") & (outside | (pl.col("role") == "system")))
        .then(pl.lit("system"))
        .when(kind == "system")
        .then(pl.lit("reminders, commands"))
        .when(kind == "rag")
        .then(pl.lit("retrieved documents"))
        .when(kind == "user")
        .then(pl.lit("user"))
        .otherwise(pl.lit("other"))
    )
