"""Folders that tests read: the repository, its fixtures, and models that are not part of the repository."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
MLP = FIXTURES / "digits_mlp_int8.onnx"
IMAGES = FIXTURES / "digits_test.npz"
SHARED_MODELS = ROOT.parent / "shared" / "models"
