"""One call of an API, whatever log it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from headroom_cli.logs.exchange.keys import json_hash
from headroom_cli.wire.base import ResponseBody


@dataclass(slots=True)
class Exchange:
    """One call of an API as a log has it, or (`recorded` False) a plain history that only implies calls.

    `messages` are the raw messages or items that were sent, `body` what stood beside them (model, system, tools).
    `session` names the conversation in the log, `user` only whose it is. `alone` keeps it apart from all others;
    `billing` is as of a request;
    not `marked` means that the dialect is a guess, for nothing in the request tells. `output` are the raw items of a
    response of the Responses API. `keys` identify the messages in the log, `looks` their exact form.
    """

    line: int
    dialect: str
    messages: list[Any] = field(default_factory=list)
    body: dict[str, Any] = field(default_factory=dict)
    response: ResponseBody | None = None
    recorded: bool = True
    session: str | None = None
    user: str | None = None
    timestamp: int | None = None
    model: str | None = None
    alone: bool = False
    billing: str | None = None
    marked: bool = True
    previous_response_id: str | None = None
    notes: list[str] = field(default_factory=list)
    output: list[Any] = field(default_factory=list)
    keys: list[bytes] = field(default_factory=list)
    looks: list[bytes] = field(default_factory=list)

    def system(self) -> Any:
        """The system prompt that stands outside the messages, as it is; None if there is none."""
        names = ("system", "instructions", "systemInstruction", "system_instruction")
        return next((self.body[name] for name in names if self.body.get(name)), None)

    def tools_hash(self) -> str | None:
        """The hash of the declared tools; None if there are none."""
        config = self.body.get("config")
        tools = next((self.body[name] for name in ("tools", "toolConfig", "functions") if self.body.get(name)), None)
        if tools is None and isinstance(config, dict):
            tools = config.get("tools")
        return None if tools is None else json_hash(tools)
