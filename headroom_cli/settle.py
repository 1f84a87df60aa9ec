"""What spans files: which conversation owns what, and what each block was sent for. Run last, always.

Files are read without looking at any other, so forks, resumes, growing snapshots and replayed responses repeat what
stands elsewhere. One rule decides, the same for usage, tokens and waste: **of all conversations that hold the same
message or response, the first in this order owns it**: main conversations before subagents and side threads, then the
earlier start, then the longer, then the later end, then the path. The others keep it as context, count it as copied,
and add it to no total. What a file itself marks as copied comes behind all others, so it is owned there only if it
stands nowhere else; without a key it is owned by nobody.

A log without ids can't tell a copy from a coincidence message by message: there a conversation is a copy only as a
whole, when every message of it is the beginning of another one in another file.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import polars as pl

from headroom_cli.carried import money, with_sent
from headroom_cli.charges import price_requests
from headroom_cli.contexts import contexts_of, spans_of
from headroom_cli.cost import PriceList
from headroom_cli.frames import USAGE_COLUMNS, Frames, beside, rows_of
from headroom_cli.projects import project_of
from headroom_cli.selection import Selection
from headroom_cli.waste import cache_rebuilt

_MIN_COPY_MESSAGES = 2


@dataclass(frozen=True, slots=True)
class Settled:
    """The frames of a run after ownership, with `own`, `times_sent`, `sent_tokens`, `carried_tokens` and cost columns.

    `others` names client, project and kind of the conversations that the selection left out.
    Keys of messages and requests have told the owners, and are gone.
    `intervals` are as they were: which requests saw which block. `contexts` has a row for each of `requests` (see
    `contexts`). `nested` holds usage of responses whose own record is nowhere in the logs read. `diagnostics` are of
    conversations that own anything, each of a copied history once.
    """

    conversations: pl.DataFrame
    others: pl.DataFrame
    messages: pl.DataFrame
    requests: pl.DataFrame
    blocks: pl.DataFrame
    intervals: pl.DataFrame
    contexts: pl.DataFrame
    waste: pl.DataFrame
    nested: pl.DataFrame
    diagnostics: pl.DataFrame


def settle(
    frames: Frames,
    selection: Selection | None = None,
    prices: PriceList | None = None,
    ignored_signals: frozenset[str] = frozenset(),
) -> Settled:
    """Decide the owner of everything, then what follows from it: tokens sent and carried, and cost.

    What `selection` leaves out is owned by nobody in the result, without being a copy. Of signals, only those that are
    about cost can be ignored here.
    """
    chosen = selection or Selection()
    ranked = _ranked(_told_by_parents(frames.conversations))
    copies = _content_copies(ranked, frames.messages)
    ranked = ranked.with_columns(
        is_copy=pl.col("conversation").is_in(copies.implode()), selected=chosen.conversations()
    )
    calls = frames.requests.with_columns(_hashed_key(), _selected_requests(ranked, frames.requests, chosen))
    messages = _own_messages(ranked, frames.messages, calls, chosen)
    requests = _own_requests(ranked, messages, calls)
    requests = price_requests(requests, prices)
    blocks = _own_blocks(ranked, messages, frames.blocks)
    rebuilt = cache_rebuilt.find(requests, blocks)
    if cache_rebuilt.NAME in ignored_signals:
        rebuilt = rebuilt.clear()
    spans = spans_of(frames.intervals, blocks, requests)
    contexts = contexts_of(spans, blocks, requests)
    blocks = with_sent(blocks, spans, requests, contexts["explained_tokens"], rebuilt)
    conversations = others = _distinct_ids(ranked, messages)
    if not chosen.is_everything:
        active = pl.concat([messages.filter("selected")["conversation"], requests.filter("selected")["conversation"]])
        conversations = conversations.filter("selected", pl.col("conversation").is_in(active.unique().implode()))
    others = others.select("conversation", "client", "project", "kind").join(
        conversations, on="conversation", how="anti"
    )
    return Settled(
        conversations=conversations,
        others=others,
        messages=messages.drop("key"),
        requests=requests.drop("key"),
        blocks=blocks,
        intervals=frames.intervals,
        contexts=contexts,
        waste=pl.concat([_own_waste(blocks, frames.waste), _rebuilt_waste(rebuilt)], how="diagonal"),
        diagnostics=_own_diagnostics(conversations, frames.diagnostics),
        nested=price_requests(_unseen_nested(ranked, frames.nested, requests).filter(chosen.requests()), prices),
    )


def _told_by_parents(conversations: pl.DataFrame) -> pl.DataFrame:
    """Subagents with the call and the type that only the file of who started them tells."""
    spawned = (
        conversations.filter(pl.col("spawned").list.len() > 0)
        .select("spawned", "spawning_calls", "spawned_names")
        .explode("spawned", "spawning_calls", "spawned_names")
        .unique("spawned", keep="first", maintain_order=True)
    )
    conversations = conversations.drop("spawned", "spawning_calls", "spawned_names")
    if spawned.is_empty():
        return conversations
    return (
        conversations.join(spawned, left_on="conversation_id", right_on="spawned", how="left", maintain_order="left")
        .with_columns(
            parent_call_id=pl.coalesce("parent_call_id", "spawning_calls"),
            agent_name=pl.coalesce("agent_name", "spawned_names"),
        )
        .drop("spawning_calls", "spawned_names")
    )


def _ranked(conversations: pl.DataFrame) -> pl.DataFrame:
    order = conversations.with_columns(is_side=pl.col("kind") != "main").sort(
        ["is_side", "started_at", "messages", "ended_at", "path", "conversation"],
        descending=[False, False, True, True, False, False],
        nulls_last=True,
    )
    project = pl.struct("cwd", "repo_url").map_elements(
        lambda row: project_of(row["cwd"], row["repo_url"]), return_dtype=pl.String
    )
    return order.drop("is_side").with_row_index("rank").with_columns(project=project).sort("conversation")


def _content_copies(ranked: pl.DataFrame, messages: pl.DataFrame) -> pl.Series:
    """Conversations of logs without ids that are the beginning of another one in another file."""
    plain = ranked.filter(pl.col("identity") == "content").select(
        "conversation", "content_key", "path", "messages", "requests", "rank"
    )
    # The same first prompt, sent twice, is no copy; never sent, it is the beginning of whatever goes on from it.
    last = plain.filter((pl.col("messages") >= _MIN_COPY_MESSAGES) | (pl.col("requests") == 0))
    if last.is_empty():
        return pl.Series("conversation", [], dtype=pl.Int32)
    # Of all that hold a last message, the two best in two files suffice: one of them is in another file.
    holders = (
        messages.select("conversation", "key")
        .join(last, left_on="key", right_on="content_key", how="semi")
        .join(plain, on="conversation")
        .sort(["messages", "rank"], descending=[True, False])
        .unique(["key", "path"], keep="first", maintain_order=True)
        .group_by("key", maintain_order=True)
        .head(2)
    )
    candidates = last.join(holders, left_on="content_key", right_on="key", suffix="_other").filter(
        (pl.col("path") != pl.col("path_other"))
        & (
            (pl.col("messages_other") > pl.col("messages"))
            | ((pl.col("messages_other") == pl.col("messages")) & (pl.col("rank_other") < pl.col("rank")))
        )
    )
    return candidates["conversation"].unique()


def _hashed_key() -> pl.Expr:
    """64 bits in the place of a key: grouping by strings of any length costs much more."""
    return pl.when(pl.col("key").is_not_null()).then(pl.col("key").hash()).alias("key")


def _owner() -> pl.Expr:
    """Whether a row is its key's own row. Without a key, it is its own unless its file marks it as copied."""
    whole = ~pl.col("is_copy")
    # Marked copies come behind all others: they own only what stands nowhere else.
    turn = pl.when(whole).then(pl.col("rank").cast(pl.Int64) + pl.col("copied").cast(pl.Int64) * 2**32)
    first = turn.min().over("key")
    return whole & pl.when(pl.col("key").is_null()).then(~pl.col("copied")).otherwise(turn == first)


def _selected_requests(ranked: pl.DataFrame, requests: pl.DataFrame, chosen: Selection) -> pl.Series:
    """Which requests are asked for; what a request does not tell, its conversation does."""
    headers = ranked.select("started_at", in_selection="selected", main_model="model")
    narrow = beside(requests.select("timestamp", "model"), headers, requests["conversation"])
    told = narrow.with_columns(
        timestamp=pl.coalesce("timestamp", "started_at"), model=pl.coalesce("model", "main_model")
    )
    return told.select((pl.col("in_selection") & chosen.requests()).alias("selected"))["selected"]


def _own_messages(
    ranked: pl.DataFrame, messages: pl.DataFrame, requests: pl.DataFrame, chosen: Selection
) -> pl.DataFrame:
    """A message is selected with the request that made it or first saw it; if none did, by its own time."""
    has_ids = pl.col("identity") == "ids"
    headers = ranked.select("rank", "is_copy", "started_at", "model", in_selection="selected", has_ids=has_ids)
    narrow = beside(messages.select("key", "copied", "timestamp"), headers, messages["conversation"])
    seen = rows_of(requests, messages["conversation"], messages["request_index"])
    narrow = narrow.with_columns(with_request=requests["selected"].gather(seen))
    narrow = narrow.with_columns(
        key=pl.when("has_ids").then(_hashed_key()), timestamp=pl.coalesce("timestamp", "started_at")
    )
    unseen = pl.col("in_selection") & chosen.requests()
    flags = narrow.select(own=_owner(), selected=pl.coalesce("with_request", unseen))
    return messages.drop("copied").with_columns(flags["selected"], **_owned_and_copied(flags))


def _owned_and_copied(flags: pl.DataFrame) -> dict[str, pl.Series]:
    return {"own": flags["own"] & flags["selected"], "copied": ~flags["own"] & flags["selected"]}


def _own_requests(ranked: pl.DataFrame, messages: pl.DataFrame, requests: pl.DataFrame) -> pl.DataFrame:
    columns = ["conversation", "key", "copied", "source", "selected"]
    narrow = beside(requests.select(columns), ranked.select("rank", "is_copy"), requests["conversation"])
    answers = rows_of(messages, requests["conversation"], requests["message_index"])
    narrow = narrow.with_columns(answer_copied=messages["copied"].gather(answers))
    keyed = pl.col("key").is_not_null()
    identified = keyed & (pl.col("source") == "recorded")
    again = keyed & ~pl.struct("conversation", "key").is_first_distinct()
    flags = narrow.select(
        (_owner() & ~again & (identified | ~pl.col("answer_copied").fill_null(False))).alias("own"), "selected"
    )
    most = [
        pl.when(keyed).then(pl.col(name).max().over("key")).otherwise(pl.col(name)).alias(name)
        for name in USAGE_COLUMNS
    ]
    # A copy that records no usage says nothing about the others.
    bound = pl.when("has_usage").then("output_is_lower_bound")
    final = pl.when(keyed).then(bound.min().over("key").fill_null(False))
    return requests.with_columns(
        *most,
        final.otherwise(pl.col("output_is_lower_bound")).alias("output_is_lower_bound"),
        pl.when(keyed).then(pl.col("has_usage").any().over("key")).otherwise("has_usage").alias("has_usage"),
        **_owned_and_copied(flags),
    )


def _own_blocks(ranked: pl.DataFrame, messages: pl.DataFrame, blocks: pl.DataFrame) -> pl.DataFrame:
    """A block belongs with its message; what stands outside messages, with a conversation that owns any."""
    whole = messages.group_by("conversation").agg(pl.col("own", "copied").any())
    whole = ranked.select("conversation").join(whole, on="conversation", how="left", maintain_order="left")
    outside = whole.select(outside_own="own", outside_copied=pl.col("copied") & ~pl.col("own"))
    narrow = outside.select(pl.all().gather(blocks["conversation"]))
    inside = rows_of(messages, blocks["conversation"], blocks["message_index"])
    flags = beside(narrow, messages.select("own", "copied"), inside)
    return blocks.with_columns(
        flags.select(
            own=pl.coalesce("own", "outside_own").fill_null(False),
            copied=pl.coalesce("copied", "outside_copied").fill_null(False),
        )
    )


def _own_waste(blocks: pl.DataFrame, waste: pl.DataFrame) -> pl.DataFrame:
    where = blocks.select(
        "own", "times_sent", "line", "message_index", "tool_name", "mcp_server",
        _rate=pl.col("entry_rate") + pl.col("carry_rate"),
    )  # fmt: skip
    first = blocks.select(first_line="line", first_message_index="message_index")
    placed = beside(waste, where, rows_of(blocks, waste["conversation"], waste["block_index"]))
    placed = beside(placed, first, rows_of(blocks, waste["conversation"], waste["first_block_index"]))
    return placed.with_columns(
        carried_tokens=pl.col("exclusive_tokens") * (pl.col("times_sent") - 1).clip(0),
        cost_usd_micros=money("exclusive_tokens", "_rate"),
        avoidable_cost_usd_micros=money("avoidable_tokens", "_rate"),
    ).drop("_rate")


def _rebuilt_waste(rebuilt: pl.DataFrame) -> pl.DataFrame:
    """Rebuilt caches as findings: money without tokens of their own."""
    none = pl.lit(0, pl.Int64)
    minutes = (pl.col("gap_seconds") / 60).round().cast(pl.Int64)
    return rebuilt.select(
        pl.exclude("gap_seconds"),
        signal=pl.lit(cache_rebuilt.NAME),
        exclusive_tokens=none,
        avoidable_tokens=none,
        carried_tokens=none,
        times_sent=pl.lit(0, pl.Int32),
        confidence=pl.when(pl.col("cause") == cache_rebuilt.EXPIRED).then(pl.lit("medium")).otherwise(pl.lit("high")),
        summary=pl.when(pl.col("cause") == cache_rebuilt.EXPIRED).then(pl.format("a pause of {} min", minutes)),
        cost_usd_micros="avoidable_cost_usd_micros",
        own=pl.lit(True),
    )


def _own_diagnostics(conversations: pl.DataFrame, diagnostics: pl.DataFrame) -> pl.DataFrame:
    """What is found again in a copy tells of the same calls; without calls, each conversation speaks for itself."""
    owning = conversations.filter(pl.col("own_messages") > 0).select("conversation", "conversation_id", "rank")
    alone = pl.col("call_ids").list.len() == 0
    return (
        diagnostics.join(owning, on="conversation", how="inner", maintain_order="left")
        .with_columns(_home=pl.when(alone).then("conversation_id"))
        .sort("rank", maintain_order=True)
        .unique(["fingerprint", "_home"], keep="first", maintain_order=True)
        .drop("_home", "rank")
    )


def _unseen_nested(ranked: pl.DataFrame, nested: pl.DataFrame, requests: pl.DataFrame) -> pl.DataFrame:
    """Nested usage by response, each once, in the first conversation that has it."""
    unseen = nested.join(requests.select("key"), left_on=pl.col("key").hash(), right_on="key", how="anti")
    return (
        unseen.join(ranked.filter("selected").select("conversation", "rank"), on="conversation")
        .sort("rank")
        .group_by("key", maintain_order=True)
        .agg(
            pl.col("conversation", "model", "timestamp").first(),
            *(pl.col(name).max() for name in USAGE_COLUMNS),
        )
    )


def _distinct_ids(ranked: pl.DataFrame, messages: pl.DataFrame) -> pl.DataFrame:
    """Of conversations that share an id, the one that owns the most keeps it; the others get one of their own."""
    owning = (
        messages.filter("own")
        .group_by("conversation")
        .agg(own_messages=pl.len().cast(pl.Int32), mark=pl.col("key").first())
    )
    joined = ranked.join(owning, on="conversation", how="left").with_columns(pl.col("own_messages").fill_null(0))
    shared = joined.filter(pl.len().over("conversation_id") > 1).sort("own_messages", "rank", descending=[True, False])
    if shared.is_empty():
        return joined.drop("mark")
    seen: set[str] = set()
    new_ids: dict[int, str] = {}
    for row in shared.iter_rows(named=True):
        identity = row["conversation_id"]
        if identity in seen:
            mark = row["content_key"] or row["mark"] or ""
            salt = 0
            while identity in seen:
                text = f"{row['conversation_id']}\0{mark}\0{salt}"
                identity = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
                salt += 1
            new_ids[row["conversation"]] = identity
        seen.add(identity)
    ids = pl.DataFrame({"conversation": list(new_ids), "new_id": list(new_ids.values())}).cast(
        {"conversation": pl.Int32, "new_id": pl.String}
    )
    return (
        joined.join(ids, on="conversation", how="left")
        .with_columns(conversation_id=pl.coalesce("new_id", "conversation_id"))
        .drop("new_id", "mark")
    )
