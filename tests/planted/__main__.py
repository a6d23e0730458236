"""Plants faults in files, and prints what each command says of them.

``python -m tests.planted [--kind K ..] [--model M ..] [--format F ..] [--command C ..] [--why]``
"""

from __future__ import annotations

import argparse
import logging
import tempfile
import time
from collections import Counter
from pathlib import Path

from qconvert.engines import child
from qconvert.support.errors import EngineError
from tests.planted.kinds import Kind, NoPlaceError
from tests.planted.models import MODELS
from tests.planted.table import FAULTS, Written
from tests.planted.verdicts import COMMANDS, Outcome, Said, outcome
from tests.support.warm_engines import WarmChild, end_all


def main() -> None:
    """Print a row for each fault, and the sums."""
    asked = _asked()
    chosen = [
        fault
        for fault in FAULTS
        if fault.kind.name.lower() in asked.kind and fault.model in asked.model and fault.written in asked.format
    ]
    found: list[Outcome] = []
    print(" | ".join(["fault", *asked.command, "seconds"]))
    child.Child = WarmChild  # type: ignore[misc]  # engines' processes serve all files
    with tempfile.TemporaryDirectory() as folder:
        for fault in chosen:
            start = time.monotonic()
            try:
                made = outcome(fault, Path(folder), asked.command)
            except (NoPlaceError, EngineError) as error:
                print(f"{fault} | NOT PLANTED: {error}", flush=True)
                continue
            found.append(made)
            cells = [str(verdict) for verdict in made.verdicts.values()] if made.counts else ["DOES NOT COUNT"]
            print(" | ".join([str(fault), *cells, f"{time.monotonic() - start:.1f}"]), flush=True)
            if asked.why:
                for command, verdict in made.verdicts.items():
                    print(f"    {command}: {verdict.sentence}", flush=True)
    end_all()
    _print_sums(found, asked.command)


def _print_sums(found: list[Outcome], commands: list[str]) -> None:
    counted = [each for each in found if each.counts]
    print(f"{len(counted)} of {len(found)} planted faults count, of {len({each.fault.kind for each in counted})} kinds")
    for command in commands:
        said = Counter(each.verdicts[command].said for each in counted)
        print(f"{command}: " + ", ".join(f"{said[each]} {each}" for each in Said))


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.planted", description=(__doc__ or "").partition("\n")[0])
    kinds = [kind.name.lower() for kind in Kind]
    parser.add_argument("--kind", nargs="+", choices=kinds, default=kinds)
    parser.add_argument("--model", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--format", nargs="+", choices=list(map(str, Written)), default=list(Written))
    parser.add_argument("--command", nargs="+", choices=list(COMMANDS), default=list(COMMANDS))
    parser.add_argument("--why", action="store_true", help="print the sentences, too")
    return parser.parse_args()


if __name__ == "__main__":
    logging.disable()  # onnxruntime's quantizer warns of axes
    main()
