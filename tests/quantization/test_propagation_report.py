"""What propagation refuses, and what it says of what stays float or is not as it was asked for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from xdsl.dialects.builtin import f32

from qconvert.dialects.quant_region import PortSpec
from qconvert.ir.quant import UniformQuantizedType
from qconvert.quantization.ports import Port, Ports
from qconvert.quantization.propagation import propagate
from qconvert.quantization.rules import free_scale
from qconvert.quantization.signature import Signature, input_port, output_port
from qconvert.quantization.target import Fallback, Kernel, Target
from qconvert.quantization.targets import find
from qconvert.support.errors import ConversionError, UsageError
from tests.support.propagation import (
    DENSE,
    I16,
    JOIN,
    LOGISTIC,
    NONE,
    PORT,
    RANGES,
    SIGNATURE,
    SWISH,
    TFLITE,
    UI8,
    annotated,
    between,
    chain,
    fused,
    run,
    specs_of,
    stored_as,
    uniform,
)


def _twice(ports: Ports) -> list[Port]:
    (x,) = ports.inputs
    return [*x.set(x.uniform(1.0)), *x.set(x.uniform(2.0))]


def _beyond(ports: Ports) -> list[Port]:
    (x,) = ports.inputs
    return x.set(UniformQuantizedType.per_tensor(I16, 1.0))


def test_an_annotation_the_kernel_cannot_have_is_reported() -> None:
    report, specs = run(chain(LOGISTIC, SWISH), {"x": between(-1.0, 1.0), "n0": uniform(0.5), "n1": between(0.0, 1.0)})
    (overridden,) = report.overridden
    assert (overridden.site.node, overridden.asked, overridden.used) == ("n0", uniform(0.5), uniform(1 / 256, -128))
    assert [rescale.site.node for rescale in report.rescales] == ["n1"]
    assert specs["hard_swish"][0] == [uniform(0.5)]


def test_what_has_no_range_is_reported_port_by_port() -> None:
    report, specs = run(chain(SWISH, LOGISTIC), {})
    assert not report.fully_quantized
    assert [(entry.node, entry.port) for entry in report.unquantized] == [
        ("n0", input_port(0)),
        ("n0", output_port(0)),
        ("n1", input_port(0)),
    ]
    assert "calibrate or annotate" in str(report)
    assert specs["logistic"] == ([f32], [uniform(1 / 256, -128)])


def test_ops_in_no_kernel_are_reported() -> None:
    text = (
        chain(SWISH, "stablehlo.is_finite")
        .replace(
            "%1 = stablehlo.is_finite %0 : tensor<2x4xf32>",
            "%p = stablehlo.is_finite %0 : (tensor<2x4xf32>) -> tensor<2x4xi1>",
        )
        .replace("return %1", "return %0")
    )
    report, _ = run(text, {"x": between(-1.0, 1.0), "n0": between(0.0, 1.0)})
    assert [(entry.kernel, entry.reason) for entry in report.unquantized] == [
        ("stablehlo.is_finite", "it is in no kernel")
    ]


def test_kernels_stay_float_where_the_model_says_so() -> None:
    ranges: dict[str, PortSpec] = {name: between(-1.0, 1.0) for name in ("x", "n0", "n1", "n2")}
    report, specs = run(chain(SWISH, LOGISTIC, SWISH), ranges | {"n2": NONE})
    assert [(entry.node, entry.reason) for entry in report.unquantized] == [
        ("n2", "output 0 is annotated to stay float")
    ]
    assert specs["hard_swish2"] == ([f32], [NONE])
    report, specs = run(chain(SWISH, LOGISTIC, SWISH), ranges, excluded=["n1"])
    assert [(entry.node, entry.reason) for entry in report.unquantized] == [("n1", "it is excluded")]
    assert specs["logistic"] == ([f32], [f32])
    assert specs["hard_swish2"][0] == specs["hard_swish"][1] == [uniform(float(np.float32(2 / 255)), -1)]


def test_an_unknown_kernel_is_an_error_or_stays_float() -> None:
    text = chain(SWISH, "stablehlo.cbrt", SWISH)
    ranges = {name: between(-1.0, 1.0) for name in ("x", "n0", "n1", "n2")}
    with pytest.raises(ConversionError, match=r"node 'n1'.*tflite-int8 has no kernel 'cbrt'.*--fallback float"):
        run(text, ranges)
    report, specs = run(text, ranges, replace(TFLITE, fallback=Fallback.FLOAT))
    assert [(entry.node, entry.kernel) for entry in report.unquantized] == [("n1", "cbrt")]
    assert specs["cbrt"] == ([f32], [f32])


def test_errors() -> None:
    cases: list[tuple[str, dict[str, PortSpec], Target, str]] = [
        (
            chain(SWISH),
            {"x": stored_as(I16)},
            TFLITE,
            r"node 'n0'.*i16 at input 0, which is annotated.*hard_swish\(i8\) -> \(i8\)",
        ),
        (
            chain(SWISH),
            {},
            Target("t", (Kernel("hard_swish", Signature((PORT, PORT), (PORT,)), free_scale),)),
            "has 1 inputs and 1 outputs here",
        ),
        (
            chain(SWISH),
            {},
            Target("t", (Kernel("hard_swish", SIGNATURE, _twice),)),
            r"node 'n0'.*the rule sets .*2.0> for input 0, which already has .*1.0>",
        ),
        (
            chain(SWISH),
            {},
            Target("t", (Kernel("hard_swish", SIGNATURE, _beyond),)),
            "does not accept it: its storage is i16, not i8",
        ),
        (
            DENSE.replace("1.0e-12, 1.0]", "0x7FC00000, 1.0]"),
            {"x": between(0.0, 1.0)},
            TFLITE,
            "constant at input 1 has elements that are not finite",
        ),
    ]
    for text, specs, target, message in cases:
        with pytest.raises(ConversionError, match=message):
            run(text, specs, target)


def test_contradictions_between_coupled_values() -> None:
    cases: list[tuple[dict[str, PortSpec], str]] = [
        ({"left": uniform(0.5), "right": uniform(0.25)}, "coupled values are annotated .*0.5> and .*0.25>"),
        (
            {"left": uniform(0.5), "right": stored_as(I16)},
            "coupled values are annotated .*0.5> and to have at least 16",
        ),
        ({"left": NONE, "right": uniform(0.5)}, "one of the coupled values is annotated to stay float"),
    ]
    for specs, message in cases:
        with pytest.raises(ConversionError, match=message):
            run(JOIN, specs, coupled={"left": 0, "right": 0})


def test_a_node_to_exclude_that_is_not_there() -> None:
    with pytest.raises(UsageError, match=r"no node 'n7' to exclude; it has n0, n1"):
        run(chain(SWISH, LOGISTIC), {}, excluded=["n7"])


def test_the_report_as_plain_values() -> None:
    report, _ = run(JOIN, RANGES)
    found = report.to_json()
    assert (found["target"], found["kernels"], found["fully_quantized"]) == ("tflite-int8", 3, True)
    assert found["rescales"][0]["site"] == {"node": "join", "kernel": "concatenate", "port": "input 1"}
    assert str(report).splitlines()[0] == "3 kernels for tflite-int8: fully quantized, 1 rescale at ports"


def test_a_kernel_that_is_to_stay_float_loses_what_it_was_to_be_quantized_as() -> None:
    module = fused(chain(SWISH, LOGISTIC))
    ranges = {"x": between(-1.0, 1.0), "n0": between(0.0, 1.0)}
    assert propagate(module, TFLITE, annotated(module, ranges)).fully_quantized
    propagate(module, TFLITE, annotated(module, ranges), excluded=["n0"])
    assert specs_of(module)["hard_swish"] == ([f32], [f32])
    assert specs_of(module)["logistic"][1] == [uniform(1 / 256, -128)]


def test_parameters_of_another_width_say_what_range_there_is() -> None:
    specs = {"x": uniform(0.5, 131, UI8), "n0": uniform(0.25, -28)}
    report, found = run(chain(SWISH), specs, find("tosa-int16"))
    assert report.fully_quantized
    assert found["hard_swish"][0] == [uniform(float(np.float32(0.5 * 131 / 32768)), 0, I16)]
    assert found["hard_swish"][1] == [uniform(float(np.float32(0.25 * (127 + 28) / 32767)), 0, I16)]
    assert [(entry.site.port, entry.asked) for entry in report.overridden] == [
        (input_port(0), specs["x"]),
        (output_port(0), specs["n0"]),
    ]
