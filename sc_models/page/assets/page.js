// Interactive functions of all pages: sorting and filtering of tables, tooltips and export of charts, folding of
// sections, switching of colours. Pages are complete without this script. Nothing is fetched from other places.
'use strict';

const TesseraPage = (() => {
  const FEWEST_ROWS_TO_FILTER = 4;

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key in made) made[key] = value; else made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  }

  // Saving

  function save(name, type, text) {
    const address = URL.createObjectURL(new Blob([text], {type}));
    const link = element('a', {href: address, download: name});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  function csvOf(rows) {
    // Spreadsheets would interpret such a text as a formula.
    const safe = (text) => /^[=+\-@\t\r]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text;
    const cell = (text) => /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    return rows.map((row) => row.map((text) => cell(safe(String(text)))).join(',') + '\n').join('');
  }

  // File name of an element: the last heading before it.
  function nameFor(node) {
    let found = null;
    for (const heading of document.querySelectorAll('h1, h2, h3, h4')) {
      if (heading.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING) found = heading;
    }
    const text = (found ? found.textContent : document.title).toLowerCase().replace(/[^a-z0-9]+/g, '_');
    return text.replace(/^_+|_+$/g, '').slice(0, 60) || 'tessera';
  }

  // Tables

  // A number with optional interval and unit: "1,234", "22.0 ± 3.7 %", "1.2 GB/s".
  const NUMBER = /^([+-]?(?:\d[\d,]*)?\.?\d+(?:e[+-]?\d+)?)(?:\s*±[^a-zµ%]*)?\s*[a-zµ%/]*$/i;

  function numberIn(text) {
    const found = NUMBER.exec(text.trim().replace('−', '-'));
    return found ? Number(found[1].replaceAll(',', '')) : NaN;
  }

  const isEmpty = (text) => ['', '-', '='].includes(text.trim());

  // Comparison of rows by a column: numeric if all its cells are numbers; empty cells are last in both directions.
  function comparison(rows, column, descending) {
    const text = (row) => row.cells[column] ? row.cells[column].textContent : '';
    const numeric = rows.every((row) => isEmpty(text(row)) || !isNaN(numberIn(text(row))));
    const sign = descending ? -1 : 1;
    return (a, b) => {
      const [x, y] = [text(a), text(b)];
      if (isEmpty(x) || isEmpty(y)) return isEmpty(x) - isEmpty(y);
      return sign * (numeric ? numberIn(x) - numberIn(y) : x.localeCompare(y, 'en', {numeric: true}));
    };
  }

  function sortable(table) {
    const body = table.tBodies[0];
    const original = [...body.rows];
    const headers = [...table.tHead.rows[0].cells];
    headers.forEach((header, column) => {
      const button = element('button', {className: 'sort', type: 'button'}, ...header.childNodes);
      header.replaceChildren(button);
      button.addEventListener('click', () => {
        // Cycles through ascending, descending and original order.
        const next = {ascending: 'descending', descending: null}[header.getAttribute('aria-sort')];
        const order = next === undefined ? 'ascending' : next;
        headers.forEach((other) => other.removeAttribute('aria-sort'));
        const rows = [...original];
        if (order) {
          header.setAttribute('aria-sort', order);
          const moving = rows.filter((row) => !row.classList.contains('mean'));
          moving.sort(comparison(moving, column, order === 'descending'));
          rows.splice(0, rows.length, ...moving, ...rows.filter((row) => row.classList.contains('mean')));
        }
        body.append(...rows);
      });
    });
  }

  function rowsForCsv(table) {
    return [...table.rows].filter((row) => !row.classList.contains('filtered'))
      .map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
  }

  function filterable(table, tools) {
    const rows = [...table.tBodies[0].rows];
    const count = element('span', {role: 'status'});
    const field = element('input', {type: 'search', placeholder: 'filter rows'});
    field.setAttribute('aria-label', 'Show only rows with this text');
    field.addEventListener('input', () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        const fits = words.every((word) => text.includes(word));
        row.classList.toggle('filtered', !fits);
        shown += fits;
      }
      count.textContent = words.length ? `${shown} of ${rows.length} rows` : '';
    });
    tools.append(field, count);
  }

  function equipTable(table) {
    if (!table.tHead || !table.tBodies.length || table.tBodies[0].rows.length < 2) return;
    sortable(table);
    const tools = element('div', {className: 'tools'});
    if (table.tBodies[0].rows.length >= FEWEST_ROWS_TO_FILTER) filterable(table, tools);
    tools.append(element('button', {
      type: 'button', title: 'Save the rows that are shown',
      onclick: () => save(nameFor(table) + '.csv', 'text/csv', csvOf(rowsForCsv(table))),
    }, 'CSV'));
    (table.closest('.scroll') || table).before(tools);
  }

  // Charts

  // Tooltips of a chart's marks as table rows: "layer, series: 12.3" becomes "layer, series" and 12.3.
  function marksOf(svg) {
    const rows = [['mark', 'value']];
    for (const title of svg.querySelectorAll('title')) {
      if (!title.textContent) continue;
      const at = title.textContent.lastIndexOf(': ');
      rows.push(at < 0 ? [title.textContent, ''] : [title.textContent.slice(0, at), title.textContent.slice(at + 2)]);
    }
    return rows;
  }

  // The chart as a standalone file in its current colours.
  function standalone(svg) {
    const copy = svg.cloneNode(true);
    const originals = [svg, ...svg.querySelectorAll('*')];
    [copy, ...copy.querySelectorAll('*')].forEach((node, i) => {
      const style = getComputedStyle(originals[i]);
      for (const property of ['fill', 'stroke']) node.setAttribute(property, style[property]);
      node.classList.remove('under-pointer');
    });
    copy.setAttribute('width', svg.viewBox.baseVal.width);
    copy.setAttribute('font-family', 'DejaVu Sans, sans-serif');
    copy.style.background = getComputedStyle(document.body).backgroundColor;
    return new XMLSerializer().serializeToString(copy) + '\n';
  }

  function equipChart(svg) {
    const name = nameFor(svg);
    const saver = (label, type, text) => element('button', {
      type: 'button', title: `Save this chart as ${label}`,
      onclick: () => save(`${name}.${label.toLowerCase()}`, type, text()),
    }, label);
    (svg.closest('.chart') || svg).before(element('div', {className: 'tools of-chart'},
      saver('SVG', 'image/svg+xml', () => standalone(svg)), saver('CSV', 'text/csv', () => csvOf(marksOf(svg)))));
  }

  // Shows the tooltip of a mark at once; the browser's own takes a second.
  function showTips() {
    const tip = element('div', {className: 'tip', hidden: true});
    document.body.append(tip);
    let marked = null;
    document.addEventListener('pointermove', (event) => {
      const svg = event.target.closest && event.target.closest('svg');
      let mark = svg ? event.target : null;
      while (mark && mark !== svg && !mark.dataset.tip && !mark.querySelector(':scope > title')) mark = mark.parentNode;
      if (mark === svg) mark = null;
      if (mark !== marked) {
        if (marked) marked.classList.remove('under-pointer');
        if (mark) mark.classList.add('under-pointer');
        marked = mark;
      }
      const title = mark && mark.querySelector(':scope > title');
      const text = title ? title.textContent : '';
      tip.hidden = text === '';
      if (!text) return;
      tip.textContent = text;
      placeTip(tip, event.clientX, event.clientY);
    });
  }

  function placeTip(tip, x, y) {
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 8))}px`;
    tip.style.top = `${y + 18 + box.height > innerHeight ? y - box.height - 10 : y + 18}px`;
  }

  // Sections, colours, print

  const beginsSection = (node) => node.nodeName === 'H2' || (node.querySelector && node.querySelector('h2'));

  // All elements from a heading to the next one.
  function foldSections() {
    for (const heading of document.querySelectorAll('body > h2, body > section > h2')) {
      const inside = [];
      for (let next = heading.nextSibling; next && !beginsSection(next); next = next.nextSibling) inside.push(next);
      const section = element('details', {className: 'section', open: true});
      heading.before(section);
      section.append(element('summary', {}, heading), ...inside);
    }
  }

  const listeners = [];

  function addThemeSwitch() {
    const names = ['auto', 'light', 'dark'];
    const root = document.documentElement;
    let chosen = 'auto';
    try {
      chosen = localStorage.getItem('tessera-theme') || 'auto';
    } catch { /* the page may have no storage */ }
    const button = element('button', {id: 'theme', type: 'button', title: 'Light, dark, or as the system has it'});
    const show = () => {
      if (chosen === 'auto') delete root.dataset.theme; else root.dataset.theme = chosen;
      button.textContent = `colours: ${chosen}`;
      listeners.forEach((listener) => listener());
    };
    button.addEventListener('click', () => {
      chosen = names[(names.indexOf(chosen) + 1) % names.length];
      try {
        localStorage.setItem('tessera-theme', chosen);
      } catch { /* as above */ }
      show();
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => listeners.forEach((f) => f()));
    document.body.append(button);
    show();
  }

  // Lines over the colours of a chart's bars, each in tiles of 8 by 8 pixels, so that bars differ without colour, too.
  const HATCHES = ['', 'M-1 9L9 -1M-1 1L1 -1M7 9L9 7', 'M-1 -1L9 9M7 -1L9 1M-1 7L1 9', 'M0 4H8', 'M4 0V8', 'M-1 9L9 -1M-1 -1L9 9', 'M0 4H8M4 0V8',
    'M0 2H4M4 6H8', 'M2 0V4M6 4V8', 'M3 4H5', 'M0 2H8M0 4H8', 'M2 0V8M4 0V8'];
  const HATCH_WIDTHS = [1, 2.2];  // for charts of more than twelve colours

  function vector(svg, name, attributes, ...children) {
    const made = document.createElementNS(svg.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  // Whether a computed colour, "rgb(8, 48, 107)", is nearer to black than to white.
  function isDark(colour) {
    const [red, green, blue] = colour.match(/\d+/g).map(Number);
    return 0.299 * red + 0.587 * green + 0.114 * blue < 110;
  }

  // Fills the bars of a chart with patterns, one for each colour; returns a function that takes them away.
  function hatch(svg, chart) {
    const marks = [...svg.querySelectorAll('rect')].map((mark) => [mark, getComputedStyle(mark)])
      .filter(([, style]) => style.fill !== 'none' && style.stroke === 'none').map(([mark, style]) => [mark, style.fill]);
    const colours = [...new Set(marks.map(([, fill]) => fill))];
    if (colours.length < 2) return () => {};
    const patterns = colours.map((fill, i) => vector(svg, 'pattern',
      {id: `hatch-${chart}-${i}`, width: 8, height: 8, patternUnits: 'userSpaceOnUse'},
      vector(svg, 'rect', {width: 8, height: 8, fill}),
      vector(svg, 'path', {d: HATCHES[i % HATCHES.length], stroke: isDark(fill) ? '#fff' : '#000', fill: 'none',
        'stroke-width': HATCH_WIDTHS[Math.floor(i / HATCHES.length) % HATCH_WIDTHS.length]})));
    const defs = vector(svg, 'defs', {}, ...patterns);
    svg.append(defs);
    for (const [mark, fill] of marks) mark.style.fill = `url(#hatch-${chart}-${colours.indexOf(fill)})`;
    return () => {
      defs.remove();
      for (const [mark] of marks) mark.style.fill = '';
    };
  }

  // Prints folded sections, too, canvases in the colours for paper, and bars with patterns.
  function printAll() {
    matchMedia('print').addEventListener('change', () => listeners.forEach((listener) => listener()));
    let restore = [];
    const after = () => {
      restore.forEach((undo) => undo());
      restore = [];
    };
    addEventListener('beforeprint', () => {
      after();
      const closed = [...document.querySelectorAll('details:not([open])')];
      closed.forEach((part) => { part.open = true; });
      restore = [...document.querySelectorAll('svg[role=img]')].map(hatch);
      restore.push(() => closed.forEach((part) => { part.open = false; }));
    });
    addEventListener('afterprint', after);
  }

  function start() {
    document.querySelectorAll('table').forEach(equipTable);
    document.querySelectorAll('svg[role=img]').forEach(equipChart);
    showTips();
    foldSections();
    addThemeSwitch();
    printAll();
  }

  return {
    start, element, save, csvOf, nameFor, placeTip,
    // Called after the colours have changed.
    onTheme: (listener) => listeners.push(listener),
  };
})();

document.addEventListener('DOMContentLoaded', TesseraPage.start);
