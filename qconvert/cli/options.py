"""Arguments and options that several commands take, and the options of the formats."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, fields, replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_type_hints

import typer

from qconvert.backends.base import WriteOptions
from qconvert.engines.base import EngineName
from qconvert.formats import FORMATS, Format
from qconvert.support.errors import UsageError

ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="An .onnx, .tflite, .mlir, .mlirbc or .tosa file; - is standard input.")
]
OutputOption = Annotated[
    str, typer.Option("--output", "-o", metavar="OUT", help="The file to write; - is standard output.")
]
DimOption = Annotated[
    list[str], typer.Option("--dim", metavar="NAME=SIZE", help="Size of an open dimension; convert keeps NAME=? open.")
]
CutInputsOption = Annotated[
    str, typer.Option("--inputs", metavar="T,..", help="Cut the model: tensors that become inputs.")
]
CutOutputsOption = Annotated[
    str, typer.Option("--outputs", metavar="T,..", help="Cut the model: tensors that are outputs.")
]


def _writable(name: str) -> Format:
    """Return a format by its name; raises UsageError for one that cannot be written, BadParameter for others."""
    if name not in FORMATS:
        raise typer.BadParameter(f"'{name}' is not one of {', '.join(Format)}.")
    FORMATS[Format(name)].checked_options()
    return Format(name)


def _target_option(flag: str, text: str) -> Any:
    return typer.Option(flag, parser=_writable, metavar="|".join(Format), help=text)


ToOption = Annotated[
    Format | None, _target_option("--to", "The format to write; by default the name of OUT chooses it.")
]
PipelineOption = Annotated[
    Format | None,
    _target_option("--pipeline", "Run the passes that convert runs for this format, and print what each did."),
]
InspectedOption = Annotated[Format | None, _target_option("--to", "The format whose float ops are counted and listed.")]
TargetOption = Annotated[
    Format | None, _target_option("--target", "Only list the nodes that cannot be converted to this format.")
]
VersionOption = Annotated[
    str | None,
    typer.Option("--artifact-version", metavar="X.Y.Z", help="The oldest StableHLO that must read a .mlirbc OUT."),
]
WeightsOption = Annotated[
    Path | None,
    typer.Option("--weights", metavar="FILE", help="The .safetensors file with the weights of a program of StableHLO."),
]
TimeoutOption = Annotated[
    float | None,
    typer.Option("--timeout", min=0.001, metavar="SECONDS", help="Stop an engine after this time, by default 600 s."),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="The seed of random samples.")]
MaxStepsOption = Annotated[
    int | None,
    typer.Option(
        "--max-steps", min=1, metavar="N", help="Stop the interpreter after N ops of a sample, by default a million."
    ),
]
JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs", min=1, metavar="N", help="The number of processes that share several models, or one model's samples."
    ),
]
EngineOption = Annotated[EngineName, typer.Option("--engine", help="The engine that runs the conversion.")]


class FormatOptions(NamedTuple):
    """The options of formats that were given, by the names of their fields."""

    given: Mapping[str, object]

    def __hash__(self) -> int:
        return hash(frozenset(self.given))

    def of(self, to: Format) -> WriteOptions:
        """Return the options of a format; raises UsageError where one that was given is not the format's."""
        options = FORMATS[to].checked_options()
        own = {option.name for option in _options(type(options))}
        for name in self.given:
            if name not in own:
                takers = [other for other in Format if hasattr(FORMATS[other].checked_options(), name)]
                raise UsageError(f"{_flag(name)} is an option of --to {' or '.join(takers)}, not of {to}")
        return replace(options, **self.given)


def format_options(*only: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of the formats, all or ``only`` some; its parameter ``options`` holds them.

    A format's options are the fields of its options' class that :func:`~qconvert.backends.base.option` makes.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        parameters = {p.name: p for p in _parameters() if not only or p.name in only}

        @wraps(command)
        def with_options(**values: object) -> None:
            found = {name: values.pop(name) for name in parameters}
            given = {name: value for name, value in found.items() if value is not None and value is not False}
            command(**values, options=FormatOptions(given))

        own = inspect.signature(command, eval_str=True)
        kept = [parameter for name, parameter in own.parameters.items() if name != "options"]
        vars(with_options)["__signature__"] = own.replace(parameters=[*kept, *parameters.values()])
        return with_options

    return decorate


def _parameters() -> Iterator[inspect.Parameter]:
    """Yield a command's parameter for each option of a format: a flag, or a value that need not be given."""
    found = {option.name: (kind, option) for kind in _TITLES for option in _options(kind)}
    for name, (kind, option) in found.items():
        declared = get_type_hints(kind)[name]
        annotation, default = (bool, False) if declared is bool else (declared | None, None)
        metavar, parser = option.metadata["metavar"], option.metadata["parser"]
        own = typer.Option(_flag(name), metavar=metavar, parser=parser, help=_help(name))
        yield inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[annotation, own]
        )


def _help(name: str) -> str:
    """Return the help of an option: a text for all formats, or one for each format that has the option."""
    texts = {
        title: option.metadata["help"]
        for kind, title in _TITLES.items()
        for option in _options(kind)
        if option.name == name
    }
    is_shared = len(texts) == len(_TITLES) and len(set(texts.values())) == 1
    parts = set(texts.values()) if is_shared else [f"{title}: {text}" for title, text in texts.items()]
    whole = "; ".join(parts)
    return f"{whole[0].upper()}{whole[1:]}."


_TITLES = {type(FORMATS[name].checked_options()): FORMATS[name].title for name in Format}
"""The classes of options, and the title of the formats that are written with each."""


def _options(kind: type[WriteOptions]) -> list[Field[Any]]:
    """Return the fields of an options' class that users set."""
    return [option for option in fields(kind) if "help" in option.metadata]


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
