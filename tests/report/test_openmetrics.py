from __future__ import annotations

from typing import Any

from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.parser import text_string_to_metric_families as classic_families

from headroom_cli.report.openmetrics import exposition
from tests.report.test_budget import reading_twice


def samples(text: str, families: Any) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families(text)
        for sample in family.samples
    }


def test_the_text_is_read_by_both_parsers_of_prometheus(write: Any, analyse_paths: Any) -> None:
    run, _ = analyse_paths(write("a.jsonl", reading_twice()))
    text = exposition(run)
    found = samples(text, text_string_to_metric_families)
    assert samples(text, classic_families) == found
    where = (("model", "claude-opus-4-5-20251101"), ("project", "acme"))
    assert found["headroom_requests", where] == 7
    assert found["headroom_usage_input_tokens", where] == 9600
    assert found["headroom_usage_cache_write_input_tokens", where] == 2100
    assert found["headroom_cost_usd", where] == 0.020375
    (reread,) = run.settled.waste.filter(signal="reread").iter_rows(named=True)
    assert found["headroom_waste_signal_tokens_total", (("signal", "reread"),)] == reread["exclusive_tokens"]
    assert found["headroom_damaged_records", ()] == 0


def test_names_from_logs_can_not_break_a_line(write: Any, analyse_paths: Any) -> None:
    lines = reading_twice()
    for each in lines:
        if each["type"] == "assistant":
            each["message"]["model"] = 'od"d\n\\x'
    run, _ = analyse_paths(write("a.jsonl", lines))
    models = {dict(labels).get("model") for _, labels in samples(exposition(run), text_string_to_metric_families)}
    assert 'od"d\n\\x' in models


def test_no_terminal_obeys_a_name(write: Any, analyse_paths: Any) -> None:
    lines = reading_twice()
    for each in lines:
        if each["type"] == "assistant":
            each["message"]["model"] = "a\x1b[2J\x9b\u202eb"
    run, _ = analyse_paths(write("a.jsonl", lines))
    text = exposition(run)
    assert 'model="a·[2J··b"' in text
    assert not {"\x1b", "\x9b", "\u202e"}.intersection(text)
