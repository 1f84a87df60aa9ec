"""Writes the generated parts of README.md and docs/: `python -m docs.generate`, or `make docs`.

Pages are written by hand. What the code knows better stands between `<!-- generated: NAME ARGUMENTS -->` and
`<!-- end -->`, and is written anew by the function of that name in `BLOCKS`. The page of a waste signal is generated as
a whole: it is the docstring of the signal's module. A command, format or signal without a page gets one.
"""

from __future__ import annotations

import inspect
import itertools
import os
import re
import shlex
import subprocess
import sys
import typing
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path

from typer.models import ArgumentInfo, OptionInfo

from headroom_cli.cli.app import app
from headroom_cli.cli.exits import FINDINGS
from headroom_cli.config import KEYS
from headroom_cli.export.schema import TABLES, TEXTS
from headroom_cli.lint.engine import known_rules, rule_page
from headroom_cli.lint.providers import PROFILES
from headroom_cli.logs import known_formats
from headroom_cli.waste import pages as signal_pages
from headroom_cli.waste.base import CLAIM_ORDER

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 80

_BLOCK = re.compile(r"(<!-- generated: (?P<name>[a-z]+)(?: (?P<argument>[^\n]*?))? -->\n).*?(<!-- end -->)", re.DOTALL)
_DOCS_PATH = re.compile(r"(?<![\w(/\[])docs/[a-z_/-]+\.md")
_HEADING = re.compile(r"#\s*(?P<name>\w+):\s*")


def written() -> dict[Path, str]:
    """The text that each page should have, by its path from the root of the repository."""
    texts = {page: (ROOT / page).read_text("utf-8") for page in _pages()}
    for command in commands():
        page = Path("docs/commands") / f"{command}.md"
        texts.setdefault(page, _new_page(f"headroom {command}", f"command {command}"))
    for log_format in known_formats():
        page = Path("docs/formats") / f"{log_format.name}.md"
        texts.setdefault(page, _new_page(log_format.title, f"format {log_format.name}"))
    written = {page: _refreshed(page, text) for page, text in texts.items()}
    written.update((Path("docs/signals") / f"{name}.md", _signal_page(name)) for name in signal_pages())
    return dict(sorted(written.items()))


def main() -> None:
    """Write every page that has changed, and say which."""
    for page, text in written().items():
        path = ROOT / page
        if not path.is_file() or path.read_text("utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")
            print(f"wrote {page.as_posix()}")


def commands() -> dict[str, Callable[..., object]]:
    """The commands of the command line by name."""
    return {str(info.name): info.callback for info in app.registered_commands if info.callback is not None}


def parameters(command: str) -> Iterable[tuple[inspect.Parameter, object, ArgumentInfo | OptionInfo]]:
    """The parameters of a command, each with its type and with what Typer is told of it."""
    function = commands()[command]
    hints = typing.get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        kind, info = typing.get_args(hints[name])
        yield parameter, kind, info


def option_names(parameter: inspect.Parameter, info: OptionInfo) -> list[str]:
    """How an option is written: `--format`, `-f`. Typer keeps the first name as the default of an annotated option."""
    names = [name for name in (info.default, *(info.param_decls or ())) if isinstance(name, str)]
    return names or [f"--{parameter.name.replace('_', '-')}"]


def run(command: str, code: int = 0) -> str:
    """What a command that ends with `code` prints on standard output, in a pipe of 80 columns, plain, in UTC."""
    arguments = shlex.split(command)[1:]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("HEADROOM_")},
        "COLUMNS": str(WIDTH),
        "NO_COLOR": "1",
        "PYTHONIOENCODING": "utf-8",
        "TZ": "UTC",
    }
    done = subprocess.run(
        [sys.executable, "-m", "headroom_cli", *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        check=False,
        encoding="utf-8",
    )
    if done.returncode != code:
        raise subprocess.CalledProcessError(done.returncode, done.args)
    return done.stdout


def _pages() -> list[Path]:
    docs = (path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "signals")
    return [path.relative_to(ROOT) for path in (ROOT / "README.md", *docs)]


def _new_page(title: str, block: str) -> str:
    return f"# {title}\n\n<!-- generated: {block} -->\n<!-- end -->\n"


def _refreshed(page: Path, text: str) -> str:
    def block(found: re.Match[str]) -> str:
        return f"{found[1]}{BLOCKS[found['name']](found['argument'] or '', page)}\n{found[4]}"

    return _BLOCK.sub(block, text)


def _signal_page(name: str) -> str:
    """The docstring as a page, with a heading where it has none, and paths of other pages as links."""
    text = signal_pages()[name]
    if not text.startswith("# "):
        title, _, rest = text.partition("\n")
        text = f"# {name}: {title[:1].lower()}{title[1:].rstrip('.')}\n{rest}"
    page = Path("docs/signals") / f"{name}.md"
    return f"{_DOCS_PATH.sub(lambda found: f'[{found[0]}]({_link(page, found[0])})', text)}\n"


def _link(page: Path, target: str) -> str:
    return Path(os.path.relpath(target, page.parent)).as_posix()


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    cells = [list(header)]
    lines = [f"| {' | '.join(row)} |" for row in (*cells, ["---"] * len(cells[0]), *rows)]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _command_block(command: str, page: Path) -> str:
    """Usage, arguments and options of a command."""
    summary = inspect.cleandoc(commands()[command].__doc__ or "")
    usage, rows = [f"headroom {command}"], []
    options = []
    for parameter, kind, info in parameters(command):
        required = parameter.default is inspect.Parameter.empty
        if isinstance(info, ArgumentInfo):
            name = info.metavar or parameter.name.upper()
            usage.append(name if required else f"[{name}]{'...' if 'list' in str(kind) else ''}")
            rows.append([f"`{_cell(name)}`", _cell(info.help or ""), ""])
        else:
            names = ", ".join(f"`{name}`" for name in option_names(parameter, info))
            value = _value_of(kind, info)
            default = parameter.default.value if isinstance(parameter.default, Enum) else ""
            options.append([f"{names}{f' `{value}`' if value else ''}", _cell(info.help or ""), default])
    usage.insert(1, "[OPTIONS]" if options else "")
    rows += [*options, ["`-h`, `--help`", "Show this message and exit.", ""]]
    text = " ".join(word for word in usage if word)
    return f"{summary}\n\n```text\n{text}\n```\n\n{_table(('argument or option', 'meaning', 'default'), rows)}"


def _value_of(kind: object, info: OptionInfo) -> str:
    """What stands behind an option; empty for a switch."""
    if info.metavar:
        return info.metavar
    choices = next((t for t in (kind, *typing.get_args(kind)) if isinstance(t, type) and issubclass(t, Enum)), None)
    if choices is not None:
        return "\\|".join(str(choice.value) for choice in choices)
    if kind is bool:
        return ""
    return "N" if "int" in str(kind) else "NAME"


def _formats_block(_: str, page: Path) -> str:
    rows = [
        [f"[`{f.name}`]({_link(page, f'docs/formats/{f.name}.md')})", _cell(f.title), _cell(f.summary)]
        for f in known_formats()
    ]
    return _table(("name", "log", "what is read"), rows)


def _format_block(name: str, page: Path) -> str:
    (log_format,) = (f for f in known_formats() if f.name == name)
    module = next(m for m in list(sys.modules.values()) if getattr(m, "FORMAT", None) is log_format)
    rows = [
        ["name", f"`{log_format.name}`"],
        ["written by", _cell(log_format.client)],
        ["read", _cell(log_format.summary)],
        ["told by", ", ".join(f"`{family}`" for family in sorted(log_format.families))],
    ]
    return f"{inspect.cleandoc(module.__doc__ or '')}\n\n{_table(('', ''), rows)}"


def _signals_block(_: str, page: Path) -> str:
    """The signals in the order of their claims, each with the first words of its page."""
    known = signal_pages()
    rows = []
    for name in sorted(known, key=lambda name: (*CLAIM_ORDER, name).index(name)):
        title = _HEADING.sub("", known[name].split("\n", 1)[0])
        rows.append([f"[`{name}`]({_link(page, f'docs/signals/{name}.md')})", _cell(title)])
    return _table(("signal", "what it is"), rows)


def _keys_block(_: str, page: Path) -> str:
    names = {str: "string", int: "whole number", list: "list of strings", dict: "table of lists of strings"}
    rows = []
    for key, definition in KEYS.items():
        kinds = definition.type if isinstance(definition.type, tuple) else (definition.type,)
        kind = " or ".join(names.get(each, each.__name__) for each in kinds)
        default = f"`{definition.default!r}`".replace("'", '"')
        rows.append([f"`{key}`", kind, default, _cell(definition.meaning)])
    return _table(("key", "type", "default", "meaning"), rows)


_FAMILIES = {
    "0": "The run itself",
    "1": "Pairing of calls and results",
    "2": "Ids, names and arguments",
    "3": "Roles and order",
    "4": "Content",
    "5": "Thinking and reasoning",
    "6": "Tools declared",
    "7": "Limits and media",
    "8": "Cache stability (off unless selected)",
    "9": "The log itself",
}


def _rules_block(_: str, page: Path) -> str:
    """A table and the pages of all rules, by family."""
    parts = []
    for family, rules in itertools.groupby(known_rules().values(), key=lambda rule: rule.code[2]):
        listed = list(rules)
        rows = []
        for rule in listed:
            title = f"{rule.code} {rule.name}"
            anchor = title.lower().replace(" ", "-")
            refs = sorted({ref for refs in rule.refs.values() for ref in refs})
            providers = "all" if "*" in rule.refs else ", ".join(name for name in PROFILES if name in rule.refs) or "-"
            rows.append([f"[{title}](#{anchor})", _cell(rule.summary), providers, " ".join(refs)])
        parts.append(f"## {_FAMILIES[family]}\n\n{_table(('rule', 'what it finds', 'checked for', 'catalogue'), rows)}")
        parts += [_DOCS_PATH.sub(lambda found: f"[{found[0]}]({_link(page, found[0])})", _deeper(rule_page(rule)))
                  for rule in listed]  # fmt: skip
    return "\n\n".join(parts)


def catalogue() -> Iterable[tuple[str, str, str, str]]:
    """The catalogue of what providers refuse: id, concept, grade of the evidence, sources."""
    for line in (ROOT / "docs" / "catalogue.tsv").read_text("utf-8").splitlines()[1:]:
        ref, name, grade, sources = line.split("\t")
        yield ref, name, grade, sources


def rules_by_ref() -> dict[str, list[str]]:
    """The codes of the rules that find each entry of the catalogue."""
    found: dict[str, list[str]] = {ref: list(codes) for ref, codes in _FOUND_BY_FORMAT.items()}
    for rule in known_rules().values():
        for ref in dict.fromkeys(ref for refs in rule.refs.values() for ref in refs):
            if rule.code not in found.setdefault(ref, []):
                found[ref].append(rule.code)
    return found


_FOUND_BY_FORMAT = {"L06": ["HR102"], "L14": ["HR101"]}
NO_RULE = {
    **dict.fromkeys(
        ("L01", "L03", "L04", "L05", "L09"),
        "no fault of a history: done when Claude Code's logs are read",
    ),
    **dict.fromkeys(("L11", "L12", "L13", "L15"), "no fault of a history: done when Codex's rollouts are read"),
    "L16": "no fault of a history: request logs are parted into conversations when they are read",
}
"""Entries of the catalogue that no rule finds, each with the reason."""


def _catalogue_block(_: str, page: Path) -> str:
    by_ref = rules_by_ref()
    rows = []
    for ref, name, grade, sources in catalogue():
        found = " ".join(by_ref.get(ref, [])) or NO_RULE.get(ref, "")
        links = " ".join(
            f"[{source}](https://github.com/{source.replace('#', '/issues/')})" for source in sources.split()
        )
        rows.append([ref, name, found, grade, links])
    return _table(("id", "concept", "rule", "evidence", "sources"), rows)


def _deeper(text: str) -> str:
    """A page as part of another: headings two levels down, outside of code."""
    lines, in_code = [], False
    for line in text.rstrip().split("\n"):
        in_code ^= line.startswith("```")
        lines.append(f"##{line}" if line.startswith("#") and not in_code else line)
    return "\n".join(lines)


def _providers_block(_: str, page: Path) -> str:
    rows = [
        [f"`{p.name}`", _cell(p.title), ", ".join(f"`{d}`" for d in p.dialects), p.as_of] for p in PROFILES.values()
    ]
    return _table(("provider", "what it is", "default for histories in the form of", "facts as of"), rows)


def _schema_block(_: str, page: Path) -> str:
    """Every table with its columns."""
    tables = []
    for table in (*TABLES.values(), TEXTS):
        key = ", ".join(f"`{name}`" for name in table.key)
        leads = "".join(f"; `{column}` leads to `{parent}`" for column, parent in table.parents)
        rows = (
            (f"`{column.name}`", column.type + ("?" if column.nullable else ""), column.meaning)
            for column in table.columns
        )
        text = f"### {table.name}\n\n{table.meaning} Key: {key}{leads}.\n\n"
        if table.labelled:
            text += "Each `--label KEY=VALUE` adds a column `label_KEY` behind these.\n\n"
        tables.append(text + _table(("column", "type", "meaning"), rows))
    return "\n\n".join(tables)


def _run_block(command: str, page: Path, code: int = 0) -> str:
    return f"```text\n$ {command}\n{run(command, code).rstrip()}\n```"


def _findings_block(command: str, page: Path) -> str:
    return _run_block(command, page, FINDINGS)


BLOCKS: dict[str, Callable[[str, Path], str]] = {
    "schema": _schema_block,
    "catalogue": _catalogue_block,
    "command": _command_block,
    "findings": _findings_block,
    "format": _format_block,
    "formats": _formats_block,
    "keys": _keys_block,
    "providers": _providers_block,
    "rules": _rules_block,
    "run": _run_block,
    "signals": _signals_block,
}
"""What can be generated: functions of the marker's arguments and the page that it stands in."""

if __name__ == "__main__":
    main()
