"""MkDocs' hooks: pages that are made from code or stand at the repository's root, and links between all of them."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from reference import pages

ROOT = Path(__file__).parents[2]
ROOT_PAGES = {
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "CHANGELOG.md": "project/changelog.md",
    "fixtures/README.md": "project/fixtures.md",
    "README.md": "index.md",
    "fixtures": "fixtures.zip",
}
"""What stands outside of docs/, by its path in the repository, and where the site has it."""
SAMPLES = {".onnx", ".npz", ".tflite"}
"""The suffixes of the models and samples in fixtures/, which readers download as one file."""

_SOURCES = {site: source for source, site in ROOT_PAGES.items() if site.startswith("project/")}
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages at the repository's root, and those that are made from code."""
    for site, content in ({site: (ROOT / source).read_text() for site, source in _SOURCES.items()} | pages()).items():
        files.append(File.generated(config, site, content=content))
    files.append(File.generated(config, "fixtures.zip", content=fixtures()))
    return files


def fixtures() -> bytes:
    """Return the folder fixtures/ as a zip file, without the scripts; the same files give the same bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in (ROOT / "fixtures").rglob("*") if path.suffix in SAMPLES):
            archive.writestr(zipfile.ZipInfo(path.relative_to(ROOT).as_posix()), path.read_bytes())
    return file.getvalue()


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links lead to where the site has a page; a file that the site lacks is named by its path."""
    site = page.file.src_uri
    source = _SOURCES.get(site, f"docs/{site}")

    def led(link: re.Match[str]) -> str:
        text, target, anchor = link[1], link[2], link[3] or ""
        if ":" in target:
            return link[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        there = ROOT_PAGES.get(path, path.removeprefix("docs/") if path.startswith("docs/") else None)
        if there is None:
            return text if text.strip("`") == path else f"{text} (`{path}`)"
        return f"[{text}]({posixpath.relpath(there, posixpath.dirname(site) or '.')}{anchor})"

    return _LINK.sub(led, markdown)
