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
SAMPLES = Path(__file__).parents[2] / "sample_transcripts"
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
        (["analyze", "-f", "jso"], 2, b"Invalid value for '--format' / '-f': 'jso' is not one of 'table', 'json',"),
        (["analyz"], 2, b"Did you mean 'analyze'?"),
        (["analyze", "no-such-file.jsonl"], 2, b"headroom: no such file or directory: no-such-file.jsonl"),
        (["explain", "rread"], 2, b"headroom: no rule or signal is called 'rread'; did you mean reread?"),
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


@pytest.mark.parametrize(
    ("limits", "there"),
    [
        (["--project", "nope"], "(project nope); projects here: hooks, reports, shop"),
        (["--client", "nope"], "(client nope); clients here: Claude Code, Codex, Strands Agents"),
        (["--client", "nope", "--kind", "side"], "Claude Code, Codex, Strands Agents; kinds here: main, subagent"),
    ],
)
def test_what_there_is_instead_is_said(limits: list[str], there: str) -> None:
    done = headroom("analyze", str(SAMPLES), *limits)
    assert (done.returncode, done.stdout) == (3, b"")
    assert there in done.stderr.decode() and done.stderr.count(b"\n") == 1


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


@pytest.mark.skipif(sys.platform == "win32", reason="file names of POSIX")
@pytest.mark.parametrize("form", ["table", "json", "jsonl", "csv", "markdown"])
def test_a_file_name_is_never_in_the_way(form: str, log: str, tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    for name in (b"bad\xff\xfe.jsonl", b"\x1b[31mred\nline.jsonl", "\u202eevil.jsonl".encode()):
        Path(os.fsdecode(folder + b"/" + name)).write_bytes(LINE)
        Path(os.fsdecode(folder + b"/other-" + name)).write_bytes(b'{"x": 1}\n')
    done = headroom("analyze", str(tmp_path), "-v", "--format", form)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\x1b" not in done.stdout and "\u202e" not in (done.stdout.decode() if not form.startswith("json") else "")


@pytest.mark.skipif(sys.platform == "win32", reason="file names of POSIX")
def test_error_lines_are_harmless(tmp_path: Path) -> None:
    name = "\x1b]0;x\x07\x1b[31mred\n::error::\u202ex.jsonl"
    (tmp_path / name).write_bytes(b'{"x": 1}\n')
    for arguments in (["analyze", name], ["analyze", "no" + name], ["analyze", ".", "--config", name + "x"]):
        done = headroom(*arguments, cwd=tmp_path)
        assert done.returncode in (2, 3)
        assert b"\x1b" not in done.stderr and b"\x07" not in done.stderr and done.stderr.count(b"\n") == 1
        assert "\u202e" not in done.stderr.decode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["formats"], ["explain", "reread"], ["analyze"]])
def test_a_full_disk_is_one_line(arguments: list[str], log: str) -> None:
    given = [*arguments, log] if arguments == ["analyze"] else arguments
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*COMMAND, *given], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (4, b"headroom: could not write the report: no space left on the device\n")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_closed_standard_streams(log: str) -> None:
    command = " ".join([*COMMAND, "analyze"])
    for closed, code in (("- <&-", 3), (f"{log} >&-", 141), (f"{log}-nope 2>&-", 2), (f"{log} >&- 2>&- <&-", 141)):
        done = subprocess.run(f"{command} {closed}", shell=True, capture_output=True, timeout=60, check=False)
        assert done.returncode == code, closed
        assert b"Traceback" not in done.stderr and b"internal" not in done.stderr and done.stdout == b""


@pytest.mark.skipif(sys.platform == "win32", reason="devices and folders of POSIX")
def test_odd_places(log: str, tmp_path: Path) -> None:
    assert b"a device, not a file" in headroom("analyze", "/dev/zero").stderr
    gone = tmp_path / "gone"
    gone.mkdir()
    done = subprocess.run(
        f"cd {gone} && rmdir {gone} && {' '.join(COMMAND)} analyze {log}",
        shell=True,
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert done.returncode == 2 and b"the working directory is gone" in done.stderr
    assert headroom("analyze", log, "--project", "a" * 5000).returncode == 3
    assert headroom("analyze", log, "--project", "/" + "a" * 5000).returncode in (0, 3)
    assert headroom("analyze", log, "--limit", "9" * 30).returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="devices of POSIX")
def test_a_folder_whose_only_log_is_no_file_says_so(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    done = headroom("analyze", str(tmp_path))
    assert done.returncode == 3 and done.stderr.endswith(b"pipe.jsonl: not a regular file\n")


@pytest.mark.skipif(sys.platform == "win32", reason="TZ of POSIX")
def test_a_time_zone_that_is_none(log: str) -> None:
    done = headroom("analyze", log, env={**os.environ, "TZ": "<+25>-25"})
    assert done.returncode == 2
    assert done.stderr == b"headroom: the machine's time zone (TZ) is none; set TZ, or timezone in headroom.toml\n"


@pytest.mark.skipif(sys.platform == "win32", reason="links and messages of POSIX")
def test_a_target_that_cannot_be_written_is_named(log: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    for target in ("file/dataset", "loop"):
        done = headroom("export", log, "-o", str(tmp_path / target))
        assert done.returncode == 2 and done.stderr.startswith(b"headroom: cannot write ")
    for target in (".", "missing/table.csv"):
        done = headroom("export", log, "-f", "csv", "--table", "requests", "-o", str(tmp_path / target))
        assert done.returncode == 2 and done.stderr.startswith(b"headroom: cannot write ")
    summary = {**os.environ, "GITHUB_STEP_SUMMARY": str(tmp_path / "missing" / "summary.md")}
    done = headroom("lint", log, "-f", "github", env=summary)
    assert done.returncode == 2 and b"cannot write" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="devices of POSIX")
def test_what_is_no_file_is_not_repaired(tmp_path: Path) -> None:
    (tmp_path / "zero.jsonl").symlink_to("/dev/zero")
    done = headroom("repair", str(tmp_path / "zero.jsonl"))
    assert done.returncode == 3 and b"not a regular file" in done.stderr
