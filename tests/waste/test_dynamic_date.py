from __future__ import annotations

import pytest

from headroom_cli.tokens import get_tokenizer
from headroom_cli.waste.base import scan_texts
from headroom_cli.waste.dynamic_date import NAME, spans

COUNT = get_tokenizer().count_text


@pytest.mark.parametrize(
    "value",
    [
        "2026-11-30",
        "2026-11-30T14:05:09Z",
        "2026-11-30 14:05:09.123456+01:00",
        "11/30/2026",
        "November 30, 2026",
        "Nov 30th 2026",
        "30 November 2026 at 9:05 PM",
        "14:05",
        "9:05:33 am",
        "1764511509",
        "1764511509123",
        "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
        "3F2504E0-4F89-41D3-9A0C-0305E82C3301",
    ],
)
def test_values(value: str) -> None:
    text = f"é Session {value}, and tools follow."
    assert [text[start:end] for start, end in spans(text, COUNT)] == [value]
    hit = scan_texts([text], ["system"], get_tokenizer())[0][NAME]
    assert (hit.tokens, hit.avoidable, hit.at_risk) == (COUNT(value), 0, COUNT(", and tools follow."))


@pytest.mark.parametrize(
    "text",
    [
        "version 2026.11.30 of draft 2020-12",
        "ratio 16:9, port localhost:8080, file.py:12:345",
        "call 555-1234 or 12345678901",
        "v1.20.3 and 10/100/1000 Mbit, May 5",
        "ids like 3f2504e0-4f89 and deadbeef",
        "ISO 8601-1:2019",
    ],
)
def test_what_does_not_change(text: str) -> None:
    assert spans(text, COUNT) == []
    assert NAME not in scan_texts([text], ["system"], get_tokenizer())[0]


def test_at_risk_begins_after_the_first_value() -> None:
    text = "Rules first. Date: 2026-11-30. Time: 14:05:09. The rest."
    hit = scan_texts([text], ["system"], get_tokenizer())[0][NAME]
    assert hit.tokens == COUNT("2026-11-30") + COUNT("14:05:09")
    assert hit.at_risk == COUNT(". Time: 14:05:09. The rest.")
