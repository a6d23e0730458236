"""A worker guided by coverage, with atheris: ``python -m fuzz.guided TARGET FOLDER SEED CASES SECONDS``.

Files that reach new code are kept in ``FOLDER/corpus/TARGET`` and mutated further.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import random
import sys
from pathlib import Path

import atheris


def _import_instrumented() -> None:
    """Import all of qconvert with coverage counters, except the engines' workers, which import runtimes."""
    with atheris.instrument_imports(include=["qconvert"]):
        package = importlib.import_module("qconvert")
        for found in pkgutil.walk_packages(package.__path__, "qconvert."):
            if not found.name.startswith(("qconvert.engines.workers.", "qconvert.__main__")):
                importlib.import_module(found.name)


def main() -> None:
    """Run the given number of cases, then end the process."""
    _import_instrumented()
    from fuzz.session import Session  # these import qconvert, which must have its counters by then
    from fuzz.targets import TARGETS

    name, folder, seed, cases, seconds = sys.argv[1:]
    session = Session(TARGETS[name], Path(folder))
    corpus = Path(folder) / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    files = [path.read_bytes() for path in session.seeds]

    def mutate(data: bytes, max_size: int, number: int) -> bytes:
        rng = random.Random(number)
        if not rng.randrange(20):
            return bytes(atheris.Mutate(data, max_size))
        return session.target.mutate(rng, data, rng.choice(files))[:max_size]

    def run(data: bytes) -> None:
        session.run(data)
        if session.is_done(int(cases), float(seconds)):
            session.report()
            os._exit(0)  # libFuzzer would end the process without its exit handlers as well

    # libFuzzer's own limits would end the process: the session has limits for each case
    limits = ["-timeout=0", "-handle_alrm=0", "-rss_limit_mb=0", "-malloc_limit_mb=0", "-max_len=100000"]
    quiet = ["-print_pcs=0", "-print_final_stats=0", "-verbosity=0"]
    folders = [str(corpus), str(session.seeds[0].parent)]
    atheris.Setup([sys.argv[0], f"-seed={seed}", *limits, *quiet, *folders], run, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
