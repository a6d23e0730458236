"""A worker that mutates seeds: ``python -m fuzz.worker TARGET FOLDER SEED CASES SECONDS``.

The cases follow from SEED.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from fuzz.session import Session
from fuzz.targets import TARGETS


def main() -> None:
    """Run the given number of cases."""
    name, folder, seed, cases, seconds = sys.argv[1:]
    session = Session(TARGETS[name], Path(folder))
    files = [path.read_bytes() for path in session.seeds]
    number = int(seed)
    while not session.is_done(int(cases), float(seconds)):
        rng = random.Random(number)
        session.run(session.target.mutate(rng, rng.choice(files), rng.choice(files)))
        number += 1
    session.report()


if __name__ == "__main__":
    main()
