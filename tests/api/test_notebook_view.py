"""Models as notebooks show them."""

from __future__ import annotations

from qconvert import load
from tests.support.paths import FIXTURES


def test_a_model_shows_its_ports_and_operators() -> None:
    shown = load(FIXTURES / "float" / "digits_cnn.onnx")._repr_html_()
    assert "<td>input</td><td>image</td><td><code>tensor&lt;1x1x8x8xf32&gt;</code></td>" in shown
    assert "<td>output</td><td>logits</td><td><code>tensor&lt;1x10xf32&gt;</code></td>" in shown
    assert "4 Conv, 3 Relu, " in shown


def test_names_are_escaped() -> None:
    text = b"""func.func @main(%x: tensor<4xf32> {tosa.tensor_name = "<script>alert(1)</script>"})
        -> (tensor<4xf32> {tosa.tensor_name = "y"}) {
      %0 = stablehlo.abs %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    model = load(text)
    assert model.input_names == ("<script>alert(1)</script>",)
    assert "<script>" not in model._repr_html_()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in model._repr_html_()
    assert "1 stablehlo.abs, 1 func.return" in model._repr_html_()
