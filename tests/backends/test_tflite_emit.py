"""TFLite as it is written: LiteRT's integers for files that are read and written again."""

from __future__ import annotations

import pytest

from tests.frontends.test_tflite_operators import JUDGES, every_case

pytestmark = pytest.mark.litert


@every_case
def test_litert_gives_the_same_integers_for_what_is_written_again(family: str, name: str) -> None:
    JUDGES[family].check_written(name)
