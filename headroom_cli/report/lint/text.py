"""The report for people: each finding with its place, the messages around it, what the provider says, and a way out.

Texts of a log in it are harmless: one line, cut, without control characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from rich.text import Text

from headroom_cli.lint.diagnostic import Diagnostic, Mention
from headroom_cli.lint.run import CheckedFile, LintRun
from headroom_cli.report.layout import cut, wrap
from headroom_cli.report.words import place, plain, plural

_MESSAGE = 1000
_SHOWN = 3
_MOST_MENTIONS = 8
_COLORS = {"error": "bold red", "warning": "yellow", "info": "dim"}
_LEAST_EXCERPT = 12


def report(run: LintRun, *, width: int, infos: bool = False, verbose: bool = False) -> Text:
    """The findings that are new, then the figures, then what was not checked. `infos` shows those at info level too."""
    shown = [diagnostic for diagnostic in run.new if infos or diagnostic.severity != "info"]
    lines: list[Text] = []
    for diagnostic in shown:
        lines += finding(diagnostic, width)
        lines.append(Text())
    hidden = 0 if infos else run.count("info")
    lines += [Text(line) for sentence in foot(run, hidden=hidden, verbose=verbose) for line in wrap(sentence, width)]
    return Text("\n").join(lines)


def where(diagnostic: Diagnostic) -> str:
    """The place as editors take it: `path:line:column`, as far as it is known."""
    if not diagnostic.path:
        return ""
    figures = [str(figure) for figure in (diagnostic.line, diagnostic.column) if figure > 0]
    return ":".join([place(diagnostic.path), *figures])


def finding(diagnostic: Diagnostic, width: int) -> list[Text]:
    """One finding, in lines of at most `width` cells but for its first."""
    head = Text()
    spot = where(diagnostic)
    if spot:
        head.append(f"{spot}  ")
    head.append(diagnostic.severity, _COLORS[diagnostic.severity])
    head.append(f" {diagnostic.rule} {diagnostic.name}", "bold")
    lines = [head]
    lines += _wrapped(plain(diagnostic.message, _MESSAGE), width)
    lines += _context(diagnostic.mentions, width)
    lines += _beside(_at(diagnostic), width)
    if diagnostic.api_error:
        lines += _wrapped(f"API says: {plain(diagnostic.api_error, _MESSAGE)}", width)
    if diagnostic.fix is not None:
        kind, option = ("safe", "--fix --diff") if diagnostic.fix.safe else ("unsafe", "--fix --unsafe-fixes --diff")
        fix = f"fix ({kind}): {plain(diagnostic.fix.what, _MESSAGE)}"
        lines += _beside([fix, option] if diagnostic.path else [fix], width)
    lines += _wrapped(f"why: headroom explain {diagnostic.rule}", width)
    return lines


def foot(run: LintRun, *, hidden: int = 0, verbose: bool = False) -> list[str]:
    """Sentences: how much was found in what, what was put aside, and what was not checked."""
    figures = run.summary()
    found = f"{plural(figures['errors'], 'error')}, {plural(figures['warnings'], 'warning')}"
    if figures["infos"] and not hidden:
        found += f", {plural(figures['infos'], 'remark')}"
    files, histories = plural(figures["files"], "file"), plural(figures["requests"], "history", "histories")
    line = f"{found} in {files}, {histories}."
    fixes = [diagnostic.fix for diagnostic in run.new if diagnostic.fix is not None and diagnostic.severity != "info"]
    if fixes:
        line += f" {len(fixes):,} fixable, {sum(fix.safe for fix in fixes):,} safe."
    lines = [line]
    known = len(run.diagnostics) - len(run.new)
    remarks = "remark (-v)" if hidden == 1 else "remarks (-v)"
    aside = [(known, "in the baseline"), (run.expected, "expected"), (run.ignored, "ignored"), (hidden, remarks)]
    if told := [f"{number:,} {what}" for number, what in aside if number]:
        lines.append(f"Not shown: {', '.join(told)}.")
    lines += _damaged(run.files)
    return lines + _not_checked(run.skipped, 10_000 if verbose else _SHOWN)


def _damaged(files: Iterable[CheckedFile]) -> list[str]:
    damaged = [file for file in files if file.damaged and file.skipped is None]
    if not damaged:
        return []
    records = plural(sum(file.damaged for file in damaged), "damaged record")
    return [f"{records} in {plural(len(damaged), 'file')} could not be read."]


def _not_checked(skipped: Sequence[CheckedFile], most: int) -> list[str]:
    """What was not checked, by reason."""
    reasons: dict[str, list[str]] = {}
    for file in skipped:
        reasons.setdefault((file.skipped or "").partition(" (")[0], []).append(file.path)
    lines = []
    for reason, paths in reasons.items():
        named = ", ".join(place(path) for path in paths[:most]) + (", ..." if len(paths) > most else "")
        lines.append(f"Not checked: {plural(len(paths), 'file')}: {plain(reason)} ({named})")
    return lines


def _wrapped(sentence: str, width: int) -> list[Text]:
    return [Text(f"{'  ' if number == 0 else '    '}{line}") for number, line in enumerate(wrap(sentence, width - 4))]


def _beside(pieces: Sequence[str], width: int) -> list[Text]:
    """Two pieces on one line where there is room, else below each other."""
    whole = "   ".join(pieces)
    if cell_len(whole) <= width - 2:
        return [Text(f"  {whole}")] if whole else []
    first, *rest = pieces
    return _wrapped(first, width) + [Text(f"    {line}") for piece in rest for line in wrap(piece, width - 4)]


def _at(diagnostic: Diagnostic) -> list[str]:
    pieces = []
    if diagnostic.pointer or diagnostic.inside:
        inside = f" > {plain(diagnostic.inside, _MESSAGE)}" if diagnostic.inside else ""
        pieces.append(f"at {plain(diagnostic.pointer, _MESSAGE) or '/'}{inside}")
    if diagnostic.provider:
        verb = {"error": "refused by", "warning": "may be refused by", "info": "for"}[diagnostic.severity]
        others = f"; {', '.join(diagnostic.also)} too" if diagnostic.also else ""
        pieces.append(f"{verb} {diagnostic.provider}{others}")
    return pieces


def _context(mentions: Sequence[Mention], width: int) -> list[Text]:
    """The messages that it is about, in order; each by its line, or by its number where all stand on one line."""
    kept = _around_target(mentions)
    if not kept:
        return []
    by_line = len({mention.line for mention in kept}) > 1 or len(kept) == 1
    labels = [str(m.line) if by_line and m.line else f"#{m.message_index}" for m in kept]
    label_width = max(map(len, labels))
    role_width = max(min(cell_len(_role(mention)), 12) for mention in kept)
    lines = []
    for mention, label in zip(kept, labels, strict=True):
        mark = ">" if mention.is_target else " "
        start = f" {mark} {label.rjust(label_width)} | {cut(_role(mention), 12).ljust(role_width)}  "
        note = f"  <- {plain(mention.note)}" if mention.note else ""
        room = width - cell_len(start) - cell_len(note)
        if room < _LEAST_EXCERPT:
            note, room = cut(note, max(width - cell_len(start) - _LEAST_EXCERPT, 0)), _LEAST_EXCERPT
        line = Text(start + cut(plain(mention.excerpt), room) + note)
        if not mention.is_target:
            line.stylize("dim")
        lines.append(line)
    return lines


def _around_target(mentions: Sequence[Mention]) -> list[Mention]:
    """All of a few mentions, of many those next to the target."""
    if len(mentions) <= _MOST_MENTIONS:
        return list(mentions)
    target = next((number for number, mention in enumerate(mentions) if mention.is_target), 0)
    start = max(0, min(target - _MOST_MENTIONS // 2, len(mentions) - _MOST_MENTIONS))
    return list(mentions[start : start + _MOST_MENTIONS])


def _role(mention: Mention) -> str:
    return plain(mention.role, 20) or "?"
