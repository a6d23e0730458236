"""Pages of the reference that are made from code when the site is built."""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum, EnumType
from pkgutil import resolve_name
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import typer

from qconvert import public
from qconvert.cli import COMMANDS, app
from qconvert.passes import PASSES, make_pass
from qconvert.quantization.target import Kernel, Target
from qconvert.quantization.targets.catalog import TARGETS
from qconvert.validation.figures.report import NOT_IN_JSON, ReportFields
from qconvert.validation.parameters import Difference

_COMMANDS_HEAD = """\
# Commands and options

Made from the program's own help. [The command line](../cli.md) explains exit statuses, several models in one command,
open dimensions and limits.

## Before the command
"""
_API_HEAD = """\
# The library

Each name is `qconvert.NAME`. Importing qconvert is quick: a name's module is imported when the name is used. Every
error that a function raises on purpose is a `QConvertError`; its text says what was found and what to do.
"""
_PASSES_HEAD = """\
# Passes

`qconvert opt MODEL -p PASS,..` runs passes in the order given; `qconvert opt --list` lists their names. The driver
checks what a pass requires before it, and what it ensures after it.
"""
_TARGETS_HEAD = """\
# Shipped targets

The kernels of each target, made from its tables. [Targets](../targets.md) explains rules, and how a target of your own
is described.

A port is its storage type; `symmetric` means that its zero point is 0. An input in brackets may be missing, and `..`
repeats the last input.
"""
_SCHEMA_HEAD = """\
# The report's JSON Schema

Made from the dataclasses of the report of `qconvert validate` and `qconvert compare`;
[report.schema.json](report.schema.json) is the file for validators. [The JSON report](../validation-json.md) explains
keys and limits. `validate --json` with several models writes a list of such objects.
"""
_DIFFERENCE_HEAD = """\
# The JSON Schema of a difference

Made from the dataclasses of `qconvert diff`; [difference.schema.json](difference.schema.json) is the file for
validators. [Parameters of two models compared](../diff.md#reports) explains the keys.
"""


def pages() -> dict[str, str]:
    """Return the text of each page, by its path in the site."""
    report, difference = map(report_schema, (ReportFields, Difference))
    return {
        "reference/commands.md": _commands(),
        "reference/api.md": _api(),
        "reference/passes.md": _passes(),
        "reference/targets.md": _targets(),
        "reference/report-schema.md": _schema_page(report, _SCHEMA_HEAD),
        "reference/report.schema.json": json.dumps(report, indent=2) + "\n",
        "reference/difference-schema.md": _schema_page(difference, _DIFFERENCE_HEAD),
        "reference/difference.schema.json": json.dumps(difference, indent=2) + "\n",
    }


def _table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(columns)
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


# Commands


def _commands() -> str:
    group: Any = typer.main.get_command(app)
    parts = [_COMMANDS_HEAD, _options(group.params, {})]
    for name in COMMANDS:
        command = group.get_command(None, name)
        arguments = " ".join(each.metavar for each in command.params if each.param_type_name == "argument")
        usage = f"qconvert {name} [OPTIONS] {arguments}".rstrip()
        parts += [f"## {name}\n", f"```text\n{usage}\n```\n", f"{inspect.cleandoc(command.help)}\n"]
        parts.append(_options(command.params, words_of(name)))
    return "\n".join(parts)


def words_of(name: str) -> dict[str, list[str]]:
    """Return the words that the options of a command take, by the names of their parameters.

    They follow from the function's annotations: Typer's objects of options differ between its versions.
    """
    function = resolve_name(f"qconvert.cli.{name}:{name}")
    words = {}
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        kinds = _inner_types(parameter.annotation)
        words[parameter.name] = [str(word.value) for kind in kinds if isinstance(kind, EnumType) for word in kind]
    return words


def _inner_types(annotation: Any) -> list[Any]:
    """Return an annotation and all types inside it."""
    return [annotation, *(each for inner in get_args(annotation) for each in _inner_types(inner))]


def _options(parameters: Iterable[Any], words: Mapping[str, Sequence[str]]) -> str:
    shown = [each for each in parameters if not getattr(each, "hidden", False) and each.help]
    rows = (_option(each, words.get(each.name, ())) for each in shown)
    return _table(("argument or option", "meaning", "default"), rows)


def _option(parameter: Any, words: Sequence[str]) -> tuple[str, str, str]:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar}`", parameter.help, "required" if parameter.required else ""
    kind = "" if parameter.is_flag else "N"
    value = parameter.metavar or "|".join(words) or kind
    name = f"`{', '.join([*parameter.opts, *parameter.secondary_opts])}{f' {value}' if value else ''}`"
    default = "required" if parameter.required else _default(parameter)
    return name, parameter.help + (" May be repeated." if parameter.multiple else ""), default


def _default(parameter: Any) -> str:
    plain = parameter.default.value if isinstance(parameter.default, Enum) else parameter.default
    return f"`{plain}`" if isinstance(plain, str | int | float) and plain not in {"", False} else ""


# The library


def _api() -> str:
    names = [name for name in vars(public) if not name.startswith("_")]
    found = {name: getattr(public, name) for name in names}
    errors = [name for name, each in found.items() if isinstance(each, type) and issubclass(each, Exception)]
    enums = [name for name, each in found.items() if isinstance(each, type) and issubclass(each, Enum)]
    options = [name for name in names if name.endswith("Options")]
    functions = [name for name, each in found.items() if inspect.isfunction(each)]
    classes = [name for name in names if name not in {*errors, *enums, *options, *functions}]
    groups = {
        "Functions": functions,
        "Models and results": classes,
        "Options of formats": options,
        "Choices": enums,
        "Errors": errors,
    }
    parts = [_API_HEAD]
    for title, members in groups.items():
        parts += [f"## {title}\n", *(f"::: qconvert.public.{name}\n" for name in members)]
    return "\n".join(parts)


# Passes


def _passes() -> str:
    parts = [_PASSES_HEAD]
    for name in PASSES:
        made = type(make_pass(name))
        parts += [f"## {name}\n", _prose(inspect.getdoc(made) or "")]
        for title, conditions in (("Requires", made.requires), ("Ensures", made.ensures)):
            if conditions:
                parts.append(f"{title}: {'; '.join(condition.name for condition in conditions)}.\n")
    return "\n".join(parts)


def _prose(text: str) -> str:
    """Return a docstring as Markdown: reStructuredText's marks of code become Markdown's, its literal blocks fences."""
    text = re.sub(r":(?:func|class|meth):", "", text.replace("``", "`"))
    return re.sub(r"::\n\n((?:(?: {4}.*)?\n)+)", _fenced, text + "\n")


def _fenced(block: re.Match[str]) -> str:
    return f"\n\n```text\n{textwrap.dedent(block[1]).strip()}\n```\n\n"


# Targets


def _targets() -> str:
    parts = [_TARGETS_HEAD]
    for name, target in sorted(TARGETS.items()):
        parts += [f"## {name}\n", _table(("kernels", "ports", "rule"), _kernels(target))]
    return "\n".join(parts)


def _kernels(target: Target) -> list[tuple[str, str, str]]:
    """Return a row for the kernels that share ports and a rule."""
    rows: dict[tuple[str, str], list[str]] = {}
    for kernel in target.kernels:
        names = rows.setdefault((f"`{kernel.signature}`", f"`{_rule(kernel)}`"), [])
        if kernel.name not in names:
            names.append(kernel.name)
    return [(", ".join(names), ports, rule) for (ports, rule), names in rows.items()]


def _rule(kernel: Kernel) -> str:
    """Return a rule as a target's file has it; a rule in Python by the function's name."""
    if not is_dataclass(kernel.rule):
        return getattr(kernel.rule, "__name__", type(kernel.rule).__name__)
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(kernel.rule).__name__).lower()
    values = [f"{field.name} = {getattr(kernel.rule, field.name)}" for field in fields(kernel.rule)[:2]]
    return f"{name}({', '.join(values)})" if name == "fixed_scale" else name


# The report's schema


def report_schema(report: type[Any]) -> dict[str, Any]:
    """Return the JSON Schema of a report, from the fields of its dataclasses."""
    definitions: dict[str, Any] = {}
    found = _schema_of(report, definitions)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": definitions} | found


def _schema_of(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    plain = {int: "integer", float: "number", str: "string", bool: "boolean", NoneType: "null"}
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in plain:
        return {"type": plain[kind]}
    if is_dataclass(kind) and isinstance(kind, type):
        if kind.__name__ not in definitions:
            definitions[kind.__name__] = {}  # a class may hold itself
            definitions[kind.__name__] = _object(kind, definitions)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"type": "string", "enum": [str(each) for each in kind]}
    if origin is tuple:
        return {"type": "array", "items": _schema_of(arguments[0], definitions)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema_of(arguments[1], definitions)}
    if origin is UnionType:
        return {"anyOf": [_schema_of(each, definitions) for each in arguments]}
    raise TypeError(f"the report has a field of type {kind}")


def _object(kind: type[Any], definitions: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    keys = [field for field in fields(kind) if field.name not in NOT_IN_JSON]
    described = {"description": inspect.getdoc(kind), "type": "object"}
    properties = {field.name: _schema_of(hints[field.name], definitions) for field in keys}
    return described | {
        "properties": properties,
        "required": [field.name for field in keys if _required(field)],
    }


def _required(field: Field[Any]) -> bool:
    """Return whether reports of the schema's first version had the field: later ones have a default."""
    return field.default is MISSING and field.default_factory is MISSING


def _schema_page(schema: dict[str, Any], head: str) -> str:
    parts = [head]
    root = schema["$ref"].rsplit("/", 1)[1]
    for name, found in sorted(schema["$defs"].items(), key=lambda item: item[0] != root):
        rows = [(f"`{key}`", _shown(each)) for key, each in found["properties"].items()]
        parts += [f"## {name}\n", _prose(found["description"]), _table(("key", "type"), rows)]
    return "\n".join(parts)


def _shown(found: dict[str, Any]) -> str:
    if "$ref" in found:
        name = found["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in found:
        return " or ".join(map(_shown, found["anyOf"]))
    if "enum" in found:
        return " or ".join(f"`{each}`" for each in found["enum"])
    if found["type"] == "array":
        return f"list of {_shown(found['items'])}"
    if found["type"] == "object":
        return f"object of {_shown(found['additionalProperties'])}"
    return str(found["type"])
