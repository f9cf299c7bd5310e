"""Whole games by the command itself, over loopback: what is printed, kept, checked and shown again."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from p2pdice.cli.main import main
from tests.cli.test_main import run

ALONE = ("--no-mdns", "--bind", "127.0.0.1", "--name", "Ana")


@pytest.fixture(scope="module")
def transcript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished game between a bot in the seat and two bots of its own, under house rules."""
    folder = tmp_path_factory.mktemp("games")
    path = folder / "game.p2pdice"
    done = run(
        "host", *ALONE, "--auto", "easy", "--bots", "2", "--players", "3", "--set", "starting_dice=2",
        "--record", str(path), P2PDICE_STATE=str(folder),
    )
    assert done.returncode == 0, done.stderr
    return path


@pytest.mark.smoke
def test_a_game_in_json(tmp_path: Path) -> None:
    """From listening to closed, with a status that fits."""
    done = run(
        "host", *ALONE, "--json", "--auto", "easy", "--bots", "1", "--players", "2", "--set", "starting_dice=2",
        P2PDICE_STATE=str(tmp_path),
    )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (0, "")
    assert told[0]["event"] == "listening"
    assert told[-1]["event"] == "closed"
    assert told[-1]["reason"] == "won"
    [end] = [event for event in told if event["event"] == "end"]
    assert end["winners"] == told[-1]["winners"]


@pytest.mark.smoke
def test_a_game_in_words_ends_with_input(tmp_path: Path) -> None:
    """Piped lines: what is asked is answered, then the seat leaves with status 0."""
    done = run(
        "host", *ALONE, "--lang", "es", "--bots", "1", stdin="/quien\n/reglas\nblabla\n", P2PDICE_STATE=str(tmp_path)
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "En la mesa: Ana (tú, de acuerdo), bot (bot de Ana)." in done.stdout
    assert "blabla: no se entiende. /ayuda dice lo que puedes hacer." in done.stdout
    assert done.stdout.rstrip().endswith("Has dejado la mesa.")


def test_the_transcript_is_clean(transcript: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """verify says so in words and in JSON, and who brought which bot."""
    assert main(["verify", str(transcript)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Clean:")
    assert "(bot of Ana), key " in out
    assert main(["verify", "--json", str(transcript)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "clean"
    assert sorted(player["bot_of"] or "" for player in found["players"]) == ["", "Ana", "Ana"]
    assert {player["standing"] for player in found["players"]} == {"clean"}
    assert len(found["winners"]) == 1
    assert found["faults"] == []


def test_a_cut_transcript_is_incomplete(transcript: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All that is there holds, the end is missing: status 1."""
    cut = tmp_path / "cut.p2pdice"
    cut.write_bytes(transcript.read_bytes()[:-200])
    assert main(["verify", str(cut)]) == 1
    assert capsys.readouterr().out.startswith("Incomplete:")


def test_a_changed_transcript_is_a_fault_of_nobody(
    transcript: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One bit: the first entry that does not hold is named, and no player."""
    raw = bytearray(transcript.read_bytes())
    raw[len(raw) // 2] ^= 1
    changed = tmp_path / "changed.p2pdice"
    changed.write_bytes(raw)
    assert main(["verify", str(changed)]) == 1
    assert "the file was changed after the game" in capsys.readouterr().out
    assert main(["verify", "--json", str(changed)]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [fault["player"] for fault in found["faults"]] == [None]


def test_a_replay_tells_the_game_again(transcript: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All of it, or one round; a round that is not there is an error."""
    assert main(["replay", str(transcript)]) == 0
    whole = capsys.readouterr().out
    assert "wins the game." in whole
    assert main(["replay", str(transcript), "--round", "2"]) == 0
    second = capsys.readouterr().out
    assert second.startswith("Round 2.")
    assert "Round 3." not in second
    assert second in whole
    assert main(["replay", str(transcript), "--round", "99"]) == 2


def test_a_game_written_down_is_judged_alike(
    transcript: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The notation of a replay, given to the referee: all legal, the same winner, nothing overwritten."""
    written = tmp_path / "game.dice"
    assert main(["replay", str(transcript), "--notation", str(written)]) == 0
    capsys.readouterr()
    assert main(["replay", str(transcript), "--notation", str(written)]) == 2
    capsys.readouterr()
    assert main(["verify", "--json", str(transcript)]) == 0
    winner = json.loads(capsys.readouterr().out)["winners"][0].replace(" ", "_")
    assert main(["referee", "--json", str(written)]) == 0
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert last == {"event": "end", "winners": [winner]}


@pytest.mark.smoke
def test_a_port_that_is_taken_is_status_2(tmp_path: Path) -> None:
    """An explicit port is an order, not a wish."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run("host", *ALONE, "--port", port, P2PDICE_STATE=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.startswith(f"p2pdice: port {port} is taken")


@pytest.mark.smoke
def test_joining_where_nobody_is_is_status_3(tmp_path: Path) -> None:
    """The reason and a way out, no traceback."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    done = run("join", f"127.0.0.1:{port}", *ALONE, P2PDICE_STATE=str(tmp_path))
    assert done.returncode == 3
    assert done.stderr.startswith("p2pdice: that computer answers, but no game is on that port\n")


@pytest.mark.smoke
def test_a_record_that_is_another_games_is_not_overwritten(tmp_path: Path) -> None:
    """Status 2, and the file stays as it was."""
    record = tmp_path / "notes.txt"
    record.write_text("mine")
    done = run(
        "host",
        *ALONE,
        "--auto",
        "easy",
        "--bots",
        "1",
        "--players",
        "2",
        "--record",
        str(record),
        P2PDICE_STATE=str(tmp_path),
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert record.read_text() == "mine"


@pytest.mark.smoke
def test_two_processes_play_a_game(tmp_path: Path) -> None:
    """One hosts, one joins by the line that the host printed; both see the same end and keep the same game."""
    with subprocess.Popen(
        [sys.executable, "-m", "p2pdice", "host", *ALONE, "--json", "--auto", "easy", "--players", "2",
         "--set", "starting_dice=2", "--record", str(tmp_path / "host.p2pdice")],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, encoding="utf-8",
        env={**os.environ, "P2PDICE_STATE": str(tmp_path / "host")},
    ) as host:
        assert host.stdout is not None
        port = json.loads(host.stdout.readline())["port"]
        joined = run(
            "join", f"127.0.0.1:{port}", "--no-mdns", "--bind", "127.0.0.1", "--name", "Beto", "--json", "--auto",
            "hard", "--record", str(tmp_path / "join.p2pdice"), P2PDICE_STATE=str(tmp_path / "join"),
        )
        if joined.returncode:
            host.kill()  # nobody else comes
        told = [json.loads(line) for line in host.stdout]
        assert host.wait(60) == joined.returncode == 0, joined.stderr
    last = json.loads(joined.stdout.splitlines()[-1])
    assert (last["event"], last["reason"]) == ("closed", "won")
    assert last["winners"] == told[-1]["winners"]
    assert (tmp_path / "host.p2pdice").read_bytes() == (tmp_path / "join.p2pdice").read_bytes()
