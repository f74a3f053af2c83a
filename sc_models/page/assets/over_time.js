// Charts of a run's figures over time, drawn by uPlot with a common cursor, exportable as SVG or CSV.
'use strict';

(() => {
  const {element, save, csvOf, nameFor, onTheme} = TesseraPage;
  const HEIGHT = 150;
  const COLOURS = ['#3f8cc4', '#e0812a', '#4d9a55', '#9a6fb0', '#b8a02e', '#c9629a'];
  const kernelFills = ['rgba(127, 138, 148, 0.10)', 'rgba(127, 138, 148, 0.22)'];

  // Step chart: every value lasts until the next one.
  const stepped = (data, values) => [[...data.at, data.end], [...values, values[values.length - 1]]];

  function csv(data, figures) {
    const header = ['cycle', ...figures.map((figure) => `${figure.name} [${figure.unit}]`)];
    return csvOf([header, ...data.at.map((cycle, i) => [cycle, ...figures.map((figure) => figure.values[i])])]);
  }

  // Draws the whole figure as a standalone SVG.
  function svg(data, figure, colour) {
    const [width, height, left, bottom] = [1120, 220, 70, 190];
    const highest = Math.max(...figure.values, 1e-9);
    const most = figure.unit.startsWith('%') && highest <= 100 ? 100 : highest;
    const first = data.at[0];
    const x = (cycle) => (left + (cycle - first) / (data.end - first) * (width - left - 10)).toFixed(1);
    const y = (value) => (bottom - value / most * (bottom - 30)).toFixed(1);
    let path = '';
    data.at.forEach((cycle, i) => { path += `${i ? 'H' : 'M'}${x(cycle)}${i ? '' : ' '}${i ? 'V' : ''}${y(figure.values[i])}`; });
    const safe = (text) => text.replace(/[<>&]/g, (c) => `&#${c.charCodeAt(0)};`);
    const holder = element('div');
    holder.innerHTML = `<svg viewBox="0 0 ${width} ${height}"><rect width="${width}" height="${height}" fill="#fff"/>`
      + `<path d="${path}H${x(data.end)}" fill="none" stroke="${colour}" stroke-width="1.5"/>`
      + `<path d="M${left} 30V${bottom}H${width - 10}" fill="none" stroke="#666"/>`
      + '<g font-family="DejaVu Sans, sans-serif" font-size="12" fill="#333">'
      + `<text x="8" y="18">${safe(`${figure.name} [${figure.unit}]`)}</text>`
      + `<text x="${left - 6}" y="34" text-anchor="end">${Number(most.toPrecision(3))}</text>`
      + `<text x="${left - 6}" y="${bottom}" text-anchor="end">0</text>`
      + `<text x="${left}" y="${bottom + 16}">${first}</text>`
      + `<text x="${width - 10}" y="${bottom + 16}" text-anchor="end">${data.end} core cycles</text></g></svg>`;
    return new XMLSerializer().serializeToString(holder.firstChild) + '\n';
  }

  // Shares are drawn up to 100 %.
  const topOf = (figure, high) => (figure.unit.startsWith('%') && high <= 100 ? 100 : high > 0 ? high * 1.05 : 1);

  function draw(place, data, figure, colour, width) {
    const style = getComputedStyle(document.body);
    const grid = {stroke: 'rgba(127, 138, 148, 0.3)', width: 1};
    const axis = {stroke: style.color, grid, ticks: grid, font: '11px DejaVu Sans, sans-serif'};
    const bands = (plot) => {
      data.kernels.forEach((kernel, i) => {
        const left = plot.valToPos(kernel.begin, 'x', true);
        const right = plot.valToPos(kernel.end, 'x', true);
        plot.ctx.fillStyle = kernelFills[i % 2];
        plot.ctx.fillRect(left, plot.bbox.top, right - left, plot.bbox.height);
      });
    };
    const value = (_, v) => (v === null || v === undefined ? '–' : `${Number(v.toPrecision(4))} ${figure.unit}`);
    return new uPlot({
      width, height: HEIGHT,
      scales: {x: {time: false}, y: {range: (_, low, high) => [Math.min(0, low), topOf(figure, high)]}},
      axes: [axis, {...axis, size: 62}],
      series: [
        {label: 'core cycle', value: (_, v) => (v === null || v === undefined ? '–' : v.toLocaleString('en'))},
        {label: figure.name, stroke: colour, fill: colour + '28', width: 1.2, value, points: {show: false},
          paths: uPlot.paths.stepped({align: 1})},
      ],
      cursor: {sync: {key: 'over-time'}, drag: {x: true, y: false}},
      hooks: {drawClear: [bands]},
    }, stepped(data, figure.values), place);
  }

  function equip(place) {
    const data = JSON.parse(place.querySelector('script').textContent);
    if (!data.at.length) return;
    if (typeof uPlot === 'undefined') {
      place.append('Figures over time are drawn by uPlot, which this program was built without (-DTESSERA_UPLOT=FILE).');
      return;
    }
    const name = nameFor(place);
    place.append(element('div', {className: 'tools'}, element('button', {
      type: 'button', title: 'Save all figures',
      onclick: () => save(`${name}.csv`, 'text/csv', csv(data, data.figures)),
    }, 'CSV of all')));
    const plots = [];
    data.figures.forEach((figure, i) => {
      const colour = COLOURS[i % COLOURS.length];
      const file = `${name}_${figure.name.toLowerCase().replace(/[^a-z0-9]+/g, '_')}`;
      const field = element('div');
      place.append(element('div', {className: 'tools of-plot'},
        element('strong', {}, `${figure.name} `, element('small', {}, figure.unit)),
        element('button', {type: 'button', onclick: () => save(`${file}.svg`, 'image/svg+xml', svg(data, figure, colour))}, 'SVG'),
        element('button', {type: 'button', onclick: () => save(`${file}.csv`, 'text/csv', csv(data, [figure]))}, 'CSV')),
      field);
      plots.push({field, figure, colour});
    });
    const render = () => {
      for (const plot of plots) {
        if (plot.drawn) plot.drawn.destroy();
        plot.drawn = draw(plot.field, data, plot.figure, plot.colour, Math.max(300, place.clientWidth - 4));
      }
    };
    render();
    onTheme(render);
    let waiting = 0;
    addEventListener('resize', () => {
      clearTimeout(waiting);
      waiting = setTimeout(render, 200);
    });
  }

  document.addEventListener('DOMContentLoaded', () => document.querySelectorAll('.over-time').forEach(equip));
})();
