from __future__ import annotations

import pytest

from tests.lint.support import assistant, error_codes, of, text, tool_use, user

CODE = "HR306"


@pytest.mark.parametrize("last", [assistant("The answer is "), assistant(text("a"), text("b\n"))])
def test_a_begun_answer_must_not_end_with_white_space(last: dict[str, object]) -> None:
    messages = [user("x"), last]
    assert [(f.severity, f.refs) for f in of(CODE, messages, model="claude-sonnet-4-5")] == [("error", ("A24",))]
    assert of(CODE, messages)


def test_models_without_prefill_have_another_rule() -> None:
    messages = [user("x"), assistant("The answer is ")]
    assert error_codes(messages, model="claude-opus-4-8", max_tokens=9) == ["HR305"]


@pytest.mark.parametrize(
    "messages",
    [
        [user("x"), assistant("The answer is")],
        [user("x"), assistant("ends so "), user("y")],
        [user("ends so ")],
        [user("x"), assistant(text("a "), tool_use("t"))],
        [user("x"), assistant(" ")],
    ],
)
def test_only_the_last_text_of_the_last_answer(messages: list[dict[str, object]]) -> None:
    assert not of(CODE, messages, model="claude-sonnet-4-5")


def test_logs_end_as_they_like() -> None:
    assert not of(CODE, [user("x"), assistant("done. ")], as_="history", model="claude-sonnet-4-5")
