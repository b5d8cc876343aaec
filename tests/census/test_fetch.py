"""Configurations are fetched once, and what is not that of the list is not kept."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from ..proofs import digest
from . import fetch
from .census import Listed

BODY = b"CONFIG_SMP=y\n"
LIST = {
    "here": Listed(digest(BODY), "owner/name/0123/a (1)+.config"),
    "other": Listed(digest(b"another"), "owner/name/0123/a (1)+.config"),
    "gone": Listed(digest(BODY), "owner/name/0123/missing"),
    "nowhere": Listed(digest(BODY)),
}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that is served where GitHub would be, and the list of what to fetch."""
    top = tmp_path / "server"
    (top / "owner/name/0123").mkdir(parents=True)
    (top / "owner/name/0123/a (1)+.config").write_bytes(BODY)
    handler = partial(SimpleHTTPRequestHandler, directory=str(top))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        monkeypatch.setattr(fetch, "RAW", f"http://127.0.0.1:{running.server_port}")
        monkeypatch.setattr(fetch, "listed", lambda: LIST)
        yield top
        running.shutdown()


def test_what_has_an_address_and_its_digest_is_kept(
    server: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "corpus"
    fetch.main(folder)
    assert [path.name for path in folder.iterdir()] == ["here.config"]
    assert (folder / "here.config").read_bytes() == BODY
    assert capsys.readouterr().out == (
        f"1 of 4 in {folder}\nhas changed: other\ncannot be fetched: gone\n"
        "no address is known: nowhere\n"
    )


def test_what_is_there_is_not_fetched_again(server: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    fetch.main(folder)
    (folder / "here.config").write_bytes(b"mine")
    fetch.main(folder)
    assert (folder / "here.config").read_bytes() == b"mine"


def test_without_a_network_nothing_is_kept_and_nothing_fails(
    server: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "RAW", "http://127.0.0.1:9")
    fetch.main(tmp_path / "corpus")
    assert not [*(tmp_path / "corpus").iterdir()]
