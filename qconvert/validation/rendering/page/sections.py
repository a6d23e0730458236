"""The parts of a report's page: summary, outputs, network, layers, the columns' meaning, how to make it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from qconvert.support.counting import counted
from qconvert.validation.rendering.page.content import Cell, Content, Drawing, LayerRow, LayersTable, Mismatch, Table
from qconvert.validation.rendering.page.markup import asset, embedded, escaped, table
from qconvert.validation.rendering.page.network import network

_BAR = 40
"""The height of the drawing of bars."""


def section(content: Content, prefix: str) -> str:
    """Return the part of a page on one report; ``prefix`` distinguishes its layers' addresses from other reports'."""
    parts = [_head(content), _table(content.outputs), _network(content, prefix), _layers(content, prefix)]
    parts += [*map(_table, content.tables), _meanings(content), _again(content)]
    data = "" if content.drawing is None else f"<script type=application/json>{embedded(content.drawing.data)}</script>"
    fields = f"data-prefix={prefix} data-first=reference data-second=result"
    numbers = _numbers(content.drawing)
    chosen = next((numbers[tensor] for tensor in (*content.marked, *_differing(content)) if tensor in numbers), None)
    fields += "" if chosen is None else f" data-chosen={chosen}"
    return f"<main class=report {fields}>{''.join(parts)}{data}</main>"


def _differing(content: Content) -> list[str]:
    """Return the tensors of the layers that differ, in the order of the table."""
    rows = [] if content.layers is None else sorted(content.layers.rows, key=lambda row: row.rank)
    return [row.tensor for row in rows if row.style not in (Mismatch.EQUAL, Mismatch.UNKNOWN)]


def light(content: Content) -> str:
    """Return summary, outputs and layers for a notebook: no script, and a style for this part alone."""
    layers = content.layers
    if layers is None:
        inside = [(f"{each.heading}: {len(each.rows):,}", _table(each)) for each in content.tables]
    else:
        inside = [(counted(len(layers.rows), "layer"), _table_of_layers(layers, content.marked, {}, ""))]
    folded = "".join(f"<details><summary>{escaped(name)}</summary>{part}</details>" for name, part in inside)
    return (
        f"<style>@scope{{{asset('report.css')}}}</style><div class=report>{_head(content)}{_table(content.outputs)}"
        f"{folded}</div>"
    )


def _head(content: Content) -> str:
    verdict = "passed" if content.passed else "failed"
    failures = "".join(f"<li>{escaped(failure)}</li>" for failure in content.failures)
    cards = "".join(f"<div><dt>{escaped(name)}</dt><dd>{escaped(value)}</dd></div>" for name, value in content.cards)
    lead = f"<p class=lead>{escaped(content.conclusion)}</p>" if content.conclusion else ""
    return (
        f"<header><h1>{escaped(content.name)} <span class={verdict}>{verdict}</span></h1>"
        f"{lead}<p>{escaped(content.summary)}</p><dl class=cards>{cards}</dl>{_skyline(content)}"
        + (f"<ul class=failures>{failures}</ul>" if failures else "")
        + "".join(f"<p class=note>{escaped(note)}</p>" for note in content.notes)
        + "</header>"
    )


def _skyline(content: Content) -> str:
    """Return a bar for each layer in the order of the model, which leads to the layer in the drawing."""
    layers, numbers = content.layers, _numbers(content.drawing)
    if layers is None:
        return ""
    bars = "".join(_bar(place, row, numbers.get(row.tensor)) for place, row in enumerate(layers.rows))
    count = len(layers.rows)
    label = f"{counted(count, 'layer')} {layers.bars}"
    return (
        f'<figure><svg class=skyline viewBox="0 0 {max(count, 40)} {_BAR}" preserveAspectRatio=none role=img '
        f'aria-label="{escaped(label)}">{bars}</svg><figcaption>{escaped(label)}</figcaption></figure>'
    )


def _bar(place: int, row: LayerRow, number: int | None) -> str:
    mark = "" if number is None else f" data-bar={number}"
    shape = f"x={place} y={_BAR - _height(row):.1f} width=.85 height={_height(row):.1f}"
    return f"<rect class={row.style} {shape}{mark}><title>{escaped(row.tip)}</title></rect>"


def _height(row: LayerRow) -> float:
    return max(3.0, _BAR * row.height)


def _table(found: Table) -> str:
    hint = f"<p>{escaped(found.hint)}</p>" if found.hint else ""
    rows = table(found.columns, found.rows, "texts" if found.is_text else "")
    return f"<section><h2>{escaped(found.heading)}</h2>{hint}{rows}</section>"


def _network(content: Content, prefix: str) -> str:
    drawing = content.drawing
    if drawing is None or not drawing.nodes:
        return ""
    found = {layer.style for layer in drawing.nodes}
    legend = {str(each): content.legend[each] for each in Mismatch if each in found}
    return explorer(drawing, legend, content.marked, prefix, _STEPS)


_STEPS = (
    "<button data-do=previous aria-label='previous layer that differs'>↑ differs</button>"
    "<button data-do=next aria-label='next layer that differs'>↓ differs</button>"
)


def explorer(
    drawing: Drawing, legend: Mapping[str, str], marked: Mapping[str, str], prefix: str, steps: str = ""
) -> str:
    """Return the network, in which a layer is chosen, beside the place for its details.

    ``legend`` has the meaning of each class of layers, ``steps`` more buttons.
    """
    listed = "".join(f"<li class={each}>{escaped(text)}</li>" for each, text in legend.items())
    return (
        f"<section class=explorer><h2>Network</h2><p>{escaped(drawing.hint)}</p>"
        f"<ul class=legend>{listed}</ul><div class=panes><div class=canvas>{network(drawing, marked, prefix)}"
        "<form class=find role=search><input type=search placeholder='Find a layer; Enter: the next' "
        "aria-label='find in the network' /></form>"
        "<div class=tools><button data-do=out aria-label='zoom out'>&minus;</button>"
        f"<button data-do=in aria-label='zoom in'>+</button><button data-do=fit>Fit</button>{steps}</div></div>"
        "<aside class=details aria-live=polite></aside></div></section>"
    )


def _layers(content: Content, prefix: str) -> str:
    layers = content.layers
    if layers is None:
        return ""
    choices = [("all layers", ()), *layers.choices]
    form = filters("Search names, operators, tensors", "layers", choices, len(layers.rows))
    rows = _table_of_layers(layers, content.marked, _numbers(content.drawing), prefix)
    hint = f"<p>{escaped(layers.hint)}</p>" if layers.hint else ""
    return f"<section class=layers><h2>Layers</h2>{hint}{form}{rows}</section>"


def filters(hint: str, what: str, choices: Sequence[tuple[str, Sequence[str]]], count: int) -> str:
    """Return a search field and a selection for the script; a choice has a text and classes, none for all rows."""
    options = "".join(f'<option data-kinds="{" ".join(kinds)}">{escaped(text)}</option>' for text, kinds in choices)
    return (
        f'<form class=filters role=search><input type=search placeholder="{escaped(hint)}" '
        f"aria-label='search {what}' /><select aria-label='which {what}'>{options}</select>"
        f"<output>{count} of {count}</output></form>"
    )


def heads(columns: Iterable[tuple[str, str]]) -> str:
    """Return the head of a table that sorts: names of columns with their meanings."""
    cells = "".join(
        f'<th title="{escaped(meaning)}"><button>{escaped(name)}</button></th>' for name, meaning in columns
    )
    return f"<thead><tr>{cells}</tr></thead>"


def cell(found: Cell) -> str:
    """Return a cell, with the number by which its column is sorted."""
    key = "" if found.key is None else f" data-key={found.key!r}"
    return f"<td{key}>{escaped(found.text)}</td>"


def _numbers(drawing: Drawing | None) -> Mapping[str, int]:
    """Return the numbers of the layers in the drawing, by their tensors."""
    return {} if drawing is None else {layer.tensor: number for number, layer in enumerate(drawing.nodes)}


def _table_of_layers(layers: LayersTable, marked: Mapping[str, str], numbers: Mapping[str, int], prefix: str) -> str:
    """Return the table; rows have links to the layers that have ``numbers``.

    Without links there are no details of a layer, and the table has all columns.
    """
    rows = sorted(layers.rows, key=lambda row: row.rank)
    shown = [place for place, each in enumerate(layers.columns) if each.is_main or not numbers]
    body = "".join(_row(row, shown, marked.get(row.tensor, ""), prefix, numbers.get(row.tensor)) for row in rows)
    head = heads((layers.columns[place].name, layers.columns[place].meaning) for place in shown)
    return f'<div class=wide><table class="by-layer texts{layers.texts}">{head}<tbody>{body}</tbody></table></div>'


def _row(row: LayerRow, places: Sequence[int], badge: str, prefix: str, number: int | None) -> str:
    """Return a row with the cells at some places, the first of which is the name."""
    name = escaped(row.cells[0].text)
    shown = name if number is None else f'<a href="#{prefix}-l{number}">{name}</a>'
    shown = f"<span class=badge>{escaped(badge)}</span>{shown}" if badge else shown
    mark = "" if number is None else f" data-layer={number} id={prefix}-row{number}"
    rest = "".join(cell(row.cells[place]) for place in places[1:])
    return f'<tr class={row.style}{mark}><td title="{name}">{shown}</td>{rest}</tr>'


def _meanings(content: Content) -> str:
    parts = "".join(f"<h3>{escaped(name)}</h3>{_explained(words)}" for name, words in content.meanings.items())
    return f"<section><details><summary>What the columns mean</summary>{parts}</details></section>"


def _explained(words: Iterable[tuple[str, str]]) -> str:
    return "<dl class=words>" + "".join(f"<dt>{escaped(a)}</dt><dd>{escaped(b)}</dd>" for a, b in words) + "</dl>"


def _again(content: Content) -> str:
    shown = "" if content.command is None else f"<pre><code>{escaped(content.command)}</code></pre>"
    return f"<section><h2>To make this report again</h2>{shown}{_explained(content.again)}</section>"
