"""The notebook runs as it is, from the first cell to the last, in a kernel of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

NOTEBOOK = ROOT / "docs" / "pytorch_to_npu.ipynb"


@pytest.mark.slow
@pytest.mark.tosa
@pytest.mark.npu
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of jupyter's own parts
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
    from nbclient import NotebookClient

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]))
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    monkeypatch.setattr(KernelSpecManager, "get_kernel_spec", lambda *_: KernelSpec(argv=command, language="python"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not [cell for cell in notebook.cells if cell.get("outputs")], "the file holds no outputs"
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(NOTEBOOK.parent)}})
    client.execute()
    shown = [str(output) for cell in notebook.cells for output in cell.get("outputs", ())]
    texts = [output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", ())]
    assert "float 97.78%, quantized 97.50%\n" in texts
    assert any("runs wholly on ethos-u55-128" in text for text in texts)
    assert sum("text/html" in output for output in shown) == 2, "the model and the report show themselves"
