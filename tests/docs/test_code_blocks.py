"""Every code block of the documentation is run, in a folder that has the files which the pages name.

Commands must end as the page shows, and print what stands below them. A block with a title is written to that file.
Python runs; TOML and YAML are read. What is not run stands in ``NOT_RUN``, with the reason.
"""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.support import doc_workspace
from tests.support.doc_blocks import Block, Command, blocks
from tests.support.paths import ROOT

PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
CODE = {"console", "python", "toml", "yaml"}
NOT_RUN = {
    ("README.md", "make "): "the tests are started by make",
    ("README.md", "pip install"): "installing needs a network; make test has done it",
    ("README.md", "qconvert run stablehlo/"): "needs a checkout of StableHLO; tests/corpora runs its programs",
    ("CONTRIBUTING.md", "make "): "the tests are started by make",
    ("docs/batch.md", "dask "): "runs until it is stopped; tests/batch starts a cluster",
    ("docs/batch.md", "qconvert batch plan.toml -o results/ --scheduler"): "needs a cluster; tests/batch starts one",
    ("docs/ci.md", "pip install"): "installing needs a network; make test has done it",
    ("docs/ci.md", "podman "): "needs a container's host",
    ("docs/cli.md", "qconvert batch plan.toml -o results/ --scheduler"): "needs a cluster; tests/batch starts one",
    ("docs/index.md", "python3 -m venv"): "installing needs a network; make test has done it",
    ("docs/index.md", "pip install"): "installing needs a network; make test has done it",
    ("docs/npu.md", "pip install"): "installing needs a network; make test has done it",
    ("docs/npu.md", "torch.onnx.export"): "PyTorch is not among the versions of constraints.txt",
    ("docs/plugins.md", "pip install"): "tests/plugin installs the package and converts such a model",
    ("docs/plugins.md", "qconvert convert"): "tests/plugin installs the package and converts such a model",
    ("docs/tutorials/pytorch-qat-to-tosa.md", "import torch"): "PyTorch is not among the versions of constraints.txt",
    ("docs/weights.md", "import re\nfrom pathlib import Path\n\nimport jax"): "needs jax; test_weights_page.py runs it",
}
"""Commands and blocks that are not run, by their page and how they begin."""


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    doc_workspace.make(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_blocks(page: Path, files: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    shutil.copytree(files, folder, symlinks=True)
    wrong = [fault for block in blocks(page) for fault in faults(block, name_of(page), folder)]
    assert not wrong, "\n".join(wrong)


def faults(block: Block, page: str, folder: Path) -> list[str]:
    """Return a sentence for each part of a block that does not do what the page shows."""
    if block.title is not None:
        (folder / block.title).parent.mkdir(parents=True, exist_ok=True)
        (folder / block.title).write_text(block.text)
    elif block.language == "console":
        commands = list(block.commands())
        following = [*(command.text for command in commands[1:]), ""]
        return [
            fault
            for command, after in zip(commands, following, strict=True)
            if not is_left_out(page, command.text) and command.text != "echo $?"
            for fault in command_faults(command, folder, status_of(commands, after, command))
        ]
    elif block.language == "python" and not is_left_out(page, block.text):
        done = doc_workspace.run([sys.executable, "-c", block.text], folder)
        return [f"line {block.line}: {done.stdout}"] if done.returncode else []
    if block.language == "toml":
        tomllib.loads(block.text)
    if block.language == "yaml":
        yaml.safe_load(block.text)
    return []


def status_of(commands: list[Command], after: str, command: Command) -> int:
    """Return the exit status that the page shows: behind ``echo $?``, or that of an error."""
    if after == "echo $?":
        return int(commands[commands.index(command) + 1].output[0])
    return 2 if command.is_error else 0


def command_faults(command: Command, folder: Path, status: int) -> list[str]:
    done = doc_workspace.run(command.text, folder)
    if done.returncode != status:
        return [f"{command.text}: status {done.returncode}, not {status}: {done.stdout}"]
    if command.output and not command.printed(done.stdout):
        return [f"{command.text}: prints {done.stdout}"]
    return []


def is_left_out(page: str, text: str) -> bool:
    return any(text.startswith(start) for where, start in NOT_RUN if where == page)


def test_steps_that_a_slow_machine_shows_are_no_difference() -> None:
    command = Command("qconvert validate a.onnx", ("a.onnx as tosa", "...", "passed"))
    steps = "converting\n16 of 16 samples, about 0 s left: running the network with moved integers\n"
    assert command.printed(f"{steps}a.onnx as tosa\n1 layer\nnote: it is fast\npassed\n")
    assert not command.printed(f"{steps}a.onnx as tosa\n1 layer\nfailed\n")


def test_each_reason_is_needed() -> None:
    texts = {
        name_of(page): [text for block in blocks(page) for text in [block.text, *(c.text for c in block.commands())]]
        for page in PAGES
    }
    unneeded = [key for key in NOT_RUN if not any(text.startswith(key[1]) for text in texts.get(key[0], []))]
    assert unneeded == []


def test_blocks_have_a_language_that_is_run_or_none() -> None:
    shown = {"", "mlir", "text", "json"}
    found = {(name_of(page), block.language) for page in PAGES for block in blocks(page)}
    assert {each for each in found if each[1] not in CODE | shown} == set()


def test_fences_are_balanced() -> None:
    for page in PAGES:
        assert len(re.findall(r"^ *```", page.read_text(), re.MULTILINE)) == 2 * len(blocks(page)), page
