"""TFLite to TOSA beside Arm's tosa-converter-for-tflite: the command to text and to a flatbuffer, and in process.

The converter is no dependency: it is looked for on the path, or where ``TOSA_CONVERTER_FOR_TFLITE`` says (its command,
``bin/tosa-converter-for-tflite`` of whatever environment has it). ``python -m benchmarks.tflite_to_tosa`` measures this
alone. Both sides' flatbuffers are validated strictly by tosa-opt.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import tflite

from benchmarks.measure import ROOT, SHARED, Cost, Row, cheapest, module_command, print_rows
from qconvert.dialects.tosa.target import Target
from qconvert.engines.tosa_opt import serializing

MODELS = SHARED.parent / "tflite"
PEER = "tosa-converter-for-tflite"
TIMES = 5
ROUNDS = 3


@dataclass(frozen=True)
class Peer:
    """The converter's command and, where tosa-tools are installed, the program that makes flatbuffers of its text."""

    command: str
    tosa_opt: str | None

    def text(self, model: Path, out: Path) -> list[str]:
        """Convert to text."""
        return [self.command, str(model), "--text", "-o", str(out)]

    def flatbuffer(self, model: Path, text: Path, out: Path) -> list[str]:
        """Convert to text, then validate and serialize that, as ours is."""
        options = serializing(out, str(Target()))
        both = '"$0" "$1" --text -o "$2" && shift 2 && "$@" > /dev/null'
        return ["sh", "-c", both, self.command, str(model), str(text), str(self.tosa_opt), str(text), *options]


def find_peer() -> Peer | None:
    """The converter, or None where it is not installed."""
    command = os.environ.get("TOSA_CONVERTER_FOR_TFLITE") or shutil.which(PEER)
    if command is None:
        return None
    try:
        tools = metadata.distribution("tosa-tools")
    except metadata.PackageNotFoundError:
        return Peer(command, None)
    return Peer(command, str(tools.locate_file("bin/tosa-opt")))


def tflite_rows(folder: Path) -> list[Row]:
    """Three rows for every model that is present, and for a MobileNet-v2 that is made."""
    mobilenet = folder / "mobilenet_v2.tflite"
    subprocess.run([sys.executable, str(ROOT / "fixtures" / "make_mobilenet.py"), str(mobilenet)], check=True)
    peer = find_peer()
    models = (mobilenet, *(sized(model, folder) for model in sorted(MODELS.glob("*.tflite"))))
    return [row for model in models for row in _model_rows(model, folder, peer)]


def sized(model: Path, folder: Path) -> Path:
    """Return a copy of a model in which unknown sizes are 1, without which the peer's text is no valid TOSA."""
    content = bytearray(model.read_bytes())
    root = tflite.Model.GetRootAs(content)
    for graph in map(root.Subgraphs, range(root.SubgraphsLength())):
        for tensor in map(graph.Tensors, range(graph.TensorsLength())):
            sizes = tensor.ShapeSignatureAsNumpy()
            if not isinstance(sizes, int):  # what the bindings give for none
                sizes[sizes == -1] = 1
    sized = folder / model.name
    sized.write_bytes(content)
    return sized


def _model_rows(model: Path, folder: Path, peer: Peer | None) -> list[Row]:
    text, flatbuffer, theirs = folder / "ours.tosa.mlir", folder / "ours.tosa", folder / "theirs"
    rows = [
        _row(
            f"{model.stem} to TOSA text",
            module_command("qconvert", "convert", str(model), "-o", str(text)),
            None if peer is None else peer.text(model, theirs),
            PEER,
        )
    ]
    if peer is None or peer.tosa_opt is not None:
        rows.append(
            _row(
                f"{model.stem} to a flatbuffer",
                module_command("qconvert", "convert", str(model), "-o", str(flatbuffer)),
                None if peer is None else peer.flatbuffer(model, theirs, folder / "theirs.tosa"),
                f"{PEER}, tosa-opt",
            )
        )
    return [*rows, _in_process_row(model, folder, peer)]


def _row(what: str, ours: list[str], theirs: list[str] | None, peer: str) -> Row:
    """Both sides in turn, so that what else the machine does strikes both."""
    if theirs is not None and subprocess.run(theirs, check=False, capture_output=True).returncode:
        return Row(what, cheapest([ours], TIMES)[0].wall, f"{peer}: fails", None)
    costs = cheapest([ours] if theirs is None else [ours, theirs], TIMES)
    return Row.of_costs(what, costs[0], peer, costs[1] if len(costs) > 1 else None)


def _in_process_row(model: Path, folder: Path, peer: Peer | None) -> Row:
    """The conversion to text alone, after imports and a first time."""
    script, out = str(ROOT / "benchmarks" / "in_process.py"), str(folder / "in_process")
    sides = [[*module_command("benchmarks.in_process"), "qconvert", str(model), out]]
    if peer is not None:
        sides.append([_interpreter(peer.command), script, "peer", str(model), out])
    ours, *theirs = cheapest(sides, ROUNDS, _reported)
    return Row.of_costs(f"{model.stem} in process", ours, PEER, theirs[0] if theirs else None)


def _interpreter(command: str) -> str:
    """The Python of the environment that a command belongs to."""
    return str(Path(command).with_name("python"))


def _reported(command: Sequence[str]) -> Cost:
    """The seconds that a child says it took."""
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    wall, processor = map(float, done.stdout.split()[-2:])
    return Cost(wall, processor)


def main() -> None:
    """Measure and print."""
    if find_peer() is None:
        print(f"{PEER} is not installed: nothing to compare with")
    with tempfile.TemporaryDirectory() as name:
        print_rows(tflite_rows(Path(name)))


if __name__ == "__main__":
    main()
