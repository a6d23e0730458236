"""``python -m qconvert``, and the command ``qconvert``."""

from __future__ import annotations

from qconvert.cli import main

if __name__ == "__main__":
    main()
