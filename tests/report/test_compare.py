"""Two sets of sessions, compared by hand: claude-opus-4-5 at $5, $25 output, $0.50 read, $6.25 write a million."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from headroom_cli.analysis import Analyser
from headroom_cli.comparing import analysed_side
from headroom_cli.exporting import Options
from headroom_cli.library import analyze
from headroom_cli.report.compare.comparison import Comparison, compare
from headroom_cli.report.compare.increase import Increase, increased, limit_of
from headroom_cli.report.compare.json import document
from headroom_cli.report.compare.measures import Effect, Values
from headroom_cli.report.compare.screen import report
from headroom_cli.report.compare.sides import Side
from headroom_cli.report.layout import to_markdown, to_text
from headroom_cli.source.discover import discover
from tests.report.test_budget import reading_twice

SAMPLES = Path(__file__).parents[2] / "sample_transcripts"
OPUS, SONNET = "claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929"


def session(name: str, thousands: int, *, model: str = OPUS, tool: str = "Read", fails: bool = False) -> list[Any]:
    """Two requests: one writes `thousands` to the cache and calls a tool, one reads them and writes 100 tokens."""
    lines: list[dict[str, Any]] = []

    def add(role: str, content: Any, **more: Any) -> None:
        number = len(lines)
        lines.append(
            {
                "type": role, "uuid": f"{name}-{number}", "parentUuid": f"{name}-{number - 1}" if number else None,
                "sessionId": name, "version": "2.1.5", "cwd": "/code/acme",
                "timestamp": f"2026-11-20T10:{number:02}:00.000Z",
                "message": {"role": role, "content": content, **more},
            }
        )  # fmt: skip

    def answer(content: dict[str, Any], written: int, read: int, stop: str) -> None:
        counted = {"input_tokens": 0, "cache_creation_input_tokens": written, "cache_read_input_tokens": read}
        usage = {**counted, "output_tokens": 20}
        add("assistant", [content], id=f"msg_{name}{len(lines)}", model=model, stop_reason=stop, usage=usage)

    add("user", f"Count the apples of {name}.")
    call = {"type": "tool_use", "id": f"toolu_{name}", "name": tool, "input": {"file_path": f"/code/acme/{name}"}}
    answer(call, 1000 * thousands, 0, "tool_use")
    add("user", [{"type": "tool_result", "tool_use_id": call["id"], "content": "forty", "is_error": fails}])
    answer({"type": "text", "text": "Forty."}, 100, 1000 * thousands, "end_turn")
    return lines


def before() -> dict[str, list[Any]]:
    """1,000 to 5,000 tokens, all the same way."""
    return {f"a{size}": session(f"a{size}", size) for size in range(1, 6)}


def after() -> dict[str, list[Any]]:
    """2,000 to 6,000 tokens; the first uses another tool, the last another model, and its call fails."""
    sessions = {f"b{size}": session(f"b{size}", size) for size in range(3, 6)}
    return {
        "b2": session("b2", 2, tool="Grep"), **sessions, "b6": session("b6", 6, model=SONNET, fails=True)
    }  # fmt: skip


def side(folder: str) -> Side:
    return analysed_side(folder, discover([folder]).files, Analyser(), Options())


@pytest.fixture
def made(write: Any) -> Callable[..., Comparison]:
    def make(a: dict[str, list[Any]], b: dict[str, list[Any]]) -> Comparison:
        for folder, sessions in (("old", a), ("new", b)):
            for name, lines in sessions.items():
                write(f"{folder}/{name}.jsonl", lines)
        return compare(side("old"), side("new"))

    return make


def cost(thousands: int, model: str = OPUS) -> int:
    written, read, output = {OPUS: (6.25, 0.5, 25), SONNET: (3.75, 0.3, 15)}[model]
    return round((1000 * thousands + 100) * written + 1000 * thousands * read + 40 * output)


def test_figures_of_sessions(made: Any) -> None:
    found = made(before(), after())
    assert (cost(3), cost(6, SONNET)) == (21_875, 25_275)
    figure = found.figures["cost_usd_micros"]
    assert figure.a == Values(total=5 * 21_875, rate=21_875, median=21_875, sessions=5)
    assert figure.b == Values(total=126_275, rate=25_255, median=cost(6, SONNET), sessions=5)
    assert (figure.difference, figure.change) == (3_380, 3_380 / 21_875)
    # 13 pairs in which B's session costs more, 8 in which it costs less
    assert (figure.effect, figure.verdict) == (Effect(5 / 25, "small"), "worse")
    figure = found.figures["cache_read_share"]
    assert (figure.a.rate, figure.b.rate) == (15_000 / 30_500, 20_000 / 40_500)
    assert (figure.a.median, figure.verdict) == (3_000 / 6_100, "better")
    figure = found.figures["peak_context_tokens"]
    assert (figure.a.rate, figure.b.rate, figure.verdict) == (3_100, 4_100, "worse")
    figure = found.figures["tool_error_share"]
    assert (figure.a.rate, figure.b.rate, figure.effect) == (0, 1 / 5, Effect(5 / 25, "small"))
    figure = found.figures["requests"]
    assert (figure.a.total, figure.b.total, figure.verdict) == (10, 10, "same")
    assert found.totals[1]["priced_cost_usd_micros"] == 126_275
    assert found.totals[1]["sessions"] == found.totals[1]["conversations"] == 5
    assert (found.shared_conversations, found.notes) == (0, [])


def test_totals_are_those_of_analyze() -> None:
    totals = analyze(SAMPLES)["totals"]
    found = compare(side(str(SAMPLES)), side(str(SAMPLES))).totals[0]
    assert found["requests"] == totals["requests"] > 0
    assert found["priced_cost_usd_micros"] == totals["cost_usd_micros"] > 0
    for name in ("input_tokens", "output_tokens", "cache_read_input_tokens"):
        assert found[name] == totals["usage"][name] > 0
    assert found["entered_tokens"] == totals["tokens"]["total"]
    assert found["avoidable_tokens"] == totals["waste"]["avoidable"] > 0
    assert found["rereads"] == totals["waste"]["by_signal"]["reread"]["findings"] > 0
    assert found["recorded_requests"] == totals["usage"]["requests"]


def test_rows_by_tool_and_model(made: Any) -> None:
    found = made(before(), after())
    tools = {row.name: row for row in found.changed["tools"]}
    assert {name: row.only for name, row in tools.items()} == {"Read": None, "Grep": "b"}
    read = tools["Read"].measures
    assert (read["calls_per_100_requests"].a.rate, read["calls_per_100_requests"].b.rate) == (50, 40)
    assert (read["error_share"].a.rate, read["error_share"].b.rate) == (0, 1 / 4)
    assert (read["error_share"].effect, read["error_share"].b.sessions) == (None, 4)
    assert (read["result_tokens_per_call"].verdict, read["error_share"].verdict) == ("same", "worse")
    assert tools["Read"].verdict == "worse"
    models = {row.name: row for row in found.changed["models"]}
    assert {name: row.only for name, row in models.items()} == {OPUS: None, SONNET: "b"}
    opus = models[OPUS].measures
    assert (opus["cost_per_request"].a.rate, opus["cost_per_request"].b.rate) == (5 * 21_875 / 10, 101_000 / 8)
    assert (opus["request_share"].a.rate, opus["request_share"].b.rate) == (1, 8 / 10)
    assert (opus["cost_per_request"].verdict, opus["cache_read_share"].verdict) == ("worse", "better")
    assert models[OPUS].verdict == "mixed"
    assert found.changed["signals"] == []


def test_a_signal_of_one_side_only(made: Any) -> None:
    """Seven requests, at the end of which a page is read again; the other side never does."""
    found = made({"a": session("a", 1)}, {"b": reading_twice()})
    again = next(row for row in found.changed["signals"] if row.name == "reread")
    (waste,) = found.b.tables["waste"].filter(signal="reread").to_dicts()
    assert (again.only, found.totals[1]["requests"]) == ("b", 7)
    avoidable = again.measures["avoidable_tokens_per_100_requests"]
    assert (avoidable.a.rate, avoidable.b.rate) == (0, 100 * waste["avoidable_tokens"] / 7)
    assert waste["avoidable_tokens"] > 400
    assert (avoidable.verdict, avoidable.effect) == ("worse", None)
    assert again.measures["findings_per_100_requests"].b.rate == 100 / 7
    assert found.figures["rereads"].b.total == 1
    assert found.figures["avoidable_tokens"].b.total == found.b.tables["waste"]["avoidable_tokens"].sum()


def test_errors_are_not_known_where_no_log_of_the_format_marks_any(made: Any) -> None:
    unmarked = session("b", 1)
    del unmarked[2]["message"]["content"][0]["is_error"]
    found = made({"a": session("a", 1, fails=True)}, {"b": unmarked})
    figure = found.figures["tool_error_share"]
    assert (figure.a.rate, figure.b.rate, figure.verdict) == (1, None, None)


def test_subagents_belong_to_their_session(made: Any, claude_records: Any) -> None:
    from tests.report.conftest import SESSION, subagent

    found = made({"a": session("a", 1)}, {SESSION: claude_records(), f"{SESSION}/subagents/agent-a3f1c9e": subagent()})
    assert (found.totals[1]["sessions"], found.totals[1]["conversations"]) == (1, 2)
    assert found.figures["requests"].b == Values(total=10, rate=10, median=10, sessions=1)


def test_what_is_not_known_is_told(made: Any, chat_log: Any) -> None:
    unpriced = session("b", 1, model="glm-4.6")
    found = made(
        {"a": session("a", 1), "other": [{"theme": "dark"}]}, {"a": session("a", 1), "b": unpriced, "c": chat_log()}
    )
    assert found.notes == [
        "1 conversation of B is in A too: --only-new.",
        "A: 1 file could not be read.",
        "B: usage is recorded for 4 of 6 requests.",
        "B: 2 requests without a price; no cost is told of their sessions.",
    ]
    assert (found.totals[1]["sessions"], found.figures["cost_usd_micros"].b.sessions) == (3, 1)


def test_only_new_conversations(made: Any) -> None:
    found = made(before(), {**before(), "b6": session("b6", 6)})
    assert found.shared_conversations == 5
    fresh = compare(found.a, found.b.without(found.a))
    assert (fresh.shared_conversations, fresh.totals[1]["sessions"]) == (0, 1)
    assert fresh.figures["input_tokens"].b.rate == 12_100


def test_other_prices_versions_and_redaction_are_told(made: Any) -> None:
    found = made(before(), after())
    other = Side("x", found.b.tables, "prices of July", "0.0.9", redacted=True)
    notes = compare(found.a, other).notes
    assert notes[0].startswith("Costs are by different prices: A genai-prices") and notes[0].endswith(
        "B prices of July."
    )
    assert notes[1].endswith("B by 0.0.9: definitions may differ.")
    assert notes[2] == "Names are redacted: those of tools match only under the same key."


@pytest.mark.parametrize("width", [80, 130])
def test_as_people_read_it(made: Any, snapshot: Any, width: int) -> None:
    found = made(before(), after())
    text = to_text(report(found, limit=None, width=width, increase=increased(found, 0.1)), width).plain
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert len(text.splitlines()) <= 40
    snapshot(f"compare_{width}.txt", text + "\n")


def test_as_markdown(made: Any, snapshot: Any) -> None:
    snapshot("compare.md", to_markdown(report(made(before(), after()), limit=None, width=None, increase=None)))


def test_the_same_twice_shows_no_difference(made: Any) -> None:
    found = made(before(), before())
    assert {figure.verdict for figure in found.figures.values() if figure.a.rate is not None} == {"same"}
    assert found.changed == {"signals": [], "tools": [], "models": []}
    assert "No figure is better or worse by more than a negligible effect." in to_text(
        report(found, limit=None, width=80, increase=None), 80
    ).plain  # fmt: skip


def test_names_of_a_log_are_made_harmless(made: Any) -> None:
    found = made({"a": session("a", 1)}, {"b": session("b", 1, tool="Read\x1b[31m|`x`")})
    text = to_text(report(found, limit=None, width=80, increase=None), 80).plain
    assert "\x1b" not in text and "Read·[31m" in text
    assert "Read·\\[31m\\|\\`x\\`" in to_markdown(report(found, limit=None, width=None, increase=None))


def test_increases(made: Any) -> None:
    found = made(before(), after())
    assert increased(found, limit_of("15%")) == Increase(0.15, {"cost_usd_micros": 3_380 / 21_875})
    assert increased(found, limit_of("16 %")).beyond == {}
    wasteful = made({"a": session("a", 1)}, {"b": reading_twice()})
    assert increased(wasteful, 9.0).beyond["avoidable_cost_share"] == float("inf")
    body = json.loads(document(wasteful, limit=None, increase=increased(wasteful, 9.0)))
    assert body["increase"]["beyond"]["avoidable_cost_share"] is None
    with pytest.raises(ValueError, match="write a share, as in 10%"):
        limit_of("10")


def test_without_prices_the_input_is_held_against_the_limit(made: Any) -> None:
    found = made({"a": session("a", 1, model="glm-4.6")}, {"b": session("b", 2, model="glm-4.6")})
    assert increased(found, 0.5).beyond == {"input_tokens": 2_000 / 2_100}


def test_a_limit_cuts_the_lists_of_the_json(made: Any) -> None:
    found = made(before(), after())
    assert len(json.loads(document(found, limit=1, increase=None))["tools"]) == 1
    assert len(json.loads(document(found, limit=0, increase=None))["tools"]) == 2
