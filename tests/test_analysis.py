from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from headroom_cli.analysis import Analyser, Analysis, Settings
from headroom_cli.logs.exchange.history import read_history
from headroom_cli.model import Conversation
from headroom_cli.tokens import get_tokenizer

BLOB = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAAC0lEQVR4nGNgQAcAABIAAXPxP9wAAAAASUVORK5CYII="
PAGE = f"<div><p>{BLOB}</p><p>{BLOB[::-1].lstrip('=')}</p></div>"


def tool(number: int, text: str, name: str = "fetch", **arguments: Any) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": f"t{number}", "name": name, "input": arguments or {"url": "x"}}
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def conversation(*messages: dict[str, Any]) -> Conversation:
    return read_history(messages, range(1, len(messages) + 1), "x.jsonl", "anthropic")


def analysis(*messages: dict[str, Any], settings: Settings | None = None) -> Analysis:
    (made,) = Analyser(settings=settings).analyse([conversation(*messages)])
    return made


TALK = [{"role": "assistant", "content": "Hm."}, {"role": "user", "content": "Go on."}] * 2


def test_a_block_that_is_read_again_has_nothing_left_for_other_signals() -> None:
    found = analysis(*tool(0, PAGE), *TALK, *tool(1, PAGE))
    result = found.blocks[-1]
    rows = [(w.block, w.signal, w.exclusive_tokens > 0, w.avoidable_tokens > 0) for w in found.waste]
    assert rows == [
        (result.index, "reread", True, True),
        (1, "base64", True, True),
        (1, "html_noise", True, True),
        (result.index, "base64", False, False),
        (result.index, "html_noise", False, False),
    ]
    own = [w for w in found.waste if w.block == result.index]
    assert sum(w.exclusive_tokens for w in own) == result.tokens
    assert own[1].tokens == found.waste[1].tokens > 0


def test_claims_of_one_text_never_exceed_it() -> None:
    found = analysis({"role": "user", "content": PAGE})
    assert sum(w.exclusive_tokens for w in found.waste) <= found.blocks[0].tokens
    assert all(w.avoidable_tokens <= w.exclusive_tokens <= w.tokens for w in found.waste)


def test_signals_can_be_ignored() -> None:
    settings = Settings(ignored_signals=frozenset({"reread", "base64"}))
    found = analysis(*tool(0, PAGE), *TALK, *tool(1, PAGE), settings=settings)
    assert {w.signal for w in found.waste} == {"html_noise"}
    assert all(w.exclusive_tokens > 0 for w in found.waste)


@pytest.mark.parametrize(("settings", "findings"), [(Settings(reread_gap=9), 0), (Settings(reread_min_tokens=5000), 0)])
def test_settings_of_rereads(settings: Settings, findings: int) -> None:
    found = analysis(*tool(0, PAGE), *TALK, *tool(1, PAGE), settings=settings)
    assert sum(w.signal == "reread" for w in found.waste) == findings


def test_only_rereads_from_the_context_are_avoidable() -> None:
    edit = tool(1, "ok", "Edit", file_path="/w/a.html")
    found = analysis(*tool(0, PAGE, "Read", file_path="/w/a.html"), *edit, *TALK, *tool(2, PAGE, "Read", path="a.html"))
    (finding,) = [w for w in found.waste if w.signal == "reread"]
    assert (finding.cause, finding.avoidable_tokens) == ("after_change", 0)
    assert finding.exclusive_tokens == finding.tokens


def test_dates_count_in_system_text_only() -> None:
    text = "It is 2026-03-01T10:00:00Z now."
    found = analysis({"role": "system", "content": text}, {"role": "user", "content": text})
    assert [(w.signal, w.block, w.avoidable_tokens) for w in found.waste] == [("dynamic_date", 0, 0)]
    assert found.waste[0].at_risk_tokens is not None


def test_targets_tell_what_calls_and_their_results_were_about() -> None:
    found = analysis(*tool(0, "text", "Read", file_path="/w/a.py"), *tool(1, "text", "Bash", command="make test"))
    targets = [found.target(block.index) for block in found.blocks]
    assert [t and t.summary for t in targets] == ["Read /w/a.py"] * 2 + ["Bash make test"] * 2
    assert [t and t.path for t in targets] == ["/w/a.py"] * 2 + [None] * 2
    assert analysis({"role": "user", "content": "x"}).target(0) is None


def test_each_distinct_text_is_counted_once_over_all_conversations() -> None:
    class Counting:
        def __init__(self) -> None:
            self.texts: list[str] = []

        def count_text(self, text: str, /) -> int:
            self.texts.append(text)
            return get_tokenizer().count_text(text)

    counter = Counting()
    analyser = Analyser(counter)
    logs: Sequence[Conversation] = [conversation(*TALK) for _ in range(3)]
    analyser.analyse(logs)
    analyser.analyse(logs)
    words = [text for text in counter.texts if not text.isspace()]  # what blanks cost is asked once a tokenizer
    assert sorted(words) == ["Go on.", "Hm."]


def test_the_order_of_conversations_does_not_matter() -> None:
    one, two = [conversation(*tool(n, PAGE * (n + 1)), *TALK, *tool(n + 9, PAGE)) for n in (0, 1)]
    together = Analyser().analyse([one, two])
    assert [Analyser().analyse([log])[0].waste for log in (one, two)] == [made.waste for made in together]
