"""Exports as a user makes them: whole datasets, updates, labels, redaction, and what they add up to."""

from __future__ import annotations

import json
import shutil
import zlib
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from headroom_cli.analysis import Analyser
from headroom_cli.export.dataset import DatasetProblem, Layout, building, manifest
from headroom_cli.export.frames import schema_of
from headroom_cli.export.redact import redacted
from headroom_cli.export.schema import TABLES
from headroom_cli.exporting import Options, Summary, export, tables_of
from headroom_cli.library import analyze
from headroom_cli.lint.run import lint_files
from headroom_cli.source.discover import discover

SAMPLES = Path(__file__).parents[2] / "sample_transcripts"
_CLOCK = ("first_seen_at", "last_read_at")


def run(logs: Path, target: Path, **options: object) -> Summary:
    return export(discover([str(logs)]).files, Analyser(), target, Options(**options))  # type: ignore[arg-type]


def read(target: Path, table: str) -> pl.DataFrame:
    return pl.read_parquet(target / table / "**/*.parquet", hive_partitioning=False)


def read_all(target: Path) -> dict[str, pl.DataFrame]:
    return {name: read(target, name).drop(_CLOCK, strict=False) for name in TABLES}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("export") / "dataset"
    run(SAMPLES, target)
    return target


def test_tables_have_the_columns_of_the_schema_and_no_unexpected_null(dataset: Path) -> None:
    for name, table in TABLES.items():
        frame = read(dataset, name)
        assert dict(frame.schema) == schema_of(table), name
        for column in table.columns:
            assert column.nullable or not frame[column.name].null_count(), (name, column.name)


def test_keys_are_unique_and_lead_somewhere(dataset: Path) -> None:
    for name, table in TABLES.items():
        frame = read(dataset, name)
        assert not frame.select(table.key).is_duplicated().any(), name
        for column, parent in table.parents:
            orphans = frame.join(
                read(dataset, parent), left_on=column, right_on=TABLES[parent].key[0], how="anti", nulls_equal=True
            )
            assert orphans.is_empty(), (name, column)


def test_sums_are_those_of_analyze(dataset: Path) -> None:
    totals = analyze(SAMPLES)["totals"]
    requests, blocks, waste, daily, conversations = (
        read(dataset, name) for name in ("requests", "blocks", "waste", "daily", "conversations")
    )
    usage = totals["usage"]
    for name in ("input_tokens", "cache_read_input_tokens", "cache_write_input_tokens", "output_tokens"):
        assert requests[name].sum() == usage[name] > 0
        assert daily[name].sum() == conversations[name].sum() == usage[name]
    assert requests["cost_usd_micros"].sum() == daily["cost_usd_micros"].sum() == totals["cost_usd_micros"] > 0
    parts = requests.select(pl.sum_horizontal(pl.col("^cost_usd_micros_.*$")).sum()).item()
    assert parts == totals["cost_usd_micros"]
    assert len(requests) == totals["requests"]
    assert blocks["tokens"].sum() == conversations["entered_tokens"].sum() == totals["tokens"]["total"] > 0
    assert blocks["sent_tokens"].sum() == totals["tokens"]["sent"]
    assert waste["exclusive_tokens"].sum() == totals["waste"]["flagged"] > 0
    assert waste["avoidable_tokens"].sum() == daily["avoidable_tokens"].sum() == totals["waste"]["avoidable"] > 0
    assert conversations["copied_tokens"].sum() == totals["copied_tokens"]


def test_the_cache_is_that_of_analyze(dataset: Path) -> None:
    """Of the samples: tools that changed (Sonnet 4.5: 1,970 tokens for $3.75 instead of $0.30 a million), and a
    compaction (Opus 4.5: 5,826 for $6.25 and 3 for $5 instead of $0.50)."""
    cache = analyze(SAMPLES)["totals"]["cache"]
    requests = read(dataset, "requests")
    rebuilt = requests.filter(pl.col("cache_state") == "rebuilt").sort("rebuilt_tokens")
    columns = ("cache_cause", "rebuilt_tokens", "rebuild_is_avoidable", "rebuild_cost_usd_micros")
    assert rebuilt.select(columns).rows() == [("tools", 1_970, True, 6_797), ("compaction", 5_829, False, 33_513)]
    assert rebuilt["rebuild_cost_usd_micros"].sum() == sum(row["cost_usd_micros"] for row in cache["rebuilds"])
    for name in ("all_5m_usd_micros", "all_1h_usd_micros"):
        assert requests[name].sum() == cache[name]


def test_explained_tokens_are_those_of_the_blocks_that_a_request_saw(dataset: Path) -> None:
    blocks, requests = read(dataset, "blocks"), read(dataset, "requests")
    for row in requests.iter_rows(named=True):
        seen = blocks.filter(
            pl.col("conversation_id") == row["conversation_id"],
            pl.col("first_request_index") <= row["request_index"],
            pl.col("last_request_index").is_null() | (pl.col("last_request_index") >= row["request_index"]),
        )
        # A block that left and came back has one span here, and two in the context.
        assert row["explained_tokens"] <= seen["tokens"].sum()
    assert requests["explained_tokens"].sum() > 0


def test_an_update_gives_the_rows_of_one_run(tmp_path: Path) -> None:
    logs, target, whole = tmp_path / "logs", tmp_path / "dataset", tmp_path / "whole"
    shutil.copytree(SAMPLES, logs)
    later = sorted(path for path in logs.rglob("*.jsonl"))
    grown, new = later[0], later[-2:]
    text = grown.read_text()
    grown.write_text("".join(text.splitlines(keepends=True)[:-3]))
    kept = {path: path.read_bytes() for path in new}
    for path in new:
        path.unlink()
    first = run(logs, target)
    grown.write_text(text)
    for path, data in kept.items():
        path.write_bytes(data)
    second = run(logs, target, update=True)
    run(logs, whole)
    assert first.files_read + len(new) == len(discover([str(logs)]).files)
    assert second.files_read == 1 + len(new)
    assert len(second.added) >= len(new)
    assert second.replaced
    assert manifest(target)["conversations_added"] == second.added  # type: ignore[index]
    updated, fresh = read_all(target), read_all(whole)
    for name in TABLES:
        assert_frame_equal(updated[name], fresh[name])
    third = run(logs, target, update=True)
    assert (third.files_read, third.added, third.replaced) == (0, [], [])


def test_facts_of_a_file_that_vanished_are_kept(tmp_path: Path) -> None:
    logs, target = tmp_path / "logs", tmp_path / "dataset"
    shutil.copytree(SAMPLES, logs)
    run(logs, target)
    before = read_all(target)
    gone = next(logs.rglob("*.jsonl"))
    gone.unlink()
    summary = run(logs, target, update=True)
    assert (summary.files_read, summary.files_gone) == (0, 1)
    after = read_all(target)
    assert after["files"].filter(~pl.col("source_present"))["path"].to_list() == [str(gone)]
    for name in TABLES:
        if name != "files":
            assert_frame_equal(before[name], after[name])


@pytest.mark.parametrize("now", [b"", b"\x1f\x8b\x08 torn", b"prose\n"])
def test_facts_of_a_file_that_gives_nothing_any_more_are_kept(tmp_path: Path, now: bytes) -> None:
    logs, target = tmp_path / "logs", tmp_path / "dataset"
    shutil.copytree(SAMPLES, logs)
    run(logs, target)
    before = read_all(target)
    next(logs.rglob("*.jsonl")).write_bytes(now)
    summary = run(logs, target, update=True)
    assert (summary.files_read, summary.files_gone) == (0, 1)
    for name in TABLES:
        assert_frame_equal(before[name], read_all(target)[name])


def test_labels_are_columns_and_stay_with_the_files_they_were_given_for(tmp_path: Path) -> None:
    logs, target = tmp_path / "logs", tmp_path / "dataset"
    logs.mkdir()
    one, other = sorted(SAMPLES.rglob("*.jsonl"))[:2]
    shutil.copy(one, logs / "a.jsonl")
    run(logs, target, labels={"team": "core"})
    shutil.copy(other, logs / "b.jsonl")
    run(logs, target, labels={"team": "web"}, update=True)
    files = read(target, "files").sort("path")
    assert files["label_team"].to_list() == ["core", "web"]
    conversations = read(target, "conversations").join(files, on="file_id", suffix="_file")
    assert (conversations["label_team"] == conversations["label_team_file"]).all()
    assert set(read(target, "daily")["label_team"]) == {"core", "web"}


def test_partitions_by_month_hold_the_same_rows(dataset: Path, tmp_path: Path) -> None:
    target = tmp_path / "by-month"
    run(SAMPLES, target, layout=Layout(by_month=True))
    folders = {path.name for path in (target / "requests").iterdir()}
    assert folders and all(name.startswith("month=") for name in folders)
    months = read(target, "conversations")["started_at"].dt.strftime("%Y-%m").unique().drop_nulls()
    assert {f"month={month}" for month in months} <= {path.name for path in (target / "conversations").iterdir()}
    for name, table in TABLES.items():
        order = list(table.key)
        assert_frame_equal(
            read(dataset, name).drop(_CLOCK, strict=False).sort(order),
            read(target, name).drop(_CLOCK, strict=False).sort(order),
        )


def test_one_table_can_be_asked_for_by_month_too(tmp_path: Path) -> None:
    target = tmp_path / "one"
    run(SAMPLES, target, only=("requests",), layout=Layout(by_month=True))
    assert sorted(path.name for path in target.iterdir()) == ["_headroom.json", "_state", "requests", "views.sql"]


def test_ndjson_has_the_same_rows(dataset: Path, tmp_path: Path) -> None:
    target = tmp_path / "ndjson"
    run(SAMPLES, target, layout=Layout("ndjson"))
    rows = [json.loads(line) for line in (target / "requests" / "part-0.ndjson").read_text().splitlines()]
    assert [row["request_id"] for row in rows] == read(dataset, "requests")["request_id"].to_list()
    assert sum(row["input_tokens"] or 0 for row in rows) == read(dataset, "requests")["input_tokens"].sum()


def test_texts_come_once_each_and_only_if_asked_for(dataset: Path, tmp_path: Path) -> None:
    target = tmp_path / "texts"
    run(SAMPLES, target, with_text=True)
    texts, blocks = read(target, "texts"), read(target, "blocks")
    assert not texts["content_hash"].is_duplicated().any()
    with_text = blocks.filter(pl.col("content_hash").is_not_null(), pl.col("kind") != "image")
    assert with_text.join(texts, on="content_hash", how="anti").is_empty()
    assert not (dataset / "texts").exists()
    short = read(dataset, "blocks").filter(pl.col("bytes") < 64)
    assert len(short) and short["content_hash"].null_count() == len(short)


def test_a_redacted_export_holds_no_name_and_still_joins() -> None:
    files = discover([str(SAMPLES)]).files
    plain = tables_of(files, Analyser(), Options())
    hidden = redacted(plain, b"key")
    assert len(hidden["diagnostics"]) and not hidden["diagnostics"]["call_ids"].explode().drop_nulls().len()
    text = "".join(frame.drop("call_ids", strict=False).write_csv() for frame in hidden.values())
    names = {"acme", "sample_transcripts", "/code"}
    secrets = {
        value
        for column in ("session_id", "project", "cwd", "git_branch", "repo_url")
        for value in plain["conversations"][column].drop_nulls()
    } | set(plain["tool_calls"]["call_id"].drop_nulls())
    assert len(secrets) > 20
    for word in names | {secret for secret in secrets if len(secret) > 5}:
        assert word not in text, word
    assert set(plain["conversations"]["conversation_id"]).isdisjoint(hidden["conversations"]["conversation_id"])
    for name, table in TABLES.items():
        for column, parent in table.parents:
            key = TABLES[parent].key[0]
            assert hidden[name].join(hidden[parent], left_on=column, right_on=key, how="anti").is_empty()
    assert "Read" in set(hidden["tool_calls"]["tool_name"])
    assert redacted(plain, b"key")["requests"].equals(hidden["requests"])
    assert not redacted(plain, b"other")["requests"].equals(hidden["requests"])


def test_what_is_no_dataset_is_never_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "cat.png").write_bytes(b"png")
    with pytest.raises(DatasetProblem, match="holds something else"):
        run(SAMPLES, folder)
    assert (folder / "cat.png").read_bytes() == b"png"
    with pytest.raises(DatasetProblem, match="is a file"):
        run(SAMPLES, folder / "cat.png")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["photos"]


def test_two_exports_into_one_folder_are_refused(tmp_path: Path) -> None:
    target = tmp_path / "dataset"
    with building(target) as folder:
        with pytest.raises(DatasetProblem, match="another export"):
            run(SAMPLES, target)
        (folder / "_headroom.json").write_text('{"schema_version": "1.0"}')
    assert manifest(target) == {"schema_version": "1.0"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dataset"]


def test_a_failure_leaves_the_old_dataset(tmp_path: Path) -> None:
    target = tmp_path / "dataset"
    run(SAMPLES, target)
    before = (target / "_headroom.json").read_bytes()
    with pytest.raises(RuntimeError, match="half-way"), building(target) as folder:
        (folder / "requests").mkdir()
        raise RuntimeError("half-way")
    assert (target / "_headroom.json").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dataset"]


def test_a_redacted_dataset_is_not_updated(tmp_path: Path) -> None:
    target = tmp_path / "dataset"
    run(SAMPLES, target, key=b"key")
    assert not (target / "_state").exists()
    with pytest.raises(DatasetProblem, match="keeps no state"):
        run(SAMPLES, target, update=True)


def test_diagnostics_are_those_of_lint(dataset: Path) -> None:
    found = read(dataset, "diagnostics").join(read(dataset, "files"), on="file_id", how="left", maintain_order="left")
    exported = found.select("rule", "severity", "path", "line", "column_number", "pointer", "message").rows()
    files = discover([str(SAMPLES)]).files
    linted = [
        (d.rule, d.severity, d.path, d.line, d.column, d.pointer or None, d.message)
        for d in lint_files(files).diagnostics
    ]
    assert sorted(exported, key=str) == sorted(linted, key=str)
    assert set(found["rule"]) == {"HR102", "HR113"}


@pytest.mark.parametrize("name", ["files.json", "blocks.parquet", "texts.parquet"])
@pytest.mark.parametrize("damage", [b"", b"x", b"{}", b"[]", b'{"fingerprint": "1", "sums": {}, "files": [{}]}', None])
def test_an_update_of_a_damaged_state_is_refused_and_changes_nothing(
    dataset: Path, tmp_path: Path, name: str, damage: bytes | None
) -> None:
    target = tmp_path / "dataset"
    shutil.copytree(dataset, target)
    part = target / "_state" / name
    whole = part.read_bytes()
    # Without a text given, one byte in the middle of a table or of the list of its files is another.
    middle = len(whole) // 2
    part.write_bytes(damage if damage is not None else whole[:middle] + b"\xff" + whole[middle + 1 :])
    before = {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}
    with pytest.raises(DatasetProblem, match="_state is damaged, or another version's; export it anew"):
        run(SAMPLES, target, update=True)
    assert {path: path.read_bytes() for path in target.rglob("*") if path.is_file()} == before
    run(SAMPLES, target)
    assert run(SAMPLES, target, update=True).files_read == 0


def test_a_dataset_with_something_else_in_it_is_not_replaced(dataset: Path, tmp_path: Path) -> None:
    target = tmp_path / "dataset"
    shutil.copytree(dataset, target)
    (target / ".DS_Store").write_bytes(b"")
    (target / "mine.duckdb").write_bytes(b"tables of my own")
    for update in (False, True):
        with pytest.raises(DatasetProblem, match=r"mine\.duckdb is no part of the export"):
            run(SAMPLES, target, update=update)
    assert (target / "mine.duckdb").read_bytes() == b"tables of my own"
    (target / "mine.duckdb").unlink()
    run(SAMPLES, target, update=True, with_text=True)
    run(SAMPLES, target, update=True)
    assert not (target / "texts").exists()


@pytest.mark.parametrize("place", ["conversations/notes.txt", "_state/mine/log.jsonl", "files/part-9.parquet"])
def test_nothing_that_lies_deeper_in_a_dataset_is_lost(dataset: Path, tmp_path: Path, place: str) -> None:
    target = tmp_path / "dataset"
    shutil.copytree(dataset, target)
    (target / place).parent.mkdir(exist_ok=True)
    (target / place).write_bytes(b"mine")
    with pytest.raises(DatasetProblem, match="is no part of the export, and would be lost"):
        run(SAMPLES, target)
    assert (target / place).read_bytes() == b"mine"


@pytest.mark.parametrize("suffix", [".headroom-old", ".headroom-new"])
def test_a_folder_of_that_name_which_no_export_made_is_not_removed(tmp_path: Path, suffix: str) -> None:
    other = tmp_path / f"dataset{suffix}"
    other.mkdir()
    (other / "precious").write_text("x")
    with pytest.raises(DatasetProblem, match="is in the way, and no part of an export"):
        run(SAMPLES, tmp_path / "dataset")
    assert (other / "precious").read_text() == "x"


def test_the_root_is_no_place_for_a_dataset() -> None:
    with pytest.raises(DatasetProblem, match="is no place for an export"):
        run(SAMPLES, Path("/"))


@pytest.mark.parametrize("change", ["drop", "add", "type"])
def test_a_state_with_other_columns_is_not_gone_on_from(dataset: Path, tmp_path: Path, change: str) -> None:
    target = tmp_path / "dataset"
    shutil.copytree(dataset, target)
    part = target / "_state" / "requests.parquet"
    frame = pl.read_parquet(part)
    changes = {"drop": frame.drop("billing"), "add": frame.with_columns(x=1), "type": frame.cast({"line": pl.Int64})}
    changes[change].write_parquet(part)
    files = target / "_state" / "files.json"
    body = json.loads(files.read_bytes())
    body["sums"]["requests"] = zlib.crc32(part.read_bytes())
    files.write_text(json.dumps(body))
    with pytest.raises(DatasetProblem, match="another version's; export it anew"):
        run(SAMPLES, target, update=True)


@pytest.mark.parametrize(
    ("name", "value"),
    [("labels", [1]), ("labels", {"team": 5}), ("last_read_at", 10**30), ("stamp", ["x"]), ("report", {"path": 5})],
)
def test_a_list_of_files_that_was_edited_is_not_gone_on_from(
    dataset: Path, tmp_path: Path, name: str, value: Any
) -> None:
    target = tmp_path / "dataset"
    shutil.copytree(dataset, target)
    files = target / "_state" / "files.json"
    body = json.loads(files.read_bytes())
    body["files"][0][name] = {**body["files"][0][name], **value} if name == "report" else value
    files.write_text(json.dumps(body))
    with pytest.raises(DatasetProblem, match="export it anew"):
        run(SAMPLES, target, update=True)


def test_a_redacted_manifest_names_conversations_and_labels_as_the_tables_do(tmp_path: Path) -> None:
    run(SAMPLES, tmp_path / "d", key=b"key", labels={"team": "acme-payments", "none": ""})
    body = manifest(tmp_path / "d")
    assert body is not None
    conversations = read(tmp_path / "d", "conversations")
    assert body["conversations_added"] == sorted(conversations["conversation_id"])
    labels = body["options"]["labels"]
    assert [labels["team"]] == conversations["label_team"].unique().to_list() != ["acme-payments"]
    assert [labels["none"]] == conversations["label_none"].unique().to_list() == [""]


def test_words_of_providers_stay_and_names_among_them_do_not(tmp_path: Path) -> None:
    names = [
        ("claude-sonnet-4-5-20250929", True),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", True),
        ("ft:gpt-4o-2024-08-06:acme::9xyz", False),
        ("claude-acme", False),
        ("arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/x1", False),
    ]
    for place, (name, _) in enumerate(names):
        usage = {"input_tokens": 9, "output_tokens": 1, "service_tier": "standard" if place else "acme"}
        body: dict[str, Any] = {
            "id": f"msg_{place}",
            "type": "message",
            "role": "assistant",
            "model": name,
            "usage": usage,
        }
        body["content"], body["stop_reason"] = [{"type": "text", "text": "a"}], "end_turn" if place else "acme"
        line: dict[str, Any] = {
            "type": "assistant",
            "uuid": f"u{place}",
            "sessionId": f"s{place}",
            "requestId": f"r{place}",
        }
        line |= {"version": "2.1.138" if place else "acme", "message": body, "timestamp": "2026-11-01T00:00:00Z"}
        (tmp_path / f"{place}.jsonl").write_text(json.dumps(line) + "\n")
    plain = tables_of(discover([str(tmp_path)]).files, Analyser(), Options())
    hidden = redacted(plain, b"key")
    assert set(plain["requests"]["model"]) == {name for name, _ in names}
    for table in ("requests", "conversations", "daily"):
        shown = {name for name in hidden[table]["model"] if not (len(name) == 32 and name.isalnum())}
        assert shown == {name for name, public in names if public}
    assert "acme" not in "".join(frame.drop("call_ids", strict=False).write_csv() for frame in hidden.values())
    assert {"end_turn"} < set(hidden["requests"]["finish_reason"])
    assert {"standard"} < set(hidden["requests"]["service_tier"])
    assert {"2.1.138"} < set(hidden["conversations"]["client_version"])
