// User interface of a timeline: zoom and pan by wheel, drag and keys, details of spans, search.
'use strict';

(() => {
  const {element, placeTip, onTheme} = TesseraPage;
  const {View, GUTTER} = TimelineView;
  const ZOOM = 1.25; // factor of one step
  const PAN = 0.12; // fraction of the visible range

  const number = (value) => value.toLocaleString('en');

  // "warp=3" compares a detail of a span; other text matches a part of its name.
  function predicateOf(data, text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return null;
    const pair = /^([a-z_ ]+?)\s*=\s*(\S+)$/.exec(wanted);
    const column = pair ? data.column(data.keys.map((key) => key.name).find((name) => name.toLowerCase() === pair[1])) : null;
    if (column) {
      const value = column.kind === 'text' ? data.texts.findIndex((known) => known.toLowerCase() === pair[2])
        : Number(pair[2]);
      const fitting = new Uint8Array(data.count);
      column.spans.forEach((span, i) => { fitting[span] = column.values[i] === value; });
      return (span) => fitting[span] === 1;
    }
    const fitting = data.names.map((name) => name.toLowerCase().includes(wanted));
    return (span) => fitting[data.spanNames[span]];
  }

  function describe(data, {item, lane, index}) {
    const begin = lane.begins[index];
    const end = lane.ends[index];
    const times = `${number(data.first + begin)} to ${number(data.first + end)}, ${number(end - begin)} cycles`;
    if (item.textOf) return [item.textOf(index), times].join('\n');
    const span = lane.spanOf(index);
    const row = data.rowOf(span);
    return [data.nameOf(span), times, `${row.process}, ${item.label.startsWith('memory') ? 'in flight' : row.thread}`,
      data.detailsOf(span)].filter(Boolean).join('\n');
  }

  function describeFigure(data, figure, time) {
    const i = TimelineData.firstAbove(figure.at, time) - 1;
    if (i < 0 || time >= figure.end) return '';
    const end = i + 1 < figure.at.length ? figure.at[i + 1] : figure.end;
    return `${figure.name}: ${number(figure.values[i])} ${figure.unit}\n`
      + `${number(data.first + figure.at[i])} to ${number(data.first + end)}`;
  }

  function start() {
    const place = document.getElementById('timeline');
    const data = new TimelineData.Timeline();
    const canvas = element('canvas', {tabIndex: 0});
    canvas.setAttribute('role', 'application');
    canvas.setAttribute('aria-label', 'Timeline. W and S zoom, A and D pan, arrows up and down scroll, slash searches.');
    const field = element('input', {type: 'search', placeholder: 'search: a name, warp=3'});
    field.setAttribute('aria-label', 'Search spans');
    const found = element('span', {className: 'found', role: 'status'});
    const whole = element('button', {type: 'button', title: 'The whole time (0)'}, 'whole');
    const keys = element('span', {className: 'keys'},
      'wheel or W S: zoom · drag, shift+wheel or A D: pan · wheel on names or ↑ ↓: scroll · double click: fit a span '
      + '· / search, Enter: next');
    const chosen = element('p', {className: 'chosen', role: 'status'});
    const tip = element('div', {className: 'tip', hidden: true});
    place.append(element('div', {className: 'bar'}, field, found, whole, keys), canvas, chosen);
    document.body.append(tip);

    const view = new View(canvas, data);
    const resize = () => {
      canvas.style.height = `${Math.min(view.height + 4, Math.max(300, innerHeight - 190))}px`;
      view.draw();
    };

    function choose(place_, fit) {
      const {lane, index, item} = place_;
      view.chosen = item.textOf ? -1 : lane.spanOf(index);
      chosen.textContent = describe(data, place_).replaceAll('\n', ' · ');
      const [begin, end] = [lane.begins[index], lane.ends[index]];
      if (fit) {
        view.show(begin - (end - begin) * 0.1, end + (end - begin) * 0.1);
      } else if (begin < view.from || end > view.to) {
        const half = (view.to - view.from) / 2;
        view.show((begin + end) / 2 - half, (begin + end) / 2 + half);
      }
      const top = item.top - view.scrolled;
      if (top < 30 || top + item.height > canvas.clientHeight) view.scroll(top - canvas.clientHeight / 2);
      view.draw();
    }

    // Search

    let searched = '';
    function search() {
      searched = field.value;
      const fits = predicateOf(data, searched);
      const count = view.search(fits);
      found.textContent = fits ? `${number(count)} spans` : '';
      view.draw();
    }
    function step(forward) {
      if (field.value !== searched) search();
      const current = view.chosen >= 0 ? data.begins[view.chosen] : forward ? -1 : Infinity;
      const next = view.nextFound(current, forward) || view.nextFound(forward ? -1 : Infinity, forward);
      if (next) choose(next, false);
    }
    let waiting = 0;
    field.addEventListener('input', () => {
      clearTimeout(waiting);
      waiting = setTimeout(search, 150);
    });
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') step(!event.shiftKey);
      if (event.key === 'Escape') {
        field.value = '';
        search();
        canvas.focus();
      }
    });

    // Wheel, drag, pointer

    canvas.addEventListener('wheel', (event) => {
      const lines = event.deltaMode === 1 ? 16 : 1;
      if (event.offsetX < GUTTER) {
        if (view.scroll(event.deltaY * lines)) event.preventDefault();
        return;
      }
      event.preventDefault();
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        view.pan(Math.sign(sideways) * PAN);
      } else {
        view.zoom(event.deltaY > 0 ? ZOOM : 1 / ZOOM, event.offsetX);
      }
    }, {passive: false});

    let drag = null;
    canvas.addEventListener('pointerdown', (event) => {
      canvas.focus();
      drag = {x: event.offsetX, y: event.offsetY, from: view.from, to: view.to, scrolled: view.scrolled, moved: false};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointerup', (event) => {
      const moved = drag && drag.moved;
      drag = null;
      if (moved) return;
      const there = view.at(event.offsetX, event.offsetY);
      if (there.item && there.item.kind === 'header') {
        view.toggle(there.item.key);
        resize();
      } else if (there.index >= 0) {
        choose(there, false);
      }
    });
    canvas.addEventListener('dblclick', (event) => {
      const there = view.at(event.offsetX, event.offsetY);
      if (there.index >= 0) choose(there, true);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (drag && (drag.moved || Math.abs(event.offsetX - drag.x) + Math.abs(event.offsetY - drag.y) > 3)) {
        drag.moved = true;
        const by = (drag.x - event.offsetX) / view.scale;
        view.scroll(drag.scrolled + drag.y - event.offsetY - view.scrolled);
        view.show(drag.from + by, drag.to + by);
        tip.hidden = true;
        return;
      }
      const there = view.at(event.offsetX, event.offsetY);
      const figure = there.item && there.item.kind === 'figure' && event.offsetX >= GUTTER;
      const text = figure ? describeFigure(data, there.item.figure, view.timeAt(event.offsetX))
        : there.index >= 0 ? describe(data, there) : event.offsetX < GUTTER && there.item
          ? [there.item.label, there.item.tip].filter(Boolean).join('\n') : '';
      tip.hidden = !text;
      if (!text) return;
      tip.textContent = text;
      placeTip(tip, event.clientX, event.clientY);
    });
    canvas.addEventListener('pointerleave', () => { tip.hidden = true; });

    // Keys

    const actions = {
      w: () => view.zoom(1 / ZOOM), '+': () => view.zoom(1 / ZOOM), '=': () => view.zoom(1 / ZOOM),
      s: () => view.zoom(ZOOM), '-': () => view.zoom(ZOOM),
      a: () => view.pan(-PAN), ArrowLeft: () => view.pan(-PAN),
      d: () => view.pan(PAN), ArrowRight: () => view.pan(PAN),
      ArrowUp: () => view.scroll(-40), ArrowDown: () => view.scroll(40),
      0: () => view.show(0, data.length), Home: () => view.show(0, data.length),
      '/': () => field.focus(), n: () => step(true), N: () => step(false),
    };
    document.addEventListener('keydown', (event) => {
      const writing = event.target.closest && event.target.closest('input, textarea, select');
      const arrow = event.key.startsWith('Arrow') || event.key === 'Home';
      // Elsewhere, arrow keys scroll the page.
      if (writing || event.ctrlKey || event.metaKey || event.altKey || (arrow && event.target !== canvas)) return;
      const action = actions[event.key] || actions[event.key.toLowerCase()];
      if (!action) return;
      event.preventDefault();
      action();
    });
    whole.addEventListener('click', () => view.show(0, data.length));

    addEventListener('resize', resize);
    onTheme(() => view.draw());
    resize();
    requestAnimationFrame(() => requestAnimationFrame(() => {
      // Marks the end of loading for time measurements.
      document.documentElement.dataset.openedAfterMs = performance.now().toFixed(0);
    }));
    window.tesseraTimeline = {data, view, search, field, step};
  }

  document.addEventListener('DOMContentLoaded', start);
})();
