"""How a run ends: exit codes, one line on standard error, no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "headroom_cli"]
LINE = b'{"role": "user", "content": "hi"}\n'


def headroom(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, timeout=60, check=False, **options)  # type: ignore[call-overload, no-any-return]


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(LINE * 3)
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--version"], 0, b""),
        (["analyze", "--nope"], 2, b"No such option: --nope"),
        (["analyz"], 2, b"Did you mean 'analyze'?"),
        (["analyze", "no-such-file.jsonl"], 2, b"headroom: no such file or directory: no-such-file.jsonl"),
        (["explain", "rread"], 2, b"headroom: no signal is called 'rread'; did you mean reread?"),
        (["analyze", "--by", "tol", "."], 2, b"did you mean tool?"),
        (["analyze", "--since", "yesterday", "."], 2, b"--since: cannot read 'yesterday'"),
        (["analyze", "--config", "none.toml", "."], 2, b"no such configuration file: none.toml"),
    ],
)
def test_exit_codes_of_wrong_usage(arguments: list[str], code: int, said: bytes, tmp_path: Path) -> None:
    done = headroom(*arguments, cwd=tmp_path)
    assert done.returncode == code
    assert said in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_named_file_that_is_no_log_is_an_error_after_the_report(log: str, tmp_path: Path) -> None:
    other = tmp_path / "package.json"
    other.write_text('{"name": "acme", "version": "1.0.0"}')
    assert headroom("analyze", str(other)).returncode == 3
    both = headroom("analyze", log, str(other))
    assert both.returncode == 2
    assert b"could not read" in both.stderr and b"package.json: unknown format" in both.stderr
    assert b"tokens entered" in both.stdout or b"entered" in both.stdout
    assert headroom("analyze", log, str(other), "--unknown-files", "skip").returncode == 0
    assert headroom("analyze", str(tmp_path)).returncode == 0
    assert headroom("analyze", str(tmp_path), "--unknown-files", "error").returncode == 2


def test_a_folder_without_logs(tmp_path: Path) -> None:
    done = headroom("analyze", str(tmp_path))
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.startswith(b"headroom: no ") and done.stderr.count(b"\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and signals of POSIX")
def test_a_closed_pipe_is_quiet(log: str) -> None:
    for form in ("table", "json", "jsonl", "csv"):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "wb") as closed:
            process = subprocess.Popen(
                [*COMMAND, "analyze", log, "--format", form], stdout=closed, stderr=subprocess.PIPE
            )
            _, said = process.communicate(timeout=60)
        assert (process.returncode, said) == (141, b""), form


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and signals of POSIX")
def test_ctrl_c_is_quiet() -> None:
    process = subprocess.Popen(
        [*COMMAND, "analyze", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(LINE)
    process.stdin.flush()
    time.sleep(1.5)  # by now it waits for the rest of its input
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=60)
    assert (process.returncode, out, said) == (130, b"", b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said(log: str) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*COMMAND, "analyze", log], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 4
    assert done.stderr == b"headroom: could not write the report: no space left on the device\n"
