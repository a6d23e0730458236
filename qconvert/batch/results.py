"""The files that a batch writes when its tasks are done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

from qconvert.batch import rows
from qconvert.batch.outcome import Outcome, Status
from qconvert.batch.page import page, report_name
from qconvert.batch.rows import TableFormat
from qconvert.batch.tables import write_table
from qconvert.support.counting import counted
from qconvert.support.files import write_text
from qconvert.support.printable import printable
from qconvert.validation.figures.report import ModelFile
from qconvert.validation.rendering import forms
from qconvert.validation.rendering.page import html


def write_results(outcomes: Sequence[Outcome], folder: Path, form: TableFormat) -> None:
    """Write the tables, the pages and JUnit XML; all but ``times`` are the same in each run."""
    write_table(rows.TaskRow, rows.task_rows(outcomes), folder / "tasks", form)
    write_table(rows.OutputRow, rows.output_rows(outcomes), folder / "outputs", form)
    write_table(rows.LayerRow, rows.layer_rows(outcomes), folder / "layers", form)
    write_table(rows.TimeRow, rows.time_rows(outcomes), folder / "times", form)
    write_text(folder / "index.html", page(outcomes))
    (folder / "reports").mkdir(exist_ok=True)
    for outcome in outcomes:
        if outcome.report is not None:
            write_text(folder / report_name(outcome.task), html(outcome.report))
    write_text(folder / "junit.xml", forms.xml(forms.suites(list(map(suite, outcomes)))))


def suite(outcome: Outcome) -> ET.Element:
    """Return the suite of a task: its layers and outputs, or one case with an error."""
    title, report = f"qconvert {outcome.task}", outcome.report
    if report is not None:
        found = forms.suite(replace(report, model=ModelFile(str(outcome.task), report.model.sha256)))
        whole = [failure for failure in report.failures if not _is_named(found, failure)]
        _add_case(found, "failure", whole)
        return found
    found = ET.Element("testsuite", name=printable(title), tests="0", failures="0", errors="0")
    _add_case(found, "error", [outcome.error or ""])
    return found


def _is_named(found: ET.Element, failure: str) -> bool:
    return any(each.get("message") == printable(failure) for each in found.iter("failure"))


def _add_case(found: ET.Element, kind: str, messages: Sequence[str]) -> None:
    """Add a case for the whole task, with the messages that no layer and no output has."""
    if not messages:
        return
    case = ET.SubElement(found, "testcase", classname="task", name="whole")
    for message in messages:
        ET.SubElement(case, kind, message=printable(message))
    for name in ("tests", f"{kind}s"):
        found.set(name, str(int(found.get(name, "0")) + 1))


def summary(outcomes: Sequence[Outcome], computed: int) -> Iterator[str]:
    """Yield lines on what became of the tasks, and on the memory of those that were computed."""
    counts = Counter(outcome.status for outcome in outcomes)
    named = [status for status in Status if status is not Status.INTERNAL or counts[status]]
    found = ", ".join(f"{counts[status]} {status}" for status in named)
    yield f"{counted(len(outcomes), 'task')}: {found}; {computed} computed now"
    peak = max(outcome.measured.peak_bytes for outcome in outcomes)
    engine = max(outcome.measured.engine_peak_bytes for outcome in outcomes)
    yield f"largest memory of a worker {_megabytes(peak)}, of an engine {_megabytes(engine)}"


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"
