from __future__ import annotations

from typing import Any

import pytest

from headroom_cli.report.budget import Budget, BudgetProblem, budget_section, judge
from tests.test_carried import PAGE, answer, line, result


@pytest.mark.parametrize(
    ("texts", "budget"),
    [
        (("10%", "2.50", "150k"), Budget(1000, 2_500_000, 150_000)),
        (("0.5 %", "$3", "1.5M"), Budget(50, 3_000_000, 1_500_000)),
        (("", "", "900"), Budget(None, None, 900)),
    ],
)
def test_limits_are_read_as_people_write_them(texts: tuple[str, str, str], budget: Budget) -> None:
    assert Budget.of(*texts) == budget and budget.is_set
    assert not Budget.of().is_set


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (("10",), "as in 10%"),
        (("", "two"), "as in 2.50"),
        (("", "", "150x"), "max-context: .*as in 150k"),
        (("", "-1"), "as in 2.50"),
        (("100.01%",), "100.01% is more than the whole"),
    ],
)
def test_other_texts_are_refused(texts: tuple[str, ...], words: str) -> None:
    with pytest.raises(BudgetProblem, match=words):
        Budget.of(*texts)


def reading_twice() -> list[dict[str, Any]]:
    """Inputs of 1,000, then 1,100 … 1,500 tokens; the page is read at the start and again at the end."""
    lines = [line(0, "user", "Read it."), answer(1, (0, 1000, 0)), result(2, PAGE)]
    for number in range(3, 11, 2):
        lines += [answer(number, (0, 100, 900 + 50 * (number - 1))), result(number + 1, f"page {number}")]
    again = answer(11, (0, 100, 1400))
    again["message"]["content"][0]["input"] = {"file_path": "/code/acme/1"}
    return [*lines, again, result(12, PAGE), answer(13, (0, 600, 1500))]


def test_each_limit_names_the_conversation_and_where_to_look(write: Any, analyse_paths: Any) -> None:
    run, _ = analyse_paths(write("a.jsonl", reading_twice()))
    settled = run.settled
    assert settled.requests["input_tokens"].to_list() == [1000, 1100, 1200, 1300, 1400, 1500, 2100]
    cost = settled.requests["cost_usd_micros"].sum()
    assert cost == 2100 * 6.25 + 7500 * 0.5 + 7 * 20 * 25
    kept = judge(settled, Budget.of("99%", "1", "150k"))
    assert (kept.breaches, kept.unknown) == ([], {})
    found = judge(settled, Budget.of("1%", "0.01", "2k"))
    assert [(b.kind, b.line, b.value > b.limit) for b in found.breaches] == [
        ("avoidable", 13, True), ("cost", 14, True), ("context", 14, True),
    ]  # fmt: skip
    saved = settled.waste["avoidable_cost_usd_micros"].sum()
    assert found.breaches[0].value == 10_000 * saved // cost
    assert found.breaches[1].message == "cost $0.02, $0.01 allowed"
    assert found.breaches[2].message == "a context of 2.1k tokens, 2.0k allowed"
    section = budget_section(found)
    assert section.remark == "1 conversation beyond the budget" and len(section.rows) == 3


def test_what_is_not_known_is_said_and_breaks_nothing(write: Any, analyse_paths: Any, chat_log: Any) -> None:
    run, _ = analyse_paths(write("chat.jsonl", chat_log()))
    verdict = judge(run.settled, Budget.of("50%", "0.01", "1"))
    assert (verdict.breaches, verdict.unknown) == ([], {"cost": 1, "context": 1})
    assert budget_section(verdict).lines == [
        "Not held against the limit of context: 1 conversation without a known size of the context.",
        "Not held against the limit of cost: 1 conversation without a known cost.",
    ]


def test_unpriced_requests_leave_the_cost_unknown(write: Any, analyse_paths: Any) -> None:
    lines = [line(0, "user", "Go."), answer(1, (0, 9000, 0)), result(2, "x"), answer(3, (0, 9, 9000), model="glm-4.6")]
    run, _ = analyse_paths(write("a.jsonl", lines))
    assert judge(run.settled, Budget.of(cost="0.0001")).unknown == {"cost": 1}
