"""Cycles on Arm's Ethos-U: the .tflite file that Vela compiles itself beside the TOSA that qconvert makes of it.

``python -m benchmarks.npu [MODELS…]`` takes .tflite and .onnx files; without any it takes all shared models, and a
MobileNet-v2 that is made. ``--own-forms`` converts for each NPU instead of all NPUs. ``--peer`` adds a column with the
TOSA that Arm's tosa-converter-for-tflite makes (``benchmarks/tflite_to_tosa.py`` finds it). Cycles are Vela's
estimates. A .tflite file of which Vela leaves operators to the CPU has no ratio, because they are not in its cycles.
"""

from __future__ import annotations

import argparse
import csv
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

from rich.console import Console
from rich.table import Table

from benchmarks.measure import ROOT, SHARED
from benchmarks.tflite_to_tosa import Peer, find_peer, sized
from qconvert import Format, convert, load
from qconvert.api.saving import save
from qconvert.backends.ethos_u.accelerator import find_npu
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.support.errors import ConversionError

CONFIGURATIONS = ("ethos-u85-256", "ethos-u55-128")
REASON = 44
"""The largest number of characters that are printed of a reason."""
VELA = Path(sys.executable).with_name("vela")


@dataclass(frozen=True)
class Cycles:
    """Vela's estimates for one inference, and the number of operators that it leaves to the CPU."""

    npu: int
    total: int
    cpu_operators: int

    def __str__(self) -> str:
        left = f" ({self.cpu_operators} on the CPU)" if self.cpu_operators else ""
        return f"{self.npu} / {self.total}{left}"


@dataclass(frozen=True)
class Measured:
    """One model on one configuration; cycles that could not be had are the reason why, and ``None`` if not asked."""

    model: str
    configuration: str
    native: Cycles | str | None
    ours: Cycles | str
    peer: Cycles | str | None = None

    @property
    def ratios(self) -> tuple[float, float] | None:
        """Our cycles over the native route's, of the NPU and in all, where both run wholly on the NPU."""
        if not isinstance(self.native, Cycles) or not isinstance(self.ours, Cycles):
            return None
        whole = not self.native.cpu_operators and not self.ours.cpu_operators and self.native.npu
        return (self.ours.npu / self.native.npu, self.ours.total / self.native.total) if whole else None


def compiled(model: Path, configuration: str, folder: Path) -> Cycles | str:
    """Compile a file by Vela; return the cycles, or the start of the last line that Vela prints."""
    out = folder / f"{model.name}.{configuration}"
    command = [str(VELA), str(model), "--accelerator-config", configuration, "--output-dir", str(out)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    summaries = list(out.glob("*summary*.csv"))
    if done.returncode or not summaries:
        return (done.stderr.strip() or done.stdout.strip()).splitlines()[-1].strip()[:REASON]
    with summaries[0].open(newline="") as file:
        row = next(csv.DictReader(file))
    left = re.search(r"CPU operators = (\d+)", done.stdout)
    return Cycles(int(float(row["cycles_npu"])), int(float(row["cycles_total"])), int(left[1]) if left else 0)


def converted(model: Path, npu: str, folder: Path) -> Path | str:
    """Write a model's integers as TOSA; return the file, or the reason why there is none."""
    options = TosaOptions(Profile.INT, npu=find_npu(npu))
    out = folder / f"{model.stem}.{npu}.tosa"
    try:
        save(convert(load(model), Format.TOSA, options), out)
    except ConversionError as error:
        return str(error).removeprefix(f"{model}: ")[:REASON]
    return out


def converted_by_peer(model: Path, peer: Peer, folder: Path) -> Path | str:
    """Let Arm's converter write a model as TOSA; return the file, or the start of the last line that it prints."""
    made = folder / "peer"
    made.mkdir(exist_ok=True)
    out = made / f"{model.stem}.tosa"
    command = peer.flatbuffer(sized(model, made), made / f"{model.stem}.mlir", out)
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        return (done.stderr.strip() or "not converted").splitlines()[-1].strip()[:REASON]
    return out


def measured(
    models: Iterable[Path], folder: Path, *, own_forms: bool = False, peer: Peer | None = None
) -> Iterator[Measured]:
    """Measure each model on each configuration."""
    for model in models:
        theirs = converted_by_peer(model, peer, folder) if peer and model.suffix == ".tflite" else None
        for configuration in CONFIGURATIONS:
            native = compiled(model, configuration, folder) if model.suffix == ".tflite" else None
            tosa = converted(model, configuration if own_forms else "ethos-u", folder)
            ours = tosa if isinstance(tosa, str) else compiled(tosa, configuration, folder)
            other = compiled(theirs, configuration, folder / "peer") if isinstance(theirs, Path) else theirs
            yield Measured(model.stem, configuration, native, ours, other)


def table(rows: Sequence[Measured]) -> Table:
    """Return a line for each model and configuration, and the geometric means of the ratios below."""
    made = Table("model", "configuration", "native npu / total", "qconvert npu / total", "npu", "total", box=None)
    peers = [[] if row.peer is None else [str(row.peer)] for row in rows]
    if any(peers):
        made.add_column("peer npu / total")
    for row, peer in zip(rows, peers, strict=True):
        ratios = ["-", "-"] if row.ratios is None else [f"{ratio:.3f}" for ratio in row.ratios]
        made.add_row(row.model, row.configuration, str(row.native or "-"), str(row.ours), *ratios, *peer)
    for configuration in CONFIGURATIONS:
        found = [row.ratios for row in rows if row.configuration == configuration and row.ratios is not None]
        if found:
            means = [f"{geometric_mean(column):.3f}" for column in zip(*found, strict=True)]
            made.add_row(f"geometric mean of {len(found)}", configuration, "", "", *means)
    return made


def default_models(folder: Path) -> list[Path]:
    """Return the shared models and MobileNet-v2, as TFLite's converter and as exports from PyTorch have it."""
    made = [folder / "mobilenet_v2.tflite", folder / "mobilenet_v2_pads.tflite"]
    for model, options in zip(made, ([], ["--pads"]), strict=True):
        subprocess.run([sys.executable, str(ROOT / "fixtures" / "make_mobilenet.py"), str(model), *options], check=True)
    return [*made, *sorted((SHARED.parent / "tflite").glob("*.tflite")), *sorted(SHARED.glob("*.onnx"))]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Cycles of the native route and of qconvert's on Ethos-U.")
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL")
    parser.add_argument("--own-forms", action="store_true", help="convert for each NPU instead of all NPUs")
    parser.add_argument("--peer", action="store_true", help="measure the TOSA of Arm's converter, too")
    given = parser.parse_args()
    peer = find_peer() if given.peer else None
    if given.peer and (peer is None or peer.tosa_opt is None):
        parser.error("--peer needs tosa-converter-for-tflite and tosa-tools")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = list(measured(given.models or default_models(folder), folder, own_forms=given.own_forms, peer=peer))
    Console(width=200).print(table(rows))


if __name__ == "__main__":
    main()
