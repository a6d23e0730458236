"""The text of HTML pages, taken apart for tests."""

from __future__ import annotations

from html.parser import HTMLParser

SCRIPT = "</script><script>document.title='run'</script><img src=x onerror=alert(1)>'\"&"
VOID = {"meta"}


class Page(HTMLParser):
    """Checks that elements nest, and collects their names, the text, and what scripts of JSON hold."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[str] = []
        self.texts: list[str] = []
        self.loaded: set[str] = set()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        self.loaded |= {name for name, _ in attrs} & {"src", "srcset", "action", "data", "xlink:href"}
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
