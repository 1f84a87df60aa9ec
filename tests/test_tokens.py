from __future__ import annotations

import base64
import gzip
import hashlib
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headroom_cli import tokens
from headroom_cli.data import build, read_vocabulary
from headroom_cli.tokens import RUN_LIMIT, Tokenizer, TokenizerError, get_tokenizer, split_long_runs

MEGABYTE = 1_000_000


def backend(name: str, encoding: str = "o200k_base") -> Tokenizer:
    if name == "quicktok":
        pytest.importorskip("quicktok")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(tokens.BACKEND_VARIABLE, name)
        return get_tokenizer(encoding)


@pytest.fixture(params=tokens.BACKENDS)
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    return backend(request.param)


@pytest.mark.parametrize(
    ("encoding", "size", "sha256"),
    [
        ("o200k_base", 199_998, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
        ("cl100k_base", 100_256, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
    ],
)
def test_vocabulary_is_the_original(encoding: str, size: int, sha256: str) -> None:
    vocabulary = read_vocabulary(encoding)
    assert len(vocabulary) == size
    assert hashlib.sha256(build.restore(vocabulary)).hexdigest() == sha256
    assert build.ORIGINALS[sha256] == encoding


def test_build_reproduces_the_shipped_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = build.restore(read_vocabulary("cl100k_base"))
    source = tmp_path / "vocabulary.gz"
    source.write_bytes(gzip.compress(original))
    monkeypatch.setattr(build, "__file__", str(tmp_path / "build.py"))
    assert build.main([str(source)]) == 0
    assert (tmp_path / "cl100k_base.zst").read_bytes() == build.pack(original)


def test_build_refuses_other_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "o200k_base.tiktoken"
    other.write_bytes(b"IQ== 0\n")
    assert build.main([str(other)]) == 2
    assert "not one of" in capsys.readouterr().err


# Counted with tiktoken 0.14 and its own files.
@pytest.mark.parametrize(
    ("encoding", "text", "count"),
    [
        ("o200k_base", "", 0),
        ("o200k_base", "hello world", 2),
        ("o200k_base", "tiktoken is great!", 6),
        ("cl100k_base", "tiktoken is great!", 6),
        ("o200k_base", "お誕生日おめでとう", 8),
        ("cl100k_base", "お誕生日おめでとう", 9),
        ("o200k_base", "<|endoftext|>", 7),
        ("cl100k_base", "<|endoftext|>", 7),
    ],
)
@pytest.mark.parametrize("name", tokens.BACKENDS)
def test_known_counts(name: str, encoding: str, text: str, count: int) -> None:
    assert backend(name, encoding).count_text(text) == count


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.text(max_size=400),
        st.text("aA1 \n\t\r'sé漢\u0301_/{\"<\u00a0\u2028\x1c", max_size=400),
        st.lists(
            st.sampled_from(["def f(x):\n", "    ", "\t", "don't", "HTTPServer", "0x1F", "🚀", "\r\n", "<|endoftext|>"])
        ).map("".join),
    )
)
def test_backends_are_equal(encoding: str, text: str) -> None:
    assert backend("quicktok", encoding).count_text(text) == backend("tiktoken", encoding).count_text(text)


def test_count_many(tokenizer: Tokenizer) -> None:
    assert tokenizer.count_many(["hello world", "", "tiktoken is great!"]) == [2, 0, 6]


@pytest.mark.parametrize(
    ("text", "as_if"),
    [
        ("a\ud800b", "a\ufffdb"),
        ("\ud83d\ude00!", "😀!"),
        ("\udc00\ud800", "\ufffd\ufffd"),
        ("x" * RUN_LIMIT + " \udc80", "x" * RUN_LIMIT + " \ufffd"),
    ],
)
def test_lone_surrogates_count_as_replacement(tokenizer: Tokenizer, text: str, as_if: str) -> None:
    assert tokenizer.count_text(text) == tokenizer.count_text(as_if)


def pathological() -> dict[str, str]:
    noise = random.Random(1).randbytes(MEGABYTE)
    units = {
        **{unit: unit for unit in ["{", "[", "<", '"', " ", "\t", "\n", "a", "A", "1", "/", "漢", "\u0301", "\0", "_"]},
        **{
            unit: unit
            for unit in ["<!--", "[{", "\x1b[", "\r\n", "http://", "a ", " \n", "Aa", "'s", "x\u0301", "\u00a0"]
        },
        "base64": base64.b64encode(noise).decode(),
        "hex": noise.hex(),
        "long lines": (" " * 1000 + "\n") * 1000,
    }
    return {name: (unit * (MEGABYTE // len(unit) + 1))[:MEGABYTE] for name, unit in units.items()}


PATHOLOGICAL = pathological()


@pytest.mark.parametrize("name", PATHOLOGICAL, ids=repr)
def test_pathological_megabytes(name: str) -> None:
    text = PATHOLOGICAL[name]
    counts = set()
    for backend_name in tokens.BACKENDS:
        tokenizer = backend(backend_name)
        started = time.perf_counter()
        counts.add(tokenizer.count_text(text))
        assert time.perf_counter() - started < 2  # 0.3 s on a quiet machine
    assert len(counts) == 1


def test_runs_are_cut_every_limit_characters_from_their_start() -> None:
    text = "ab, " + "x" * (2 * RUN_LIMIT + 5) + " tail" + "!" * (RUN_LIMIT + 1) + "é"
    pieces = list(split_long_runs(text))
    assert "".join(pieces) == text
    assert [len(piece) for piece in pieces] == [4 + RUN_LIMIT, RUN_LIMIT, 5 + len(" tail") + RUN_LIMIT, 2]


def test_runs_of_exactly_the_limit_stay_whole() -> None:
    text = "1" * RUN_LIMIT + "x" * RUN_LIMIT + " " * RUN_LIMIT
    assert list(split_long_runs(text)) == [text]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([" ", "\n", "7", "x", "é", "_", "{"]), st.integers(1, 40)), max_size=30))
def test_cutting_loses_nothing_and_bounds_every_run(runs: list[tuple[str, int]]) -> None:
    text = "".join(character * length for character, length in runs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "RUN_LIMIT", 7)
        pieces = list(split_long_runs(text))
    assert "".join(pieces) == text
    for pattern in tokens._CHARACTER_CLASSES:
        assert all(len(run) <= 7 for piece in pieces for run in pattern.findall(piece))
        # Only runs over the limit are cut.
        if not any(len(run) > 7 for run in pattern.findall(text)):
            assert sorted(pattern.findall(text)) == sorted(run for piece in pieces for run in pattern.findall(piece))


def test_backend_is_forced_by_the_environment() -> None:
    assert backend("tiktoken").name == "tiktoken"
    assert backend("quicktok").name == "quicktok"


def test_unknown_backend_and_encoding_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TokenizerError, match="p50k_base"):
        get_tokenizer("p50k_base")
    monkeypatch.setenv(tokens.BACKEND_VARIABLE, "sentencepiece")
    with pytest.raises(TokenizerError, match="use quicktok or tiktoken"):
        get_tokenizer()


def run_python(code: str, *, path: Path | None = None, **env: str) -> str:
    paths = [str(Path(__file__).parents[1]), *([str(path)] if path else [])]
    completed = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **env, "PYTHONPATH": os.pathsep.join(reversed(paths))},
        capture_output=True,
        text=True,
        check=True,
    )
    return completed.stdout.strip()


def test_an_unrelated_quicktok_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "quicktok.py").write_text("class Trainer: ...\n")
    code = "from headroom_cli.tokens import get_tokenizer; print(get_tokenizer().name)"
    assert run_python(code, path=tmp_path) == "tiktoken"
    code = """
from headroom_cli.tokens import get_tokenizer, TokenizerError
try: get_tokenizer()
except TokenizerError as error: print(error)
"""
    assert "quicktok-v1 is not usable" in run_python(code, path=tmp_path, HEADROOM_TOKENIZER_BACKEND="quicktok")


@pytest.mark.parametrize("name", tokens.BACKENDS)
def test_loading_opens_no_socket_and_no_numpy(name: str, tmp_path: Path) -> None:
    if name == "quicktok":
        pytest.importorskip("quicktok")
    code = """
import sys
def refuse(event, args):
    if event.startswith("socket.") or event == "urllib.Request": raise SystemExit(event)
sys.addaudithook(refuse)
from headroom_cli.tokens import get_tokenizer
print(get_tokenizer().count_text("hello world"), get_tokenizer("cl100k_base").count_text("hello world"))
print([module for module in ("numpy", "requests", "polars") if module in sys.modules])
"""
    out = run_python(code, HEADROOM_TOKENIZER_BACKEND=name, HOME=str(tmp_path), TIKTOKEN_CACHE_DIR=str(tmp_path))
    assert out.splitlines() == ["2 2", "[]"]
    assert list(tmp_path.iterdir()) == []
