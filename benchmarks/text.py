"""Text for generated logs: code, prose, command output and JSON that tokenize like the real thing.

Everything is made from the word lists below with one seeded `random.Random`, so a seed gives the same bytes on every
machine. Only `random()`, `choices`, `getrandbits` and `randbytes` are used, which are stable between versions.
"""

from __future__ import annotations

import base64
from random import Random
from typing import Any, Literal, NamedTuple

Language = Literal["py", "go", "ts", "md"]


def _words(text: str) -> list[str]:
    return text.split()


VERBS = _words(
    "add apply assert attach build cache check close collect commit compute convert copy count create decode delete "
    "detect dispatch drop emit encode ensure expand fetch filter find flush format group handle hash index insert load "
    "lock merge normalize open parse patch publish pull push read rebuild record release remove render replay reset "
    "resolve restore retry rotate run save scan schedule send sort split start stop store stream sync trim update "
    "validate wait walk write"
)
NOUNS = _words(
    "account address agent amount archive balance batch branch bucket budget buffer bundle calendar carrier cart "
    "category channel charge checkpoint chunk client column config consumer content context contract counter coupon "
    "credit cursor customer dashboard deadline delivery diff discount document entry error event export feature field "
    "file filter flag folder gateway handler header history image index inventory invoice item job key label ledger "
    "limit line link list locale lock manifest message metric migration model node note notice offset option order "
    "owner package page parcel parser patch path payment period plan policy pool price product profile project quote "
    "queue rate receipt record refund region report request response result retry review role route row rule schedule "
    "schema scope section segment session setting shipment signal slot snapshot source stage state status step stock "
    "store stream summary supplier table tag target task tax template tenant thread ticket timer token topic total "
    "trace tracker transfer trigger unit upload user value vendor version view volume warehouse webhook window worker"
)
ADJECTIVES = _words(
    "stale empty duplicate missing optional nested partial shared local remote cached pending failed open closed "
    "expired recent current previous final shorter safer cheaper separate explicit"
)
SYLLABLES = _words(
    "ba bri cla den dor el fen gra hol ist jor kel lam mer nat ol pra quin ros sel tam ul ver wic yor zan"
)
ENDINGS = ("", "d", "k", "mor", "nix", "ra", "stell", "von")
RARE = [a + b + c for a in SYLLABLES for b in SYLLABLES[::3] for c in ENDINGS]
"""Words that no vocabulary has: names of products, people, packages. About one piece in ten takes several tokens."""

NAMES = [f"{v}_{n}" for v in VERBS for n in NOUNS[::2]] + [v + n.capitalize() for v in VERBS for n in NOUNS[1::2]]
NAMES += [f"{a}_{b}" for a in NOUNS[::3] for b in NOUNS[1::4]]
NAMES += [a.capitalize() + b.capitalize() for a in VERBS[::2] for b in NOUNS[::2]]
NAMES += [f"{a}{b.capitalize()}s" for a in NOUNS[::4] for b in NOUNS[2::5]]
ODD_NAMES = [f"{r}_{n}" for r in RARE[::5] for n in NOUNS[::19]]
ODD_NAMES += [v + r.capitalize() for v in VERBS[::7] for r in RARE[1::3]]
ODD_NAMES += [f"{a}_{b}".upper() for a in VERBS[::3] for b in NOUNS[::9]] + [r.capitalize() for r in RARE]
ODD_NAMES += [f"{n}{d}" for n in NOUNS[::2] for d in (2, 16, 64, 256, 404, "_v3", "_2026", ".0")]
FOLDERS = ("billing", "catalog", "checkout", "core", "delivery", "gateway", "identity", "orders", "pricing", "reports")

_HEADS = {
    "md": ("## $a", "### `$a` and `$b`", "| $a | $b | $c |", "```bash\n$a --$b ./$c\n```"),
    "py": (
        "def $a($b: str, *, $c: int = 0) -> $d:",
        "async def $a(self, $b: $c) -> None:",
        "class $a($b):",
        "def test_$a_$b($c: Path) -> None:",
        "@router.post('/$a/{$b}')",
    ),
    "go": (
        "func (s *$a) $b(ctx context.Context, $c string) error {",
        "func $a($b []byte, $c int) (*$d, error) {",
        "type $a struct {",
        "func Test$a(t *testing.T) {",
    ),
    "ts": (
        "export function $a($b: string, $c?: number): $d {",
        "export const $a = async ($b: $c) => {",
        "interface $a extends $b {",
        "describe('$a', () => {",
    ),
}
_BODIES = {
    "md": (
        "- **$a**: the $b of `$c`, see [$d](docs/$d.md#$a).",
        "The `$a` command reads $b from $c and writes $d; it isn't safe to run it twice.",
        '1. Run `$a --$b=$c` and check that "$d" is listed.',
        "- [x] $a ($b/$c)",
        "| `$a` | $b, $c | $d |",
        "",
    ),
    "py": (
        "$a = $b.$c($d)",
        "if not $a:",
        "return $a",
        "for $a in $b.$c():",
        "raise ValueError(f'$a {$b!r} is not a $c')",
        "self.$a = $a",
        "$a.append($b[$c])",
        '"""The $a of one $b, or None where $c has none."""',
        "with open($a, encoding='utf-8') as $b:",
        "# $a comes before $b, or the $c is counted twice",
        "assert $a.$b == 42, $c",
        "$a: dict[str, $b] = {}",
        "$a = [$b for $b in $c if $b.$d is not None]",
        "logger.info('$a %s took %.1f ms', $b, $c)",
        "except ($a, $b) as error:",
        "return {'$a': $b, '$c': len($d)}",
        "await self.$a.$b($c, timeout=30)",
        "",
    ),
    "go": (
        "if err != nil {",
        'return nil, fmt.Errorf("$a $b: %w", err)',
        "$a, err := s.$b.$c(ctx, $d)",
        "}",
        "defer $a.Close()",
        "$a := make(map[string]$b, len($c))",
        "for _, $a := range $b {",
        "$a = append($b, $c)",
        "// $a keeps the $b until $c is done.",
        'log.Printf("$a: %d $b in %s", len($c), $d)',
        "case $a:",
        "$a.$b = $c.$d",
        'require.NoError(t, err, "$a must not fail")',
        '$a string `json:"$b,omitempty"`',
        "",
    ),
    "ts": (
        "const $a = await $b.$c($d);",
        "if (!$a) return null;",
        "});",
        "$a?: $b[];",
        "expect($a.$b).toEqual({ $c: 1 });",
        "throw new Error(`$a ${$b} not found`);",
        "return $a.map(($b) => $b.$c);",
        "// keep $a in step with $b",
        "<$a key={$b.$c} onChange={$d} />",
        "$a: z.string().min(1).max(64),",
        "import { $a, $b } from './$c';",
        "const [$a, set$b] = useState<$c | null>(null);",
        "} catch (error) {",
        "",
    ),
}
_SENTENCES = (
    "The $n of $i is only set when the $m has been read before, so an $j $n slips through.",
    "Let me look at how $i handles the $j $n first.",
    "I'll check where the $n comes from and whether $h still needs it.",
    "Now the tests for $i pass, but the $n in $h is $j.",
    "That explains the $j $m: $i is called twice, once for the $n and once for the $m.",
    "We should keep the $n as it is and move the $m into $h.",
    "There are two ways to do this: extend $i, or give the $n a $m of its own.",
    "The second is simpler because no caller of $h has to know about the $j $n.",
    "Before changing anything I want to see what happens with a $j $m and no $n at all.",
    "Done: $i returns the $n, and $h falls back to the $j $m.",
    "Good, the $n is there; what is missing is the $m.",
    "It does not matter which $n comes first as long as the $m is $j.",
    "Can you also make sure that the $n report shows the $j $m?",
    "Please fix the $n of the $m page, it is $j since yesterday.",
    "One thing to note: $i reads the $n lazily, so the $m may be $j when $h runs.",
    "Wait — the $m has no $n in that case…",
)
_OUTPUT = (
    "2026-11-14T09:$k:22Z INFO  $p.$i $n=$k status=ok took=$kms",
    "tests/$p/test_$i.py::test_$h PASSED [ $k%]",
    "tests/$p/test_$i.py::test_$h FAILED [ $k%]",
    'src/$p/$i.py:$k: error: Argument "$n" has incompatible type "$h"; expected "$m"  [arg-type]',
    "ok  \tacme.dev/$p/$n\t0.$ks",
    "-rw-r--r--  1 dev  dev   $k112 Nov 14 09:12 $i.py",
    " M src/$p/$i.py",
    "src/$p/$i.py | $k +++++-----",
    '  File "/code/acme/src/$p/$i.py", line $k, in $h',
    "AssertionError: expected $n $k, got $m",
    "WARN  $i: $j $n, falling back to $m",
    "  ✓ $h keeps the $j $n ($k ms)",
    "├── $i.ts — $n, $m",
    "- $h@$k.2.1 requires $n-$m@^$k.0.0",
    '{"level":"info","ts":17934$k.112,"msg":"$h","id":"$x","$n":$k}',
    "$k passed, 2 failed, 1 skipped in $k.41s",
    "commit $x $j $n: keep the $m in $h",
)


class Layout(NamedTuple):
    """Templates of one language, ready for `str.format`, with the indents of its body lines."""

    heads: list[str]
    bodies: list[str]
    indents: list[str]


def _compile(template: str) -> str:
    out = template.replace("{", "{{").replace("}", "}}")
    for index, slot in enumerate("abcd"):
        out = out.replace("$" + slot, f"{{{index}}}")
    for index, slot in enumerate("ihnmjkpx"):
        out = out.replace("$" + slot, f"{{{index}}}")
    return out


_SPACES = ["    "] * 4 + ["        "] * 4 + ["            "] * 2
_INDENTS = {
    "go": ["\t"] * 4 + ["\t\t"] * 4 + ["\t\t\t"] * 2,
    "ts": ["  "] * 4 + ["    "] * 4 + ["      "] * 2,
    "md": ["", "", "  "],
}
_LAYOUTS: dict[str, Layout] = {
    language: Layout(
        [_compile(t) for t in _HEADS[language]],
        [_compile(t) for t in _BODIES[language]],
        _INDENTS.get(language, _SPACES),
    )
    for language in _HEADS
}
_PROSE = [_compile(t) for t in _SENTENCES]
_LOGS = [_compile(t) for t in _OUTPUT]
_NUMBERS = [str(n) for n in range(10, 100)]


class Text:
    """A source of text for one session: it draws on a few hundred identifiers, as one project does."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.names = rng.choices(NAMES, k=360) + rng.choices(ODD_NAMES, k=140)
        self.hashes = [f"{rng.getrandbits(40):010x}" for _ in range(300)]

    def number(self, low: int, high: int) -> int:
        """An integer in `low <= n < high`."""
        return low + int(self.rng.random() * (high - low))

    def skewed(self, mean: float, cap: float) -> int:
        """A long-tailed size with about the given mean, between 1 and `cap`."""
        u = self.rng.random()
        return max(1, int(min(cap, mean * 0.55 * (1.0 / (1.0 - u) ** 0.62 - 0.35))))

    def pick(self, values: tuple[str, ...] | list[str]) -> str:
        """One of the values."""
        return values[int(self.rng.random() * len(values))]

    def code(self, lines: int, language: Language) -> list[str]:
        """Lines of a source file: functions with indented bodies, comments, blank lines."""
        rng, layout, out = self.rng, _LAYOUTS[language], [""]
        while len(out) < lines:
            size = 5 + int(rng.random() * 18)
            names = iter(rng.choices(self.names, k=4 * size + 4))
            slots = list(zip(names, names, names, names, strict=True))
            out.append(self.pick(layout.heads).format(*slots[0]))
            out += [
                indent + body.format(*four) if body else ""
                for indent, body, four in zip(
                    rng.choices(layout.indents, k=size), rng.choices(layout.bodies, k=size), slots[1:], strict=True
                )
            ]
            out.append("")
        return out[1 : lines + 1]

    def _fill(self, templates: list[str], count: int) -> list[str]:
        rng = self.rng
        columns = (self.names, self.names, NOUNS, NOUNS, ADJECTIVES, _NUMBERS, FOLDERS, self.hashes)
        drawn = [rng.choices(column, k=count) for column in columns]
        return [t.format(*row) for t, *row in zip(rng.choices(templates, k=count), *drawn, strict=True)]

    def prose(self, sentences: int) -> str:
        """What people and models write; a new paragraph every four sentences or so."""
        parts = self._fill(_PROSE, max(1, sentences))
        return "\n\n".join(" ".join(parts[i : i + 4]) for i in range(0, len(parts), 4))

    def output(self, lines: int) -> str:
        """What commands print: test runs, logs, listings, tracebacks."""
        return "\n".join(self._fill(_LOGS, max(1, lines)))

    def path(self) -> str:
        """A path relative to the project."""
        language = self.pick(("py", "py", "go", "go", "ts", "ts", "md"))
        return f"src/{self.pick(FOLDERS)}/{self.pick(NOUNS)}_{self.pick(NOUNS)}.{language}"

    def record(self) -> dict[str, Any]:
        """One object such as an API returns."""
        return {
            "id": self.number(1000, 999999),
            "kind": self.pick(NOUNS),
            "name": self.pick(self.names),
            "status": self.pick(ADJECTIVES),
            "created_at": f"2026-11-{self.number(10, 30)}T08:{self.number(10, 60)}:00Z",
            "amount": {"value": self.number(100, 90000) / 100, "currency": "EUR"},
            "labels": [self.pick(NOUNS), self.pick(NOUNS)],
            "note": None,
        }

    def opaque(self, size: int) -> str:
        """Base64 of random bytes: signatures, encrypted reasoning, images."""
        return base64.b64encode(self.rng.randbytes(size * 3 // 4)).decode()

    def uuid(self) -> str:
        """A random UUID."""
        h = f"{self.rng.getrandbits(128):032x}"
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"

    def token(self, prefix: str) -> str:
        """An identifier such as providers hand out."""
        return f"{prefix}01{self.rng.getrandbits(110):022X}"


class Clock:
    """Time within one session, in milliseconds of November 2026."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.now = int(rng.random() * 27 * 86_400_000) + 6 * 3_600_000

    def tick(self, milliseconds: int) -> str:
        """Move on by up to twice the given time and say when it is, as ISO 8601 in UTC."""
        self.now += 1 + int(self.rng.random() * 2 * milliseconds)
        return self.stamp()

    def stamp(self) -> str:
        """The time as ISO 8601 in UTC."""
        seconds, ms = divmod(self.now, 1000)
        minutes, s = divmod(seconds, 60)
        hours, m = divmod(minutes, 60)
        day, h = divmod(hours, 24)
        return f"2026-11-{min(day, 29) + 1:02}T{h:02}:{m:02}:{s:02}.{ms:03}Z"


def estimate(text: str) -> int:
    """Roughly the tokens of a text: what makes recorded usage plausible."""
    return len(text) * 2 // 7 + 4
