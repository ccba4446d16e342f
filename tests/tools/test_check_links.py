"""tools/check_links.py asks for the addresses in the documentation."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tools.check_links import addresses, broken, fault, main, pages


class Answers(BaseHTTPRequestHandler):
    """`/there` answers; `/read` only if it is read; everything else is missing."""

    def do_HEAD(self) -> None:
        self.answer(200 if self.path == "/there" else 405)

    def do_GET(self) -> None:
        self.answer(200 if self.path == "/read" else 404)

    def answer(self, code: int) -> None:
        self.send_response(code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask the server itself, also where the network is behind a proxy."""
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as http:
        thread = Thread(target=http.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("path", "said"), [("/there", None), ("/read", None), ("/missing", "404 Not Found")]
)
def test_an_address_is_asked_for_and_then_read(server: str, path: str, said: str | None) -> None:
    assert fault(server + path) == said


def test_a_server_that_does_not_answer_is_a_fault() -> None:
    assert "refused" in (fault("http://127.0.0.1:1/", 5) or "")


def test_addresses_come_from_pages_and_notebooks(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("[a](https://a.example/x#y), <https://b.example/>.")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text('`https://a.example/x`\n{"url": "http://c.example"}')
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "book.ipynb").write_text('"see http://localhost:8888"')
    found = addresses(pages(tmp_path))
    named = {each: [file.name for file in files] for each, files in found.items()}
    assert named == {
        "https://a.example/x": ["README.md", "page.md"],
        "https://b.example/": ["README.md"],
        "http://c.example": ["page.md"],
        "http://localhost:8888": ["book.ipynb"],
    }


def test_addresses_of_the_readers_machine_are_not_asked() -> None:
    assert broken({"http://localhost:1/": [], "https://…/schema.json": []}) == {}


def test_faults_are_told_with_their_page(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.check_links.NOT_ASKED", {"http://localhost": "the reader's"})
    (tmp_path / "README.md").write_text(f"{server}/missing {server}/there http://localhost:1")
    assert main(tmp_path) == 1
    assert capsys.readouterr().out == (
        f"{server}/missing: 404 Not Found\n  in README.md\n"
        "addresses asked: 2, faults: 1, not asked: 1\n  http://localhost: the reader's\n"
    )
