"""Runs the rules over histories: once per provider, findings of one thing at one place put together."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from headroom_cli.lint import rules
from headroom_cli.lint.base import SEVERITIES, Check, Finding, Rule, SessionCheck
from headroom_cli.lint.fingerprint import fingerprint
from headroom_cli.lint.history import History
from headroom_cli.lint.providers import Profile, default_profiles
from headroom_cli.lint.sent import Session


@cache
def known_rules() -> dict[str, Rule]:
    """All rules by code, in order."""
    found = []
    for info in pkgutil.iter_modules(rules.__path__):
        rule = getattr(importlib.import_module(f"{rules.__name__}.{info.name}"), "RULE", None)
        if isinstance(rule, Rule):
            found.append(rule)
    return {rule.code: rule for rule in sorted(found, key=lambda rule: rule.code)}


def rule_page(rule: Rule) -> str:
    """The page of a rule: the docstring of its module."""
    for info in pkgutil.iter_modules(rules.__path__):
        module = importlib.import_module(f"{rules.__name__}.{info.name}")
        if getattr(module, "RULE", None) is rule:
            return (module.__doc__ or "").strip() + "\n"
    return ""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which rules run: codes or their beginnings (`HR1`, `HR103`), or names. Later words win over earlier ones.

    `select` None: all that are not off. `extend` adds, `ignore` takes away.
    """

    select: tuple[str, ...] | None = None
    extend: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def rules(self) -> list[Rule]:
        """The rules in force, by code."""
        return [rule for rule in known_rules().values() if self._holds(rule)]

    def _holds(self, rule: Rule) -> bool:
        """The longest word that names the rule decides; of equally long ones, `ignore`."""
        chosen = int(not rule.off) if self.select is None else _weight(rule, self.select)
        chosen = max(chosen, _weight(rule, self.extend))
        return chosen > _weight(rule, self.ignore)


def _weight(rule: Rule, words: Iterable[str]) -> int:
    return max((len(word) for word in words if rule.code.startswith(word) or word in ("ALL", rule.name)), default=0)


def judge(
    history: History, profiles: Sequence[Profile] | None = None, selected: Sequence[Rule] | None = None
) -> list[Finding]:
    """The findings in one history, in the order of rules. `profiles` None: the providers of its dialect and model."""
    found: list[Finding] = []
    for profile in profiles or default_profiles(history.dialect, history.model):
        check = Check(history, profile)
        for rule in known_rules().values() if selected is None else selected:
            if rule.check is not None and rule.concerns(profile.name) and (history.wire or rule.pairing):
                check.rule = rule
                found.extend(rule.check(check))
    return _united(found)


def judge_session(
    session: Session, profiles: Sequence[Profile] | None = None, selected: Sequence[Rule] | None = None
) -> list[Finding]:
    """The findings in one conversation of a log: of its histories, and of what only the log as a whole shows."""
    found = [judge(history, profiles, selected) for history in session.histories]
    given = list(profiles or default_profiles(session.dialect, session.model))
    check = SessionCheck(session, given)
    of_session: list[Finding] = []
    for rule in known_rules().values() if selected is None else selected:
        if rule.check_session is not None and any(rule.concerns(profile.name) for profile in given):
            check.rule = rule
            of_session.extend(rule.check_session(check))
    return _once([*found, of_session])


def _once(found: list[list[Finding]]) -> list[Finding]:
    """One finding where several histories of a conversation hold the same thing: the first, or a graver one."""
    once: dict[object, Finding] = {}
    for in_history in found:
        equal: Counter[object] = Counter()
        for finding in in_history:
            same = _thing(finding)
            equal[same] += 1
            key = (same, equal[same])
            first = once.get(key)
            if first is None or SEVERITIES.index(finding.severity) < SEVERITIES.index(first.severity):
                once[key] = finding
    return list(once.values())


def _thing(finding: Finding) -> object:
    """What a finding is about, in whichever history: the value at fault, in session logs that of its line."""
    if finding.target is None:
        return finding.rule.code, finding.provider, finding.at
    in_request = finding.history is not None and finding.history.anchor is not None
    return fingerprint(finding), 0 if in_request else finding.target.line


def _united(found: list[Finding]) -> list[Finding]:
    """One finding where several providers object to the same thing at the same place; the gravest speaks."""
    united: dict[object, Finding] = {}
    for finding in found:
        key = (finding.rule.code, id(finding.target), finding.at, finding.call_ids)
        first = united.get(key)
        if first is None:
            united[key] = finding
        elif first.provider != finding.provider:
            graver = SEVERITIES.index(finding.severity) < SEVERITIES.index(first.severity)
            best, other = (finding, first) if graver else (first, finding)
            best.also = tuple(dict.fromkeys((*best.also, *other.also, other.provider)))
            best.refs = tuple(dict.fromkeys((*best.refs, *other.refs)))
            united[key] = best
        else:
            united[object()] = finding
    return list(united.values())
