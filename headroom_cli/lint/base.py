"""What a rule is, what it is given, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from string import Formatter
from typing import TYPE_CHECKING, Any, Literal

from headroom_cli.lint.declared import Declared, declared_tools
from headroom_cli.lint.history import Block, Entry, History, Pointer, Turn
from headroom_cli.lint.images import Medium, media_of
from headroom_cli.lint.markers import Marker, markers_of
from headroom_cli.lint.matching import Matching, match
from headroom_cli.lint.providers import Profile
from headroom_cli.lint.steps import Step, steps

if TYPE_CHECKING:
    from headroom_cli.lint.sent import Session

Severity = Literal["error", "warning", "info"]
Confidence = Literal["high", "medium", "low"]
FixKind = Literal["synthesize", "drop", "neutralize", "reorder", "merge", "rename", "set"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair that `headroom_cli.repair` knows how to make. `safe`: loses nothing that the model could need.

    `what` completes the sentence "fix: …" in plain words.
    """

    kind: FixKind
    what: str
    safe: bool = True


def in_their_words(template: str, **known: object) -> str | None:
    """A provider's error text with what is known filled in; None where it names something that is not known."""
    names = [name for _, name, _, _ in Formatter().parse(template) if name]
    return None if any(known[name] is None for name in names) else template.format(**known)


@dataclass(slots=True, eq=False)
class Related:
    """Another place that a finding is about; `note` says what stands there."""

    target: Entry | Block
    note: str


@dataclass(slots=True, eq=False)
class Finding:
    """One violation of one rule in one history, for one provider (`also` names others that refuse it as well).

    `target` is the entry or block at fault, None for the history as a whole; `at` leads from it to the value itself.
    `api_error` is the provider's own text, with what is known filled in. `line` is used where `target` is None.
    """

    rule: Rule
    severity: Severity
    message: str
    provider: str
    refs: tuple[str, ...]
    history: History | None = None
    target: Entry | Block | None = None
    at: Pointer = ()
    line: int = 0
    api_error: str | None = None
    confidence: Confidence = "high"
    call_ids: tuple[str, ...] = ()
    related: list[Related] = field(default_factory=list)
    fix: Fix | None = None
    also: tuple[str, ...] = ()

    @property
    def entry(self) -> Entry | None:
        """The message or item that the finding is about."""
        return self.target.entry if isinstance(self.target, Block) else self.target


@dataclass(eq=False)
class Check:
    """What a rule judges: one history under one provider's rules."""

    history: History
    profile: Profile
    rule: Rule = field(init=False)

    @property
    def turns(self) -> list[Turn]:
        """The history as this provider sees it: consecutive entries of one side merged, or not."""
        return self.history.merged_turns if self.profile.merges(self.history.dialect) else self.history.single_turns

    @property
    def matching(self) -> Matching:
        """Which result answers which call, by this provider's rules; made once for all rules of the history."""
        if self._matching is None:
            self._matching = match(self.history, self.profile)
        return self._matching

    @property
    def native(self) -> bool:
        """Whether the history lies in this provider's own wire form, so that also its form can be judged.

        Else something converts it first, and only what conversion keeps is judged. Texts alone, without a mark of any
        dialect, are at home with Anthropic as well.
        """
        if self._native is None:
            dialect, known = self.history.dialect, self.profile.dialects
            plain = dialect == "openai" and "anthropic" in known and not any(map(_is_chat, self.history.entries))
            self._native = dialect in known or plain
        return self._native

    @cached_property
    def declared(self) -> Declared | None:
        """The tools that the request declares; None where they are not known."""
        return declared_tools(self.history)

    @cached_property
    def markers(self) -> list[Marker]:
        """The cache markers of the request, in the order in which they count."""
        return markers_of(self.history)

    @cached_property
    def media(self) -> list[Medium]:
        """The images and documents, also those inside results."""
        return media_of(self.history)

    _matching: Matching | None = None
    _native: bool | None = None

    def finding(
        self,
        message: str,
        target: Entry | Block | None = None,
        *,
        severity: Severity = "error",
        refs: tuple[str, ...] | None = None,
        **more: Any,
    ) -> Finding:
        """A finding of the rule that is being checked; `refs` by default those of the rule for this provider."""
        return Finding(
            rule=self.rule,
            severity=severity,
            message=message,
            provider=self.profile.name,
            refs=self.rule.refs_for(self.profile.name) if refs is None else refs,
            history=self.history,
            target=target,
            **more,
        )


def _is_chat(entry: Entry) -> bool:
    """Whether only chat completions know such a message."""
    return entry.role in ("tool", "function", "developer", "system") or any(
        block.kind in ("call", "media") for block in entry.blocks
    )


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that providers enforce: a module of `lint/rules`, whose docstring is its page.

    `refs` are the ids of docs/rules.md's catalogue by provider; the providers named there are those that the rule is
    checked for (`*` stands for all). `check` judges a history, `check_session` what only the log as a whole shows.
    Rules that are `off` run only if they are selected. `pairing` rules also judge logs that do not keep the wire form.
    """

    code: str
    name: str
    summary: str
    refs: Mapping[str, tuple[str, ...]]
    check: Callable[[Check], Iterable[Finding]] | None = None
    check_session: Callable[[SessionCheck], Iterable[Finding]] | None = None
    off: bool = False
    pairing: bool = False

    def refs_for(self, provider: str) -> tuple[str, ...]:
        """The catalogue ids for a provider; `strict` answers for all."""
        if provider == "strict":
            return tuple(dict.fromkeys(ref for refs in self.refs.values() for ref in refs))
        return self.refs.get(provider, self.refs.get("*", ()))

    def concerns(self, provider: str) -> bool:
        """Whether the rule is checked for a provider."""
        return provider in self.refs or "*" in self.refs


@dataclass(eq=False)
class SessionCheck:
    """What rules over a whole log judge: its conversation, the requests it recorded, and its histories."""

    session: Session
    profiles: list[Profile]
    rule: Rule = field(init=False)

    @cached_property
    def steps(self) -> list[Step]:
        """The pairs of consecutive requests that carry their whole history, in order."""
        return steps(self.session)

    def finding(
        self,
        message: str,
        target: Entry | Block | None = None,
        *,
        severity: Severity = "info",
        refs: tuple[str, ...] | None = None,
        history: History | None = None,
        **more: Any,
    ) -> Finding:
        """A finding of the rule that is being checked."""
        provider = self.profiles[0].name if self.profiles else ""
        return Finding(
            rule=self.rule,
            severity=severity,
            message=message,
            provider=provider,
            refs=self.rule.refs_for(provider) if refs is None else refs,
            history=history,
            target=target,
            **more,
        )
