"""ONNX's own node tests whose operators we import, and those that are refused or computed otherwise.

Source: onnx.backend.test, which carries the data in files; from onnx 1.23 on it makes them in memory. Inputs that
must be known at conversion (shapes, axes, scales) and inputs without elements become initializers.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import ModelProto, TensorProto, ValueInfoProto, numpy_helper
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests
from xdsl.dialects.builtin import ModuleOp

from qconvert.frontends.onnx.context import OPERATORS
from qconvert.frontends.onnx.importer import import_model
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError

Array = npt.NDArray[Any]

REFUSED: tuple[tuple[str, str], ...] = (
    # Types that the IR has no arithmetic for.
    (r"cast(like)?_e8m0_FLOAT(16)?_to_FLOAT8E8M0(_expanded)?", "a conversion to f8E8M0FNU is not supported"),
    (r"equal_string(_broadcast)?", "elements of type STRING are not supported"),
    (r"identity_(opt|sequence)", "is not a tensor"),
    # What depends on training, or on chance.
    (r"batchnorm_\w+_training_mode", "BatchNormalization in training mode"),
    (r"training_dropout(_default)?(_mask)?", "Dropout in training mode drops at random"),
    # Outputs and modes that inference of quantized networks does not use.
    (
        r"layer_normalization_(?!.*expanded)\w+",
        "'(Mean|InvStdDev)' is used, an output of LayerNormalization that",
    ),
    (r"maxpool_with_argmax_2d_precomputed_(pads|strides)", "'z' is used, an output of MaxPool that is not supported"),
    (r"resize_\w+(antialias|exclude_outside)\w*", "antialias and exclude_outside are not supported"),
    (r"resize_tf_crop_and_resize\w*", "coordinate_transformation_mode 'tf_crop_and_resize' is not supported"),
    (r"resize_(?!.*(antialias|exclude_outside))\w+cubic\w*", "the mode 'cubic' is not supported"),
    (r"convtranspose_output_shape", "the output size 10 is more than the 9 elements of the full result"),
    # Opsets before 7.
    (r"not_[234]d", "opset 1 is not supported"),
)
"""Patterns of names, and what the refusal says."""

_WRAPPED = frozenset(f"qlinearmatmul_{rank}_int8_{scale}" for rank in ("2D", "3D") for scale in ("float16", "float32"))
"""Before onnx 1.23, its reference lets sums beyond int8 wrap; QLinearMatMul saturates, as onnxruntime does."""

DIFFERENT: frozenset[str] = frozenset(
    {
        # ONNX's reference aligns corners by the size times the scale; we take the rounded size, as onnxruntime does.
        "resize_downsample_scales_linear_align_corners",
        # Sums of half-precision numbers: some elements are one step away, which is more than the tolerance.
        "attention_4d_fp16_expanded",
        "attention_4d_gqa_with_past_and_present_fp16_expanded",
    }
) | (_WRAPPED if tuple(map(int, onnx.__version__.split(".")[:2])) < (1, 23) else frozenset())
"""Tests whose expected values we do not give."""


@dataclass(frozen=True)
class NodeTest:
    """A test's model, data and tolerances."""

    case: TestCase

    @property
    def name(self) -> str:
        """The name without its prefix."""
        return str(self.case.name).removeprefix("test_")

    @cached_property
    def model(self) -> ModelProto:
        """The model, parsed once."""
        if self.case.model is not None:
            return self.case.model
        return ModelProto.FromString(Path(self.case.model_dir, "model.onnx").read_bytes())

    def is_ours(self) -> bool:
        """Return true where we import all of its operators."""
        known = {(key.domain, key.op_type) for key in OPERATORS}
        known |= {(function.domain, function.name) for function in self.model.functions}
        return all((node.domain.removeprefix("ai.onnx"), node.op_type) in known for node in self.model.graph.node)

    def tensor(self, kind: str, index: int, value: ValueInfoProto) -> TensorProto:
        """Return an input or output of the first data set."""
        if not value.type.HasField("tensor_type"):
            raise ConversionError(f"'{value.name}' is not a tensor")
        if self.case.data_sets is None:
            data = Path(self.case.model_dir, "test_data_set_0", f"{kind}_{index}.pb").read_bytes()
            return TensorProto.FromString(data)
        given = self.case.data_sets[0][kind == "output"][index]
        return given if isinstance(given, TensorProto) else numpy_helper.from_array(np.asarray(given))


def all_tests() -> list[NodeTest]:
    """Return the node tests whose operators we import."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # onnx computes the expected outputs, infinities among them
        cases = load_model_tests(kind="node")
    return [test for test in map(NodeTest, cases) if test.is_ours()]


TESTS = all_tests()


def elements(proto: TensorProto) -> Array:
    """Return an array as the interpreter stores it: an element narrower than 8 bits takes a byte."""
    array = numpy_helper.to_array(proto)
    match = re.fullmatch(r"(u?int)[24]", array.dtype.name)
    return array.astype(f"{match[1]}8") if match else array


def as_initializers(model: ModelProto, known: dict[str, TensorProto]) -> ModelProto:
    """Return the model with some of its inputs turned into initializers."""
    made = ModelProto()
    made.CopyFrom(model)
    kept = [value for value in made.graph.input if value.name not in known]
    del made.graph.input[:]
    made.graph.input.extend(kept)
    for name, proto in known.items():
        added = made.graph.initializer.add()
        added.CopyFrom(proto)
        added.name = name
    return made


def read(test: NodeTest) -> tuple[ModuleOp, dict[str, TensorProto]]:
    """Return the module and its inputs; an input that the importer must know becomes an initializer."""
    inputs = {v.name: test.tensor("input", i, v) for i, v in enumerate(test.model.graph.input)}
    known = {name: proto for name, proto in inputs.items() if 0 in proto.dims}
    names = list(inputs)
    while True:
        try:
            module = import_model(Content.of(as_initializers(test.model, known).SerializeToString())).module
        except ConversionError as error:
            asked = re.search(r"\(input \d+, '(.*)'\) is computed at run time", error.found)
            if asked is None or len(known) == len(inputs) or asked[1] in known:
                raise
            wanted = [asked[1]] if asked[1] in inputs else names[1:] if set(names[1:]) - set(known) else names
            known |= {name: inputs[name] for name in wanted}
            continue
        module.verify()
        return module, {name: proto for name, proto in inputs.items() if name not in known}


def compare(test: NodeTest, outputs: Sequence[Array]) -> None:
    """Raise AssertionError where an output differs from the expected one."""
    expected = [elements(test.tensor("output", i, v)) for i, v in enumerate(test.model.graph.output)]
    for found, wanted in zip(outputs, expected, strict=True):
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
        if found.dtype.kind in "biu":
            np.testing.assert_array_equal(found, wanted)
        else:
            wide = [array.astype(np.float64) for array in (found, wanted)]
            np.testing.assert_allclose(*wide, rtol=test.case.rtol, atol=test.case.atol)


def refusal(name: str) -> str | None:
    """Return the text of a listed test's refusal, None for a test that is not listed."""
    return next((text for pattern, text in REFUSED if re.fullmatch(pattern, name)), None)
