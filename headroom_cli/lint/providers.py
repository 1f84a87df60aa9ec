"""What each provider enforces, as dated data: rules read it, and nothing else differs between providers.

`as_of` is when the facts were last confirmed; docs/rules.md names the source of each. A value of None: no such limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

Adjacency = Literal["turn", "run", "next", "before_assistant", "anywhere"]
Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Profile:
    """One provider.

    `adjacency` says where the results of a turn's calls must stand: in the next turn (`turn`), in the run of result
    messages that follows (`run`), in the very next message (`next`), before the next assistant message
    (`before_assistant`), or anywhere after the call (`anywhere`); `dialect_adjacency` overrides it for histories of
    some dialects. `merges_turns`: consecutive messages of one side are merged before anything is checked. `call_id` and
    `tool_name` are patterns of the whole text. `alternates`: two messages of one role in a row are refused.
    `rejects_blank_text`: so is a blank text beside other content. `same_turn_ids` and `later_turn_ids` say how grave it
    is that two calls of one turn, or of two turns, share an id; `missing_call_id`, that one has none.
    `refuses_last_call`: a request must not end with a call. `checks_called_names`: names of tools are also checked
    where they are called. `arguments` is the form that a call's must have on the wire. `image_side` is the longest side
    of an image in pixels, `many_images_side` that in requests with more than `many_images` images; `body_bytes` is the
    size of a request.
    """

    name: str
    title: str
    as_of: str
    dialects: tuple[str, ...]
    adjacency: Adjacency
    merges_turns: bool = False
    results_first: bool = False
    call_id: re.Pattern[str] | None = None
    call_id_length: int | None = None
    tool_name: re.Pattern[str] | None = None
    tool_name_length: int | None = None
    max_tools: int | None = None
    alternates: bool = False
    rejects_blank_text: bool = False
    roles: frozenset[str] | None = None
    dialect_adjacency: tuple[tuple[str, Adjacency], ...] = ()
    same_turn_ids: Severity | None = None
    later_turn_ids: Severity | None = None
    missing_call_id: Severity | None = None
    refuses_last_call: bool = True
    checks_called_names: bool = False
    arguments: Literal["object", "text"] | None = None
    max_cache_markers: int | None = None
    image_bytes: int | None = None
    image_side: int | None = None
    many_images: int | None = None
    many_images_side: int | None = None
    body_bytes: int | None = None

    def adjacency_in(self, dialect: str) -> Adjacency:
        """Where results must stand in histories of a dialect."""
        return next((found for named, found in self.dialect_adjacency if named == dialect), self.adjacency)

    def merges(self, dialect: str) -> bool:
        """Whether messages of one side in a row count as one.

        Where a dialect has a message for each result, whoever converts it into another merges them.
        """
        converted = dialect in ("openai", "openai-responses") and dialect not in self.dialects
        return self.merges_turns or (converted and self.adjacency_in(dialect) == "next")


_WORD = re.compile(r"[a-zA-Z0-9_-]+")

_ANTHROPIC = Profile(
    name="anthropic",
    title="Anthropic Messages",
    as_of="2026-11-30",
    dialects=("anthropic",),
    adjacency="turn",
    merges_turns=True,
    results_first=True,
    call_id=_WORD,
    same_turn_ids="error",
    later_turn_ids="error",
    missing_call_id="error",
    arguments="object",
    tool_name=_WORD,
    tool_name_length=128,
    roles=frozenset({"user", "assistant", "system"}),
    max_cache_markers=4,
    image_bytes=5 * 2**20,
    image_side=8000,
    many_images=20,
    many_images_side=2000,
    body_bytes=32 * 2**20,
)
_OPENAI = Profile(
    name="openai",
    title="OpenAI chat completions",
    as_of="2026-11-30",
    dialects=("openai",),
    adjacency="run",
    call_id_length=40,
    same_turn_ids="warning",
    later_turn_ids="info",
    missing_call_id="warning",
    arguments="text",
    tool_name=_WORD,
    tool_name_length=64,
    checks_called_names=True,
    max_tools=128,
    roles=frozenset({"system", "developer", "user", "assistant", "tool", "function"}),
)

PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        _ANTHROPIC,
        replace(
            _ANTHROPIC,
            name="bedrock",
            body_bytes=None,
            title="Amazon Bedrock Converse",
            dialects=("bedrock",),
            adjacency="next",
            merges_turns=False,
            call_id_length=64,
            later_turn_ids="warning",
            tool_name_length=64,
            checks_called_names=True,
            alternates=True,
            rejects_blank_text=True,
            results_first=False,
            roles=frozenset({"user", "assistant"}),
        ),
        _OPENAI,
        Profile(
            name="openai-responses",
            title="OpenAI Responses",
            as_of="2026-11-30",
            dialects=("openai-responses",),
            adjacency="anywhere",
            merges_turns=True,
            roles=frozenset({"user", "assistant", "system", "developer"}),
            call_id_length=64,
            same_turn_ids="error",
            later_turn_ids="error",
            missing_call_id="warning",
            arguments="text",
        ),
        Profile(
            name="gemini",
            title="Gemini and Vertex AI",
            as_of="2026-11-30",
            dialects=("gemini",),
            adjacency="next",
            refuses_last_call=False,
            alternates=False,
            roles=frozenset({"user", "model", "function", ""}),
        ),
        replace(
            _OPENAI,
            name="mistral",
            max_tools=None,
            title="Mistral",
            dialects=("openai",),
            adjacency="before_assistant",
            call_id=re.compile(r"[a-zA-Z0-9]{9}"),
            call_id_length=None,
            same_turn_ids="error",
            missing_call_id="error",
            arguments=None,
            roles=frozenset({"system", "user", "assistant", "tool"}),
        ),
        replace(
            _OPENAI,
            name="strict",
            title="every strict host at once",
            dialects=("openai", "anthropic", "openai-responses"),
            dialect_adjacency=(("anthropic", "next"), ("bedrock", "next"), ("gemini", "next")),
            results_first=True,
            same_turn_ids="error",
            later_turn_ids="error",
            missing_call_id="error",
            alternates=True,
            rejects_blank_text=True,
        ),
    )
}


def profiles_named(provider: str | Iterable[str] | None) -> list[Profile] | None:
    """The profiles of one or several providers; None for none. ValueError for one that does not exist."""
    names = [provider] if isinstance(provider, str) else list(provider or ())
    for name in names:
        if name not in PROFILES:
            raise ValueError(f"no provider is called {name!r}; known: {', '.join(PROFILES)}")
    return [PROFILES[name] for name in names] or None


_NATIVE = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "gemini": "gemini",
    "openai": "openai",
    "openai-responses": "openai-responses",
}
_MISTRAL = re.compile(r"(?:^|[/.])(?:open-)?(?:mistral|mixtral|ministral|codestral|magistral|devstral|pixtral)")


def default_profiles(dialect: str, model: str | None) -> list[Profile]:
    """The providers that a history is judged for where none is named: that of its dialect, or of its model."""
    if dialect == "openai" and model and _MISTRAL.search(model.lower()):
        return [PROFILES["mistral"]]
    return [PROFILES[_NATIVE.get(dialect, "openai")]]
