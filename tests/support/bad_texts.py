"""MLIR texts with one defect each, most of them one line in a function that is otherwise right."""

from __future__ import annotations

F = "tensor<2x3xf32>"
WIDE = "!quant.uniform<i32:f32, 0.5:3>"
Q = "tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>"


def function(*lines: str, arguments: str = f"%a: {F}, %q: {Q}", head: str = "") -> str:
    """A function with these lines between its first, which ends line 1, and its return."""
    body = "".join(f"  {line}\n" for line in lines)
    return f"{head}func.func @main({arguments}) {{\n{body}  return\n}}\n"


def of_type(element: str, shape: str = "2x3x") -> str:
    """A function whose argument has this element type."""
    return function(arguments=f"%a: tensor<{shape}{element}>")


def uniform(parameters: str, shape: str = "2x3x") -> str:
    """A function whose argument has this quantized type."""
    return of_type(f"!quant.uniform<{parameters}>", shape)


def returning(type: str, line: str) -> str:
    """A function of one float argument that promises a result and ends with a line."""
    return f"func.func @main(%a: {F}) -> {type} {{\n  {line}\n}}\n"


DEEP = 10_000

SYNTAX = {
    "cut in a function": f"func.func @main(%a: {F}) {{\n  %0 = stablehlo.abs %a",
    "cut in a type": "func.func @main(%a: tensor<2x3x",
    "cut in a string": 'func.func @main() attributes {name = "unfinished',
    "no closing brace": f"func.func @main(%a: {F}) {{\n  return\n",
    "one brace too many": function() + "}\n",
    "words after the module": "module {\n}\nand then\n",
    "no equals sign": function(f"%0 stablehlo.abs %a : {F}"),
    "no type": function("%0 = stablehlo.abs %a"),
    "no operand": function(f"%0 = stablehlo.abs : {F}"),
    "a comma too many": function(f"%0 = stablehlo.add %a, %a, : {F}"),
    "unknown op": function(f"%0 = stablehlo.frobnicate %a : {F}"),
    "unknown op in generic form": function(f'%0 = "stablehlo.frobnicate"(%a) : ({F}) -> {F}'),
    "unknown dialect": function(f'%0 = "linalg.abs"(%a) : ({F}) -> {F}'),
    "unknown type": of_type("f33"),
    "unknown dialect's type": of_type("!linalg.thing<1>"),
    "unknown type of a known dialect": of_type("!quant.unknown<i8:f32, 0.5>"),
    "unknown attribute": function(f"%0 = stablehlo.abs %a {{x = #linalg.thing}} : {F}"),
    "undefined alias": of_type("!q"),
    "alias twice": "!q = !quant.uniform<i8:f32, 0.5>\n!q = i8\n" + function(),
    "undefined block": function("cf.br ^bb7"),
    "keyword for a list": function(f"%0 = stablehlo.transpose %a, perm = [1, 0] : ({F}) -> tensor<3x2xf32>"),
    "word for a number": function(f"%0 = stablehlo.transpose %a, dims = [one, 0] : ({F}) -> tensor<3x2xf32>"),
    "fraction for an integer": function(f"%0 = stablehlo.transpose %a, dims = [1.5, 0] : ({F}) -> tensor<3x2xf32>"),
    "unknown enum": function(f"%0 = stablehlo.compare LIKE, %a, %a : ({F}, {F}) -> tensor<2x3xi1>"),
    "unknown window entry": function(
        "%0 = stablehlo.convolution(%a, %a) dim_numbers = [b, f]x[i, o]->[b, f], window = {speed = [1]} "
        f"{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({F}, {F}) -> {F}"
    ),
    "letters of a convolution": function(
        "%0 = stablehlo.convolution(%a, %a) dim_numbers = [b, g]x[i, o]->[b, f], window = {} "
        f"{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({F}, {F}) -> {F}"
    ),
}

VALUES = {
    "undefined value": function(f"%0 = stablehlo.abs %b : {F}"),
    "used before its definition": function(f"%0 = stablehlo.abs %1 : {F}", f"%1 = stablehlo.abs %a : {F}"),
    "defined by itself": function(f"%0 = stablehlo.abs %0 : {F}"),
    "defined in its own region": function(
        "%i = stablehlo.constant dense<0> : tensor<i32>",
        "%0:2 = stablehlo.while(%n = %i, %x = %x) : tensor<i32>, tensor<2xf32>",
        "cond {",
        "%1 = stablehlo.compare LT, %n, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>",
        "stablehlo.return %1 : tensor<i1>",
        "} do {",
        "stablehlo.return %n, %x : tensor<i32>, tensor<2xf32>",
        "}",
    ),
    "defined in another function": function(f"%0 = stablehlo.abs %a : {F}")
    + f"func.func @g() -> {F} {{\n  return %0 : {F}\n}}\n",
    "defined twice": function(f"%0 = stablehlo.abs %a : {F}", f"%0 = stablehlo.abs %a : {F}"),
    "argument twice": function(arguments=f"%a: {F}, %a: {F}"),
    "two names for one result": function(f"%0, %1 = stablehlo.abs %a : {F}"),
    "result without an index": function(f"%0 = stablehlo.abs %a#1 : {F}"),
    "huge index of a result": function(f"%0 = stablehlo.abs %a#{'9' * 40} : {F}"),
    "another type than defined": function("%0 = stablehlo.abs %a : tensor<3xf32>"),
    "another type than used": function(
        "%0 = stablehlo.abs %1 : tensor<3xf32>",
        f"%1 = stablehlo.abs %a : {F}",
    ),
}

OPERANDS = {
    "one operand for two": function(f'%0 = "stablehlo.add"(%a) : ({F}) -> {F}'),
    "three operands for two": function(f'%0 = "stablehlo.add"(%a, %a, %a) : ({F}, {F}, {F}) -> {F}'),
    "three operands in pretty form": function(f"%0 = stablehlo.add %a, %a, %a : {F}"),
    "more types than operands": function(f'%0 = "stablehlo.add"(%a, %a) : ({F}) -> {F}'),
    "no result": function(f'"stablehlo.add"(%a, %a) : ({F}, {F}) -> ()'),
    "two results": function(f'%0:2 = "stablehlo.add"(%a, %a) : ({F}, {F}) -> ({F}, {F})'),
    "padding without pairs": function(
        "%0 = stablehlo.constant dense<0.0> : tensor<f32>",
        '%1 = "stablehlo.reduce_window"(%a, %0) <{padding = dense<0> : tensor<2xi64>, '
        "window_dimensions = array<i64: 1, 1>}> ({",
        "^bb0(%x: tensor<f32>, %y: tensor<f32>):",
        "stablehlo.return %x : tensor<f32>",
        f"}}) : ({F}, tensor<f32>) -> {F}",
    ),
    "a zero point of 32-bit weights": f"""func.func @main(%a: {F}, %r: tensor<3x4x{WIDE}>) -> tensor<2x4xf32> {{
  %0 = stablehlo.uniform_dequantize %r : (tensor<3x4x{WIDE}>) -> tensor<3x4xf32>
  %1 = stablehlo.dot_general %a, %0, contracting_dims = [1] x [0] : ({F}, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}}
""",
    "a slope of another shape": function(
        f'%0 = "qconvert.prelu"(%a, %s) : ({F}, tensor<4xf32>) -> {F}', arguments=f"%a: {F}, %s: tensor<4xf32>"
    ),
    "a normalization's bias of another shape": function(
        f'%0 = "qconvert.layer_normalization"(%a, %s, %b) <{{axis = 1 : i64, epsilon = 1.0e-5 : f64}}> : '
        f"({F}, tensor<3xf32>, tensor<2xf32>) -> {F}",
        arguments=f"%a: {F}, %s: tensor<3xf32>, %b: tensor<2xf32>",
    ),
    "a zero point of another shape": function(
        '%0 = "qconvert.dynamic_range_dot_general"(%q, %w, %z, %y) <{dot_dimension_numbers = '
        "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : "
        "(tensor<2x3xui8>, tensor<3x2xi8>, tensor<ui8>, tensor<1099511627776xi8>) -> tensor<2x2xi32>",
        arguments="%q: tensor<2x3xui8>, %w: tensor<3x2xi8>, %z: tensor<ui8>, %y: tensor<1099511627776xi8>",
    ),
    "no attribute": function(f'%0 = "stablehlo.transpose"(%a) : ({F}) -> tensor<3x2xf32>'),
    "attribute of another kind": function(
        f'%0 = "stablehlo.transpose"(%a) <{{permutation = "1, 0"}}> : ({F}) -> tensor<3x2xf32>'
    ),
    "attribute twice": function(
        f'%0 = "stablehlo.transpose"(%a) <{{permutation = array<i64: 1, 0>, permutation = array<i64: 1, 0>}}> '
        f": ({F}) -> tensor<3x2xf32>"
    ),
    "no region": function(
        "%0 = stablehlo.constant dense<0.0> : tensor<f32>",
        f'%1 = "stablehlo.reduce"(%a, %0) <{{dimensions = array<i64: 0>}}> : ({F}, tensor<f32>) -> tensor<3xf32>',
    ),
    "region without a terminator": function(
        "%0 = stablehlo.constant dense<0.0> : tensor<f32>",
        '%1 = "stablehlo.reduce"(%a, %0) <{dimensions = array<i64: 0>}> ({',
        "^bb0(%x: tensor<f32>, %y: tensor<f32>):",
        "  %s = stablehlo.add %x, %y : tensor<f32>",
        f"}}) : ({F}, tensor<f32>) -> tensor<3xf32>",
    ),
    "region that returns too much": function(
        "%0 = stablehlo.constant dense<0.0> : tensor<f32>",
        '%1 = "stablehlo.reduce"(%a, %0) <{dimensions = array<i64: 0>}> ({',
        "^bb0(%x: tensor<f32>, %y: tensor<f32>):",
        "  stablehlo.return %x, %y : tensor<f32>, tensor<f32>",
        f"}}) : ({F}, tensor<f32>) -> tensor<3xf32>",
    ),
    "an op after the return": returning(F, f"return %a : {F}\n  %0 = stablehlo.abs %a : {F}"),
    "integers in a tensor's place": function("%0 = stablehlo.abs %i : i32", arguments="%i: i32"),
}

TYPES = {
    "shapes that differ": function(
        f"%0 = stablehlo.add %a, %b : ({F}, tensor<3x2xf32>) -> {F}", arguments=f"%a: {F}, %b: tensor<3x2xf32>"
    ),
    "elements that differ": function(
        f"%0 = stablehlo.add %a, %b : ({F}, tensor<2x3xi8>) -> {F}", arguments=f"%a: {F}, %b: tensor<2x3xi8>"
    ),
    "quantized and float": function(f"%0 = stablehlo.add %a, %q : ({F}, {Q}) -> tensor<2x3xf16>"),
    "transposed shape": function(f"%0 = stablehlo.transpose %a, dims = [1, 0] : ({F}) -> {F}"),
    "permutation of too many": function(f"%0 = stablehlo.transpose %a, dims = [1, 0, 2] : ({F}) -> tensor<3x2xf32>"),
    "permutation with a repeat": function(f"%0 = stablehlo.transpose %a, dims = [1, 1] : ({F}) -> tensor<3x3xf32>"),
    "reshape to another size": function(f"%0 = stablehlo.reshape %a : ({F}) -> tensor<7xf32>"),
    "broadcast of two to five": function(
        f"%0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : ({F}) -> tensor<5x3xf32>"
    ),
    "broadcast outside the rank": function(f"%0 = stablehlo.broadcast_in_dim %a, dims = [0, 7] : ({F}) -> {F}"),
    "concatenation outside the rank": function(f"%0 = stablehlo.concatenate %a, %a, dim = 5 : ({F}, {F}) -> {F}"),
    "slice beyond the end": function(f"%0 = stablehlo.slice %a [0:9, 0:1] : ({F}) -> tensor<9x1xf32>"),
    "slice with a stride of 0": function(f"%0 = stablehlo.slice %a [0:2:0, 0:1] : ({F}) -> tensor<2x1xf32>"),
    "padding of 2^62": function(
        "%0 = stablehlo.constant dense<0.0> : tensor<f32>",
        "%1 = stablehlo.pad %a, %0, low = [4611686018427387904, 0], high = [0, 0], interior = [0, 0] "
        f": ({F}, tensor<f32>) -> {F}",
    ),
    "matrix product that does not fit": function(
        f"%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : ({F}, {F}) -> tensor<2x3xf32>"
    ),
    "contraction outside the rank": function(
        f"%0 = stablehlo.dot_general %a, %a, contracting_dims = [5] x [0] : ({F}, {F}) -> tensor<2x3xf32>"
    ),
    "convolution that does not fit": function(
        "%0 = stablehlo.convolution(%a, %a) dim_numbers = [b, f]x[i, o]->[b, f], window = {} "
        f"{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({F}, {F}) -> {F}"
    ),
    "convolution with groups of 0": function(
        "%0 = stablehlo.convolution(%a, %a) dim_numbers = [b, f]x[i, o]->[b, f], window = {} "
        f"{{batch_group_count = 1 : i64, feature_group_count = 0 : i64}} : ({F}, {F}) -> {F}"
    ),
    "reduction outside the rank": function(
        "%0 = stablehlo.constant dense<0.0> : tensor<f32>",
        f"%1 = stablehlo.reduce(%a init: %0) applies stablehlo.add across dimensions = [7] "
        f": ({F}, tensor<f32>) -> tensor<2xf32>",
    ),
    "unknown rank": function(arguments="%a: tensor<*xf32>"),
    "unknown size": function("%0 = stablehlo.constant dense<0.0> : tensor<?xf32>"),
    "negative size": function(arguments="%a: tensor<-2x3xf32>"),
    "size of 40 digits": function(arguments=f"%a: tensor<{'9' * 40}xf32>"),
    "complex elements of half precision": of_type("complex<f16>"),
    "tuple": function(arguments="%a: tuple<i1, i1>"),
    "integers of 3 bits": function("%0 = stablehlo.constant dense<1> : tensor<2xi3>"),
    "elements of 0 bits": of_type("i0"),
    "elements of 2^40 bits": of_type(f"i{2**40}"),
    "an attribute of 2^40 bits": function(f"%0 = stablehlo.abs %a {{x = 1 : i{2**40}}} : {F}"),
}

FUNCTIONS = {
    "result of another type": returning("tensor<3x2xf32>", f"return %a : {F}"),
    "fewer results than promised": returning(F, "return"),
    "more results than promised": f"func.func @main(%a: {F}) {{\n  return %a : {F}\n}}\n",
    "no return": f"func.func @main(%a: {F}) {{\n  %0 = stablehlo.abs %a : {F}\n}}\n",
    "two functions of one name": function() + function(),
    "unknown function called": returning(F, f"%0 = call @nobody(%a) : ({F}) -> {F}\n  return %0 : {F}"),
    "call with another type": function().replace("@main", "@f")
    + returning("tensor<1xf32>", f"%0 = call @f(%a) : ({F}) -> tensor<1xf32>\n  return %0 : tensor<1xf32>"),
    "function without a name": "func.func (%a: tensor<f32>) {\n  return\n}\n",
}


def constant(text: str) -> str:
    """A function with this constant."""
    return function(f"%0 = stablehlo.constant {text}")


CONSTANTS = {
    "too few elements": constant("dense<[1, 2]> : tensor<3xi8>"),
    "too many elements": constant("dense<[1, 2, 3, 4]> : tensor<3xi8>"),
    "lists of another shape": constant("dense<[[1, 2], [3, 4]]> : tensor<4xi8>"),
    "ragged lists": constant("dense<[[1, 2], [3]]> : tensor<2x2xi8>"),
    "list for a scalar": constant("dense<[1]> : tensor<i8>"),
    "nothing for three": constant("dense<> : tensor<3xi8>"),
    "too few bytes": constant('dense<"0x0102"> : tensor<3xi8>'),
    "too many bytes": constant('dense<"0x01020304"> : tensor<3xi8>'),
    "bytes of half an element": constant('dense<"0x010203"> : tensor<2xi16>'),
    "odd number of digits": constant('dense<"0x010"> : tensor<1xi8>'),
    "no hex digit": constant('dense<"0x0g"> : tensor<1xi8>'),
    "string that is not hex": constant('dense<"hello"> : tensor<1xi8>'),
    "element out of range": constant("dense<[1, 300]> : tensor<2xi8>"),
    "negative unsigned element": constant("dense<-1> : tensor<2xui8>"),
    "float among integers": constant("dense<[1, 2.5]> : tensor<2xi8>"),
    "word among floats": constant("dense<[1.0, nan]> : tensor<2xf32>"),
    "hex float of another width": constant("dense<0x7FC000000> : tensor<1xf32>"),
    "element of 10,000 digits": constant(f"dense<{'9' * DEEP}> : tensor<1xi8>"),
    "complex elements in a constant": constant("dense<(1.0)> : tensor<1xcomplex<f32>>"),
    "no tensor": constant("dense<1> : i8"),
    "dense is not closed": constant("dense<[1, 2"),
    "list is not closed": constant("dense<[1, 2> : tensor<2xi8>"),
    "resource without data": constant("dense_resource<weights> : tensor<2xf32>"),
    "resource of another size": constant("dense_resource<weights> : tensor<2xf32>")
    + '{-# dialect_resources: {builtin: {weights: "0x040000000000803F"}} #-}\n',
    "2^62 elements": constant(f"dense<1> : tensor<{2**62}xi8>"),
    "2^40 by 2^40 elements": constant(f"dense<1> : tensor<{2**40}x{2**40}xi8>"),
    "constant of another type": function(
        f"%0 = stablehlo.constant() <{{value = dense<1> : tensor<4xi8>}}> : () -> {Q}"
    ),
}

QUANTIZED = {
    "scale 0": uniform("i8:f32, 0.0"),
    "scale below 0": uniform("i8:f32, -0.5"),
    "scale of infinity": uniform("i8:f32, 1.0e999"),
    "scale nan": uniform("i8:f32, nan"),
    "scale in hex": uniform("i8:f32, 0x7FC00000"),
    "scale too small for its type": uniform("i8:f16, 1.0e-9"),
    "no scale": uniform("i8:f32"),
    "no scales": uniform("i8:f32:1, {}"),
    "zero point above": uniform("i8:f32, 0.5:128"),
    "zero point below": uniform("ui8:f32, 0.5:-1"),
    "zero point of 40 digits": uniform(f"i8:f32, 0.5:{'9' * 40}"),
    "fractional zero point": uniform("i8:f32, 0.5:1.5"),
    "fewer scales than slices": uniform("i8:f32:1, {0.5, 0.25}"),
    "more scales than slices": uniform("i8:f32:1, {0.5, 0.25, 0.5, 0.25}"),
    "one scale in a list is 0": uniform("i8:f32:1, {0.5, 0.0, 0.5}"),
    "axis beyond the rank": uniform("i8:f32:2, {0.5, 0.25, 0.5}"),
    "axis below 0": uniform("i8:f32:-1, {0.5, 0.25, 0.5}"),
    "list without an axis": uniform("i8:f32, {0.5, 0.25, 0.5}"),
    "axis without a list": uniform("i8:f32:1, 0.5"),
    "blocks that do not divide": uniform("i8:f32:{0:2, 1:2}, {{0.5, 0.25}}"),
    "blocks of 0": uniform("i8:f32:{0:0}, {{0.5}}"),
    "ragged scales": uniform("i8:f32:{0:1, 1:1}, {{0.5, 0.25}, {0.5}}"),
    "storage upside down": uniform("i8<7:-8>:f32, 0.5"),
    "storage beyond its bits": uniform("i8<-129:127>:f32, 0.5"),
    "zero point outside narrowed storage": uniform("i8<-8:7>:f32, 0.5:8"),
    "storage of 33 bits": uniform("i33:f32, 0.5"),
    "storage of 64 bits": uniform("i64:f32, 0.5"),
    "storage of 10^9 bits": uniform("i1000000000:f32, 0.5"),
    "float storage": uniform("f8E4M3FN:f32, 0.5"),
    "integer expressed": uniform("i8:i32, 0.5"),
    "quantized expressed": uniform("i8:!quant.uniform<i8:f32, 0.5>, 0.5"),
    "minimum above maximum": of_type("!quant.calibrated<f32<1.0:-1.0>>"),
    "no parameters": of_type("!quant.uniform"),
}

BOMBS = {
    "10,000 modules": "module {\n" * DEEP + "}\n" * DEEP,
    "10,000 regions": function('"stablehlo.reduce"() ({' * DEEP + "})" * DEEP),
    "10,000 types": of_type("tuple<" * DEEP + "i1" + ">" * DEEP),
    "10,000 parentheses": function(f'%0 = "stablehlo.abs"{"(" * DEEP}%a{")" * DEEP}'),
    "10,000 lists of attributes": function(f"%0 = stablehlo.abs %a {{x = {'[' * DEEP}{']' * DEEP}}} : {F}"),
    "10,000 dictionaries": function(f"%0 = stablehlo.abs %a {{x = {'{x = ' * DEEP}1{'}' * DEEP}}} : {F}"),
    "10,000 lists of elements": constant(f"dense<{'[' * DEEP}1{']' * DEEP}> : tensor<1xi8>"),
    "10,000 locations": function(f"%0 = stablehlo.abs %a : {F} loc({'fused[' * DEEP}unknown{']' * DEEP})"),
    "10,000 function types": function(f"%0 = stablehlo.abs %a {{x = {'() -> (' * DEEP}i1{')' * DEEP}}} : {F}"),
    "10,000 arrows": function(f"%0 = stablehlo.abs %a {{x = {'() -> ' * DEEP}i1}} : {F}"),
    "10,000 closing brackets before": f"// module\n{'}' * DEEP}{'{' * DEEP}",
    "brackets closed in strings": function('"' + ")" * DEEP + '"', "(" * DEEP),
    "brackets closed in comments": f"// module {'}' * DEEP}\n{'{' * DEEP}",
    "a quote in a comment": f'// module "\n{"{" * DEEP}',
    "a comment in a string": f'"// module"{"{" * DEEP}',
    "an arrow that closes nothing": f"// module\n{'-> ' * DEEP}{'(' * DEEP}",
}

TEXTS = {
    name: text
    for group in (SYNTAX, VALUES, OPERANDS, TYPES, FUNCTIONS, CONSTANTS, QUANTIZED, BOMBS)
    for name, text in group.items()
}
