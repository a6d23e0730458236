"""Our table of the element types of TOSA's ops has the same verdicts as tosa-opt, and names the same extensions."""

from __future__ import annotations

import bisect
import itertools

import pytest

from qconvert.backends.tosa.target import target_of
from qconvert.backends.tosa.validity import tosa_errors
from qconvert.dialects.tosa import TOSA, ConstOp, ConstShapeOp
from qconvert.dialects.tosa.element_types import TypeTable
from qconvert.dialects.tosa.target import TargetEnvAttr
from qconvert.frontends.mlir.parsing import parse_module
from tests.support.tosa_types import ELEMENTS, FORMS, combinations, module_of_types, tosa_opt_errors

LENIENT = {
    *(("resize linearly", name, name) for name in ("i8", "i16")),
    *(("resize to nearest", *pair) for pair in (("i8", "i32"), ("i16", "i48"))),
}
"""tosa-opt takes either result for both modes of RESIZE; the specification's table has one result for each mode."""

_REFUSED_READ = 20
OPS = {op.name.removeprefix("tosa."): op for op in TOSA.operations}


def rows(name: str) -> list[tuple[str, ...]]:
    """The rows of our table for a form of an op, with uniform rows written out."""
    table, count = OPS[name.split(maxsplit=1)[0]].TYPES, len(FORMS[name].groups)  # type: ignore[attr-defined]
    listed = [row * count if len(row) == 1 else row for row in table.rows]
    wide = [row for row in listed if name != "rescale" or row[1] == "i32"]
    return [row for row in wide if name != "rescale by 16 bits" or row[1] == "i16"]


def test_every_op_has_a_table_and_a_form() -> None:
    untyped = {name for name, op in OPS.items() if not isinstance(getattr(op, "TYPES", None), TypeTable)}
    assert untyped == {ConstShapeOp.name.removeprefix("tosa.")}
    assert {name.split(maxsplit=1)[0] for name in FORMS} == OPS.keys() - untyped - {ConstOp.name.removeprefix("tosa.")}


def verdicts_of(functions: list[str]) -> list[bool]:
    """Whether each function is valid TOSA; all are one module, so that reading them is quick."""
    lines = itertools.accumulate((text.count("\n") for text in functions), initial=1)
    starts = list(lines)
    wrong = set()
    for error in tosa_errors(parse_module("".join(functions), "types.mlir")):
        assert error.file is not None
        wrong.add(bisect.bisect_right(starts, int(error.file.split(":")[1])) - 1)
    return [i not in wrong for i in range(len(functions))]


def our_verdicts(name: str, tried: list[tuple[str, ...]]) -> list[bool]:
    """Whether each op of a form is valid TOSA.

    What its table accepts is read and checked as a whole; of what it refuses, which is most, some are.
    """
    table = OPS[name.split(maxsplit=1)[0]].TYPES  # type: ignore[attr-defined]
    listed = [i for i, types in enumerate(tried) if table.extensions(types) is not None]
    refused = [i for i in range(len(tried)) if i not in set(listed)][::_REFUSED_READ]
    read = [*listed, *refused]
    verdicts = verdicts_of([module_of_types(name, tried[i], function=f"f{i}") for i in read])
    assert not any(verdicts[len(listed) :]), "the check of a module does not ask the table"
    accepted = {i for i, verdict in zip(listed, verdicts, strict=False) if verdict}
    return [i in accepted for i in range(len(tried))]


@pytest.mark.tosa
@pytest.mark.quick(12)
@pytest.mark.parametrize("name", FORMS)
def test_our_verdict_on_element_types_is_that_of_tosa_opt(name: str) -> None:
    tried = list(combinations(name, rows(name)))
    theirs = tosa_opt_errors([module_of_types(name, types) for types in tried])
    accepted = our_verdicts(name, tried)
    differing = {types for i, types in enumerate(tried) if accepted[i] is (i in theirs)}
    assert differing == {tuple(types) for form, *types in LENIENT if form == name}
    assert sum(accepted) >= 1


@pytest.mark.tosa
def test_our_verdict_on_constants_is_that_of_tosa_opt() -> None:
    texts = []
    for element in ELEMENTS:
        type = f"tensor<2x{element}>"
        values = f"dense<{'false' if element == 'i1' else '0.0' if 'f' in element else '0'}> : {type}"
        constant = f'%0 = "tosa.const"() <{{values = {values}}}> : () -> {type}'
        texts.append(f"func.func @main() -> {type} {{\n  {constant}\n  return %0 : {type}\n}}\n")
    theirs = tosa_opt_errors(texts)
    accepted = [not list(tosa_errors(parse_module(text))) for text in texts]
    assert [ELEMENTS[i] for i in range(len(texts)) if accepted[i]] == [
        element for i, element in enumerate(ELEMENTS) if i not in theirs
    ]


@pytest.mark.tosa
def test_tosa_opt_needs_exactly_the_extensions_that_we_name() -> None:
    named, lacking = [], []
    for name in FORMS:
        for types in rows(name):
            if list(tosa_errors(module := parse_module(module_of_types(name, types)))):
                continue  # a form of the op that these types do not have
            target = target_of(module)
            named.append(module_of_types(name, types, target=str_of(target.extensions, target.profiles)))
            for extension in target.extensions:
                fewer = tuple(each for each in target.extensions if each != extension)
                lacking.append(module_of_types(name, types, target=str_of(fewer, target.profiles)))
    assert tosa_opt_errors(named, None) == {}
    assert len(tosa_opt_errors(lacking, None)) == len(lacking) > 50


def str_of(extensions: tuple[str, ...], profiles: tuple[str, ...]) -> str:
    """A target_env as text; tosa-opt does not read an empty list, so it gets an extension that no type needs."""
    lists = [", ".join(names) for names in (profiles, (*extensions, "doubleround"))]
    return (
        f'#{TargetEnvAttr.name}<specification_version = "1.0", level = "8k", '
        f"profiles = [{lists[0]}], extensions = [{lists[1]}]>"
    )
