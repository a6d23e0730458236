"""The page of ``diff``: what differs between the parameters of two models, in a table that sorts and filters."""

from __future__ import annotations

from pathlib import Path

from qconvert.validation.parameters import Difference, Finding
from qconvert.validation.parameters.listing import COLUMNS, row, summary, verdict
from qconvert.validation.rendering.page.markup import asset, document, escaped
from qconvert.validation.rendering.page.sections import filters, heads


def page(found: Difference) -> str:
    """Return one self-contained page: the verdict, the findings, and what was changed on purpose."""
    first, second = (Path(each.file).name for each in (found.first, found.second))
    style, told = "passed" if found.equal else "failed", verdict(found)
    purposes = "".join(f"<li>{escaped(each)}</li>" for each in found.on_purpose)
    kept = f"<h2>Changed on purpose, no difference</h2><ul>{purposes}</ul>" if purposes else ""
    hint = f"<p>{escaped(found.hint)}</p>" if found.hint else ""
    body = (
        f"<main class=report><header><h1>{escaped(f'{second} against {first}')} <span class={style}>{told}</span></h1>"
        f"<p>{escaped(summary(found))}</p>{hint}</header>{_findings(found.findings)}{kept}</main>"
    )
    return document(f"{second} against {first}: {told}", body, asset("report.js"))


def _findings(findings: tuple[Finding, ...]) -> str:
    if not findings:
        return ""
    kinds = {parameter: f"kind{i}" for i, parameter in enumerate(dict.fromkeys(each.parameter for each in findings))}
    choices = [("all differences", ()), *((f"of {parameter}", (kind,)) for parameter, kind in kinds.items())]
    form = filters("Search layers, operators, texts", "differences", choices, len(findings))
    body = "".join(
        f"<tr class={kinds[each.parameter]}>{''.join(f'<td>{escaped(cell)}</td>' for cell in row(each))}</tr>"
        for each in findings
    )
    head = heads((column, "") for column in COLUMNS)
    rows = f"<div class=wide><table class='by-layer texts told'>{head}<tbody>{body}</tbody></table></div>"
    return f"<section class=layers><h2>Differences</h2>{form}{rows}</section>"
