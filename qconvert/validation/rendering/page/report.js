// Makes each report of the page live: sorting, filters, the drawing of the network, and the details of a layer.
// Texts are set as text, never as markup.
'use strict';

function element(name, attributes = {}, ...children) {
  const svg = ['svg', 'g', 'rect', 'path', 'text', 'title'].includes(name);
  const made = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function rows(head, lines, figures = []) {
  const cells = (line, kind) => line.map((cell, i) => element(kind, figures.includes(i) ? {class: 'figure'} : {}, String(cell)));
  const all = lines.map(line => element('tr', {}, ...cells(line, 'td')));
  return element('table', {}, ...(head ? [element('tr', {}, ...cells(head, 'th'))] : []), ...all);
}

const count = number => number.toLocaleString('en');
const signed = number => (number > 0 ? '+' : '') + number;
// A layer of floats counts steps of its unit, at most 2^32: what is beyond may be infinite or NaN. Other layers have integers.
const real = (layer, number) => !layer.unit ? number : Math.abs(number) < 2 ** 32 ? Number((number * layer.unit).toPrecision(4)) : 'beyond';

function histogram(layer) {
  const found = new Map(layer.bars.map(bar => [bar[0], bar]));
  for (const place of [-1, 0, 1]) if (!found.has(place)) found.set(place, [place, place, 0, 0]);
  const bars = [...found.values()].sort((a, b) => a[0] - b[0]);
  const width = 360 / bars.length, top = Math.log10(Math.max(...bars.map(bar => bar[2])) + 1);
  const chart = element('svg', {class: 'chart', viewBox: '0 0 380 150', role: 'img', 'aria-label': 'histogram of differences'});
  bars.forEach(([low, high, number, ties], i) => {
    const height = number ? Math.max(3, 100 * Math.log10(number + 1) / top) : 0, tied = number ? height * ties / number : 0;
    const x = 10 + i * width, label = low === high ? signed(low) : `${signed(low)}…${signed(high)}`;
    const shape = (kind, y, size) => element('rect', {class: kind, x: x + width * .1, y, width: width * .8, height: size});
    const name = element('title', {}, `${label} ${layer.unit ? 'steps' : 'LSB'}: ${count(number)} elements${ties ? `, ${count(ties)} of them ties` : ''}`);
    const plain = low === 0 ? 'same' : 'apart', middle = {x: x + width / 2, 'text-anchor': 'middle'};
    chart.append(element('g', {}, name, shape(plain, 125 - height, height - tied), shape('tied', 125 - tied, tied)));
    const least = i === 0 && low !== high ? {x: 0, 'text-anchor': 'start'} : middle;
    if (bars.length < 8 || i % Math.ceil(bars.length / 6) === 0) chart.append(element('text', {...least, y: 140}, label));
    if (bars.length < 8) chart.append(element('text', {...middle, y: 119 - height}, count(number)));
  });
  chart.append(element('path', {class: 'axis', d: 'M10 125H370'}));
  return chart;
}

// A bar for each index of a dimension that has elements that differ, over all indices of the dimension.
function places(layer, [axis, size, width, groups]) {
  const name = axis === layer.channels ? 'channel' : `index of dimension ${axis}`;
  const step = 360 / size, top = Math.log10(Math.max(...groups.map(group => group[1])) + 1);
  const chart = element('svg', {class: 'chart', viewBox: '0 0 380 110', role: 'img', 'aria-label': `differences by ${name}`});
  for (const [first, number, ties, largest] of groups) {
    const height = Math.max(3, 75 * Math.log10(number + 1) / top), wide = Math.max(2, step * width * .8);
    const label = width > 1 ? `${first} to ${first + width - 1}` : first;
    const tip = element('title', {}, `${name} ${label}: ${count(number)} elements differ${ties ? `, ${count(ties)} of them ties` : ''}, by up to ${count(largest)} ${layer.unit ? 'steps' : 'LSB'}`);
    chart.append(element('rect', {class: number > ties ? 'apart' : 'tied', x: 10 + first * step, y: 85 - height, width: wide, height}, tip));
  }
  chart.append(element('path', {class: 'axis', d: 'M10 85H370'}));
  for (const place of [0, size - 1]) chart.append(element('text', {x: place ? 370 : 10, y: 99, 'text-anchor': place ? 'end' : 'start'}, String(place)));
  const worst = groups.reduce((a, b) => b[1] > a[1] ? b : a), total = groups.reduce((sum, group) => sum + group[1], 0);
  const most = `${name} ${worst[0]}${width > 1 ? ` to ${worst[0] + width - 1}` : ''}`;
  const where = groups.length === 1
    ? `All ${count(total)} elements that differ are in ${most} of ${count(size)}.`
    : `${count(groups.length)} of ${count(Math.ceil(size / width))} bars have elements that differ, most of them ${most}: ${count(worst[1])} of ${count(total)}.`;
  return [chart, element('p', {class: 'hint'}, `${where} The heights are logarithms.`)];
}

// All dimensions, first that of the channels unless another one has the differences at far fewer indices.
function everyPlace(layer) {
  const channels = layer.places.find(place => place[0] === layer.channels), best = layer.places[0];
  const share = ([, size, width, groups]) => groups.length * width / size;
  const shown = channels && share(channels) <= 2 * share(best) ? channels : best;
  const others = layer.places.filter(place => place !== shown).flatMap(place => places(layer, place));
  const title = shown === channels ? 'channel' : `index of dimension ${shown[0]}`;
  const rest = others.length ? [element('details', {}, element('summary', {}, 'Other dimensions'), ...others)] : [];
  return [element('h3', {}, `Differences by ${title}`), ...places(layer, shown), ...rest];
}

function integers(layer, sides) {
  const low = Math.min(...layer.integers.map(side => side[0]));
  const high = Math.max(...layer.integers.map(([first, width, counts]) => first + width * counts.length));
  const scale = 360 / (high - low), top = Math.log10(Math.max(...layer.integers.flatMap(side => side[2])) + 1);
  const chart = element('svg', {class: 'chart', viewBox: '0 0 380 130', role: 'img', 'aria-label': `integers of ${sides.join(' and ')}`});
  layer.integers.forEach(([first, width, counts], side) => {
    const x = i => (10 + (first - low + i * width) * scale).toFixed(1), y = number => number ? Math.min(103, 105 - 95 * Math.log10(number + 1) / top).toFixed(1) : 105;
    const line = counts.map((number, i) => `V${y(number)}H${x(i + 1)}`).join('');
    chart.append(element('path', {class: side ? 'outline' : 'filled', d: `M${x(0)} 105${line}V105`}));
  });
  chart.append(element('path', {class: 'axis', d: 'M10 105H370'}));
  for (const [value, x, anchor] of [[low, 10, 'start'], [high - 1, 370, 'end']]) chart.append(element('text', {x, y: 120, 'text-anchor': anchor}, real(layer, value)));
  return chart;
}

function scatter(layer, [first, second]) {
  const ends = layer.points.flatMap(point => point.slice(0, 2)), low = Math.min(...ends);
  const high = Math.max(...ends) + layer.width, cell = Math.max(2, 230 * layer.width / (high - low));
  const place = value => 230 * (value - low) / (high - low), most = Math.log(Math.max(...layer.points.map(point => point[2])) + 1);
  const chart = element('svg', {class: 'chart', viewBox: '0 0 320 275', role: 'img', 'aria-label': `${first} against ${second}`});
  chart.append(element('path', {class: 'axis', d: 'M45 10V240H275M45 240L275 10'}));
  const sorted = [...layer.points].sort((a, b) => (a[3] > 0) - (b[3] > 0));
  for (const [reference, result, number, differing] of sorted) {
    const name = element('title', {}, `${first} ${real(layer, reference)}, ${second} ${real(layer, result)}: ${count(number)} elements, ${count(differing)} differ`);
    const size = differing ? Math.max(cell, 5) : cell, extra = (size - cell) / 2;
    const position = {x: 45 + place(reference) - extra, y: 240 - place(result) - cell - extra, width: size, height: size};
    const opacity = .35 + .65 * Math.log(number + 1) / most;
    chart.append(element('rect', {...position, class: differing ? 'apart' : 'same', opacity}, name));
  }
  for (const value of [low, high - layer.width]) {
    chart.append(element('text', {x: 45 + place(value), y: 253, 'text-anchor': value === low ? 'start' : 'middle'}, real(layer, value)));
    chart.append(element('text', {x: 41, y: 240 - place(value), 'text-anchor': 'end'}, real(layer, value)));
  }
  chart.append(element('text', {x: 160, y: 269, 'text-anchor': 'middle'}, first));
  chart.append(element('text', {x: 12, y: 125, 'text-anchor': 'middle', transform: 'rotate(-90 12 125)'}, second));
  return chart;
}

// Both sides of a tensor in rows below each other; a scale that differs is marked.
function tensors(layer, sides) {
  const table = rows(['', 'type', 'scale', 'zero point'], []);
  table.className = 'sides';
  let before = '';
  for (const [role, name, type, scale, zero, side, differs] of layer.tensors) {
    const place = `${role} ${name}`;
    if (place !== before) table.append(element('tr', {}, element('th', {colspan: 4}, place)));
    before = place;
    const [line] = rows(null, [[sides[side] ?? '', type, scale, zero]]).rows;
    table.append(line);
    if (!differs) continue;
    line.cells[2].className = 'unequal';
    if (differs !== scale) line.cells[2].append(element('br'), differs);
  }
  return table;
}

function constant(name, low, width, counts) {
  const top = Math.log10(Math.max(...counts) + 1), step = 360 / counts.length;
  const chart = element('svg', {class: 'chart', viewBox: '0 0 380 80', role: 'img', 'aria-label': `histogram of ${name}`});
  counts.forEach((number, i) => {
    const height = number ? Math.max(2, 50 * Math.log10(number + 1) / top) : 0, label = width > 1 ? `${low + i * width} to ${low + i * width + width - 1}` : low + i * width;
    chart.append(element('rect', {class: 'same', x: 10 + i * step, y: 60 - height, width: step * .9, height}, element('title', {}, `${label}: ${count(number)}`)));
  });
  chart.append(element('path', {class: 'axis', d: 'M10 60H370'}));
  for (const [value, x, anchor] of [[low, 10, 'start'], [low + width * counts.length - 1, 370, 'end']]) chart.append(element('text', {x, y: 74, 'text-anchor': anchor}, count(value)));
  return [chart, element('p', {class: 'hint'}, 'The heights are logarithms.')];
}

function legend(layer) {
  const kinds = {same: 'equal', apart: 'differ', ...(layer.bars.some(bar => bar[3]) ? {tied: 'ties'} : {})};
  return element('ul', {class: 'legend'}, ...Object.entries(kinds).map(([kind, text]) => element('li', {class: kind}, text)));
}

function details(layer, sides) {
  const heading = text => element('h3', {}, text), hint = text => element('p', {class: 'hint'}, text);
  const parts = [heading(`${layer.node}${layer.op ? ` (${layer.op})` : ''}`)];
  parts.push(layer.facts.length ? element('div', {class: 'facts'}, rows(null, layer.facts)) : hint('This layer was not compared.'));
  const isTold = differs => layer.facts.some(([, text]) => text.includes(differs));
  for (const [role, name, , , , , differs] of layer.tensors) if (differs && !isTold(differs)) parts.push(element('p', {class: 'unequal'}, `${role} ${name}: the scale differs: ${differs}`));
  if (layer.places?.length) parts.push(...everyPlace(layer));
  parts.push(heading('Tensors'), tensors(layer, sides));
  if (layer.why) parts.push(hint(`${sides[1]}: this part of the file cannot be read: ${layer.why}`));
  if (layer.bars) {
    const [first, second] = sides, named = text => text[0].toUpperCase() + text.slice(1);
    const where = layer.unit ? `steps of ${layer.unit.toPrecision(3)}` : 'LSB', cell = layer.unit ? real(layer, layer.width) : layer.width;
    parts.push(heading(`Differences in ${where}`), histogram(layer), legend(layer), hint(`${named(second)} minus ${first}. The heights are logarithms.`));
    if (layer.unit) parts.push(hint('A step is 0.0001 of the largest value; a difference of half a step counts as none here.'));
    if (layer.integers.length) {
      const kinds = element('ul', {class: 'legend'}, element('li', {class: 'same'}, first), element('li', {class: 'outline'}, second));
      parts.push(heading(layer.unit ? 'Values of both' : 'Integers of both'), integers(layer, sides), kinds, hint('The heights are logarithms.'));
    }
    if (layer.points.length) parts.push(heading(`${named(first)} against ${second}`), scatter(layer, sides), hint(`${layer.unit ? 'Values' : 'Integers'} of all elements, in cells of ${cell}; the stronger a point, the more elements.`));
    if (layer.largest.length) {
      const lines = layer.largest.map(([sample, index, reference, result, tie]) =>
        [sample, index.join(', '), real(layer, reference), real(layer, result), Math.max(Math.abs(reference), Math.abs(result)) < 2 ** 32 ? signed(real(layer, result - reference)) : 'beyond', tie ? 'tie' : '']);
      parts.push(heading('Largest differences'), rows(['sample', 'index', first, second, layer.unit ? 'difference' : 'LSB', ''], lines, [2, 3, 4]));
    }
  }
  for (const [name, low, width, counts, where] of layer.weights) parts.push(heading(`Integers of ${name}, ${where.map(side => sides[side]).join(' and ')}`), ...constant(name, low, width, counts));
  layer.ops.forEach((all, side) => { if (all.length) parts.push(heading(`Operators, ${sides[side]}`), rows(null, all)); });
  parts.push(heading('Source nodes'), rows(null, layer.nodes));
  return parts;
}

function sorting(table) {
  const order = new Intl.Collator('en', {numeric: true}).compare;
  for (const button of table.querySelectorAll('th button')) button.onclick = () => {
    const head = button.closest('th'), up = head.ariaSort !== 'ascending';
    const key = row => {
      const cell = row.cells[head.cellIndex];
      return cell.dataset.key ?? (cell.title || cell.textContent);  // the title of a name has no badge
    };
    const compare = (a, b) => 'key' in a.cells[head.cellIndex].dataset ? key(a) - key(b) : order(key(a), key(b));
    table.tBodies[0].append(...[...table.tBodies[0].rows].sort((a, b) => (up ? 1 : -1) * compare(a, b)));
    for (const other of table.querySelectorAll('th')) other.removeAttribute('aria-sort');
    head.ariaSort = up ? 'ascending' : 'descending';
  };
}

function filters(root, layers) {
  const form = root.querySelector('.filters');
  const [search, select, output] = ['input', 'select', 'output'].map(name => form.querySelector(name));
  const lines = [...root.querySelectorAll('.by-layer tbody tr')];
  const nodes = new Map([...root.querySelectorAll('svg [data-layer]')].map(node => [node.dataset.layer, node]));
  const texts = lines.map(line => {
    const layer = layers[line.dataset.layer];
    return `${line.textContent} ${layer ? `${layer.tensor} ${layer.nodes.flat().join(' ')}` : ''}`.toLowerCase();
  });
  const kind = lines.map(line => line.classList[0]);
  form.onsubmit = event => event.preventDefault();
  form.oninput = () => {
    const wanted = search.value.trim().toLowerCase(), kinds = select.selectedOptions[0].dataset.kinds;
    lines.forEach((line, i) => {
      line.hidden = !(texts[i].includes(wanted) && (!kinds || kinds.split(' ').includes(kind[i])));
      nodes.get(line.dataset.layer)?.classList.toggle('dim', line.hidden);
    });
    output.textContent = `${lines.filter(line => !line.hidden).length} of ${lines.length}`;
  };
}

function explorer(root, layers) {
  const canvas = root.querySelector('.canvas'), svg = canvas.querySelector('svg'), aside = root.querySelector('.details');
  const nodes = [...svg.querySelectorAll('a.node')], lines = [...root.querySelectorAll('tr[data-layer]')];
  const size = {width: Number(svg.dataset.width), height: Number(svg.dataset.height)};
  const view = Panzoom(svg.querySelector('.scene'), {canvas: true, minScale: .01, maxScale: 3, origin: '0 0'});
  const set = (scale, x, y) => { view.zoom(scale, {force: true}); view.pan(x / scale, y / scale, {force: true}); };
  const fit = least => {
    const {clientWidth: width, clientHeight: height} = canvas;
    const scale = Math.max(Math.min(1, (width - 32) / size.width, (height - 32) / size.height), Math.min(least, (width - 32) / size.width));
    set(scale, (width - size.width * scale) / 2, 16);
  };
  const zoom = factor => {
    const before = view.getScale(), {x, y} = view.getPan(), scale = Math.min(3, Math.max(.01, before * factor));
    const shift = (1 / scale - 1 / before) / 2;
    set(scale, (x + canvas.clientWidth * shift) * scale, (y + canvas.clientHeight * shift) * scale);
  };
  const show = node => {
    const box = node.transform.baseVal.consolidate().matrix, scale = Math.max(.8, Math.min(1, view.getScale()));
    set(scale, canvas.clientWidth / 2 - (box.e + 88) * scale, canvas.clientHeight / 2 - (box.f + 28) * scale);
  };
  const choose = (number, from) => {
    for (const each of [...nodes, ...lines]) each.classList.toggle('chosen', each.dataset.layer === String(number));
    aside.replaceChildren(...details(layers[number], [root.dataset.first, root.dataset.second]));
    aside.scrollTop = 0;
    chosen = number;
    const line = lines.find(each => each.dataset.layer === String(number)), box = line?.closest('.wide');
    if (from !== 'table' && box) box.scrollTop = line.offsetTop - box.clientHeight / 3;
    if (line?.id) aside.firstChild.after(element('a', {class: 'to-row', href: `#${line.id}`}, 'row in the table'));
    if (from !== 'drawing') show(nodes.find(node => node.dataset.layer === String(number)));
    if (from === 'table') (innerWidth > 720 ? root.querySelector('.explorer') : aside).scrollIntoView();
  };
  const step = (by, passed = []) => {
    const wanted = nodes.filter(node => ![...passed, 'dim'].some(kind => node.classList.contains(kind)));
    const numbers = wanted.map(node => Number(node.dataset.layer)).sort((a, b) => by * (a - b));
    const next = numbers.find(number => by * (number - chosen) > 0) ?? numbers[0];
    if (next !== undefined) choose(next);
  };
  const find = canvas.querySelector('.find'), filter = root.querySelector('.filters');
  find.oninput = () => {
    filter.querySelector('input').value = find.querySelector('input').value;
    filter.oninput();
  };
  find.onsubmit = event => { event.preventDefault(); step(1); };
  let chosen = -1;
  const equal = ['equal', 'unknown'];
  const tools = {in: () => zoom(1.4), out: () => zoom(1 / 1.4), fit: () => fit(0), next: () => step(1, equal), previous: () => step(-1, equal)};
  for (const button of canvas.querySelectorAll('button')) button.onclick = tools[button.dataset.do];
  for (const bar of root.querySelectorAll('[data-bar]')) bar.onclick = () => choose(Number(bar.dataset.bar), 'table');
  canvas.addEventListener('wheel', event => { if (event.ctrlKey || event.metaKey) view.zoomWithWheel(event); }, {passive: false});
  root.addEventListener('click', event => {
    const link = event.target.closest('[href]:not(.to-row)'), place = link?.closest('[data-layer]');
    if (!place) return;
    event.preventDefault();
    history.replaceState(null, '', link.getAttribute('href'));
    choose(Number(place.dataset.layer), place.matches('tr') ? 'table' : 'drawing');
  });
  const [, named] = location.hash.match(`^#${root.dataset.prefix}-l(\\d+)$`) ?? [];
  setTimeout(() => {  // after Panzoom's own first position
    fit(.5);
    if (layers[named]) choose(Number(named), 'table');
    else if (root.dataset.chosen) choose(Number(root.dataset.chosen));
  });
  if (!layers[named] && !root.dataset.chosen) aside.append(element('p', {class: 'hint'}, 'Choose a layer to see its figures, tensors and nodes. Drag to move the drawing; zoom with the buttons, two fingers, or Ctrl and the wheel.'));
}

function begin(root) {
  for (const link of root.querySelectorAll('[data-opens]')) link.onclick = () => { document.getElementById(link.dataset.opens).open = true; };
  const layers = JSON.parse(root.querySelector('script[type="application/json"]')?.textContent ?? '[]');
  for (const table of root.querySelectorAll('.by-layer, .sorted')) sorting(table);
  if (root.querySelector('.filters')) filters(root, layers);
  if (layers.length) explorer(root, layers);
}

for (const root of document.querySelectorAll('.report')) {
  const folded = root.closest('details');
  if (folded && !folded.open) folded.addEventListener('toggle', () => begin(root), {once: true});
  else begin(root);
}
