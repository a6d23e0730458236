"""The options that show passes at work: modules after passes, and what each pass did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import typer
from xdsl.dialects.builtin import ModuleOp

from qconvert.cli.messages import say
from qconvert.ir import module_text
from qconvert.rewriting import AfterPass, Pass, PassResult
from qconvert.support.errors import UsageError

CHANGED = "changed"
"""The value of ``--print-after`` that prints the module after each pass that changed it."""

PrintAfterOption = Annotated[
    str,
    typer.Option(
        "--print-after",
        metavar=f"PASS|{CHANGED}",
        help="Print the module on standard error after this pass, or after each pass that changed it.",
    ),
]


@dataclass
class ModulePrints:
    """Prints a module on standard error after the passes of a name, or after each pass that changed it.

    The header is that of mlir-opt, so that its tools split the text.
    """

    which: str
    ran: list[str] = field(default_factory=list)

    def __call__(self, step: Pass, module: ModuleOp, result: PassResult) -> None:
        """Print the module if the pass is the one asked for."""
        self.ran.append(step.name)
        if step.name == self.which or (self.which == CHANGED and result.changed):
            say(f"// -----// IR Dump After {step.name} //----- //")
            for line in module_text(module).splitlines():
                say(line)

    def check(self) -> None:
        """Raise UsageError if the pass that was asked for did not run."""
        if self.which != CHANGED and self.which not in self.ran:
            listed = ", ".join(dict.fromkeys(self.ran))
            raise UsageError(f"--print-after {self.which}: this pass does not run here; those that ran are {listed}")


@dataclass(frozen=True)
class AfterAll:
    """Calls several functions after each pass."""

    functions: tuple[AfterPass, ...]

    def __call__(self, step: Pass, module: ModuleOp, result: PassResult) -> None:
        """Call all functions in order."""
        for function in self.functions:
            function(step, module, result)
