"""What tests of pictures read from them."""

import re
from base64 import b64decode
from html.parser import HTMLParser
from xml.etree import ElementTree

import pyarrow as pa

LOGINS = pa.table(
    {
        "ts": [10, 14, 17, 22, 25, 31, 40, 60, 90],
        "kind": ["Fail", "Fail", "Fail", "Login", "Login", "Login", "Logout", "Fail", "Login"],
        "user": ["ann", "bob", "ann", "bob", "bob", "ann", "ann", "ann", "ann"],
    }
)
ROLES = {"time": "ts", "type": "kind"}
NO_END = ("br", "hr", "img", "input", "link", "meta")
STILL = re.compile(r'src="data:image/svg\+xml;base64,([^"]+)"')


def elements(svg: str, name: str) -> list[ElementTree.Element]:
    """The elements of a picture that have a class."""
    return [
        each for each in ElementTree.fromstring(svg).iter() if name in each.get("class", "").split()
    ]


def still_pictures(html: str) -> list[str]:
    """The SVG documents of the images in what a notebook shows."""
    return [b64decode(each).decode() for each in STILL.findall(html)]


def words_of(element: ElementTree.Element) -> list[str]:
    return (element.findtext("{http://www.w3.org/2000/svg}title") or "").splitlines()


class Page(HTMLParser):
    """Tags that are closed in order, texts by tag, and addresses of other places."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.addresses: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.addresses += [value for name, value in attributes if name in ("src", "href")]
        if tag not in NO_END:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)
