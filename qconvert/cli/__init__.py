"""The command line: one module a command, imported when the command is asked for.

:func:`main` is the one place that turns an error into text.
"""

from __future__ import annotations

import sys
from functools import cache
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from qconvert.cli.messages import (
    EXIT_BAD_INPUT,
    EXIT_CLOSED_OUTPUT,
    EXIT_FAILED,
    EXIT_INTERNAL,
    complain,
    is_debugging,
    say,
    show,
)
from qconvert.cli.output import checked_output
from qconvert.support.errors import CheckFailedError, ClosedOutputError, QConvertError, internal_error
from qconvert.support.version import installed_version

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS = ("convert", "run", "validate", "compare", "diff", "inspect", "verify", "quantize", "batch", "opt", "engines")
"""The commands; each is the function of its name in the module of its name."""


class CommandGroup(TyperGroup):
    """The commands, each imported when it is asked for."""

    def get_params(self, ctx: Any) -> Any:
        """Return the options before a command's name; those of messages may stand there, too."""
        *own, help_option = super().get_params(ctx)
        return [*own, *_message_options(), help_option]

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the commands' names in the order of the help."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command; for a name that is none import all, from which typer suggests the nearest one."""
        for name in (cmd_name,) if cmd_name in COMMANDS else COMMANDS:
            command = _command(name, resolve_name(f"qconvert.cli.{name}:{name}"))
            command.params += _message_options()
            self.commands.setdefault(name, command)
        return super().get_command(ctx, cmd_name)


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    help="Converts quantized neural networks between ONNX, TFLite, StableHLO and TOSA "
    "without changing what they compute.",
)


def _version(requested: bool) -> None:
    if requested:
        show(f"qconvert {installed_version()}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def _messages(
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet", "-q", expose_value=False, help="Print no notes and no progress; errors and warnings stay."
        ),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", expose_value=False, help="Print each step, with the time since the start."),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", expose_value=False, help="Show tracebacks.")] = False,
) -> None:
    pass


@cache
def _message_options() -> tuple[Any, ...]:
    """Return the options that every command takes, also before its name; ``qconvert.cli.messages`` looks them up.

    Typer makes them from a function's signature: its classes of options take other arguments in other versions.
    """
    return tuple(_command("messages", _messages).params)


def _command(name: str, function: Callable[..., None]) -> Any:
    single = typer.Typer(add_completion=False)
    single.command(name)(function)
    return typer.main.get_command(single)


def main() -> None:
    """Run the command line and exit: 0 done and within limits, 1 the comparison failed, 2 bad input or usage.

    The reader of the output may end first (``qconvert inspect M | head``): that is no message, and the status is the
    one that shells give a program which the signal ends. An error that qconvert does not raise on purpose is a fault of
    its own: the status is 70, which no comparison gives. Tracebacks are for ``--debug``.
    """
    try:
        with checked_output():
            app(prog_name="qconvert")
    except ClosedOutputError:
        sys.exit(EXIT_CLOSED_OUTPUT)
    except QConvertError as error:
        _explain(error, str(error))
        sys.exit(EXIT_FAILED if isinstance(error, CheckFailedError) else EXIT_BAD_INPUT)
    except Exception as error:  # noqa: BLE001  # the boundary: whatever else is raised is a fault of qconvert
        _explain(error, f"{internal_error(error)}. --debug shows the traceback")
        sys.exit(EXIT_INTERNAL)


def _explain(error: Exception, text: str) -> None:
    """Print an error as one line, or its traceback if that is asked for."""
    if not is_debugging():
        complain(text)
        return
    import traceback  # needed here alone

    for line in "".join(traceback.format_exception(error)).splitlines():
        say(line)
