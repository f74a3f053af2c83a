// View of a timeline on a canvas; draws only the visible range.
'use strict';

const TimelineView = (() => {
  const {Lane, firstAbove} = TimelineData;
  const GUTTER = 210; // width of the names
  const RULER = 24;
  const LANE = 16; // height of a lane of spans
  const THIN = 4; // height of a lane among many
  const FIGURE = 36;
  const HEADER = 22;
  const GAP = 4;
  const FEWEST_CYCLES = 8; // minimum of the visible range

  class View {
    constructor(canvas, data) {
      this.canvas = canvas;
      this.data = data;
      this.context = canvas.getContext('2d');
      this.colourOf = TimelineColours.coloursOf([...data.names, ...data.kernels.map((kernel) => kernel.name)]);
      this.colours = data.names.map(this.colourOf);
      this.from = 0;
      this.to = data.length;
      this.scrolled = 0;
      this.folded = new Set();
      this.searching = false;
      this.chosen = -1;
      this.inFlight = new Map();
      this.warps = new Map();
      for (const process of new Set(data.rows.map((row) => row.process))) this.folded.add(`${process} warps`);
      this.layOut();
    }

    // Items from top to bottom.
    layOut() {
      const {data} = this;
      this.items = [];
      const add = (item) => this.items.push(item);
      if (data.kernels.length) {
        const {kernels} = data;
        const lane = new Lane(Float64Array.from(kernels, (k) => k.begin), Float64Array.from(kernels, (k) => k.end), []);
        add({kind: 'lanes', label: 'kernels', lanes: [lane], lane: LANE, textOf: (i) => kernels[i].name});
      }
      if (data.figures.length) {
        this.addHeader('counters of the machine', 'counters');
        if (!this.folded.has('counters')) data.figures.forEach((figure) => add({kind: 'figure', label: figure.name, figure}));
      }
      for (const process of new Set(data.rows.map((row) => row.process))) this.addProcess(process);
      let top = RULER + GAP;
      for (const item of this.items) {
        item.top = top;
        item.height = item.kind === 'header' ? HEADER : item.kind === 'figure' ? FIGURE
          : Math.max(item.lanes.length * item.lane, 12);
        top += item.height + GAP;
      }
      this.height = top;
    }

    addHeader(label, key) {
      this.items.push({kind: 'header', label, key});
    }

    addProcess(process) {
      this.addHeader(process, process);
      if (this.folded.has(process)) return;
      const add = (label, lanes, lane) => this.items.push({kind: 'lanes', label, lanes, lane});
      const isFlight = (row) => row.thread.startsWith('in flight');
      const rows = this.data.rows.filter((row) => row.process === process && row.spans);
      for (const row of rows) if (!isFlight(row)) add(row.thread, row.lanes, LANE);
      // Recorded as separate rows, or derived from the accesses.
      const {lanes, left} = this.flightsOf(process);
      for (const row of rows) if (isFlight(row)) lanes.push(...row.lanes);
      if (lanes.length) {
        add('memory: accesses in flight', lanes, THIN);
        if (left) this.items[this.items.length - 1].tip = `${left.toLocaleString('en')} more find no row`;
      }
      const key = `${process} warps`;
      this.addHeader(`${process}, warp by warp`, key);
      if (this.folded.has(key)) return;
      if (!this.warps.has(process)) this.warps.set(process, this.data.warpsOf(process));
      for (const warp of this.warps.get(process)) add(warp.name, warp.lanes, THIN + 3);
    }

    flightsOf(process) {
      if (!this.inFlight.has(process)) this.inFlight.set(process, this.data.accessesInFlight(process));
      const {lanes, left} = this.inFlight.get(process);
      return {lanes: [...lanes], left};
    }

    toggle(key) {
      if (!this.folded.delete(key)) this.folded.add(key);
      this.layOut();
      this.mark();
      this.draw();
    }

    // Time and place

    get width() { return this.canvas.clientWidth - GUTTER; }
    get scale() { return this.width / (this.to - this.from); } // pixels per cycle
    timeAt(x) { return this.from + (x - GUTTER) / this.scale; }
    get scrollable() { return Math.max(0, this.height - this.canvas.clientHeight); }

    show(from, to) {
      const length = Math.min(Math.max(to - from, FEWEST_CYCLES), this.data.length);
      const middle = (from + to) / 2;
      this.from = Math.min(Math.max(middle - length / 2, 0), this.data.length - length);
      this.to = this.from + length;
      this.draw();
    }

    zoom(factor, x = GUTTER + this.width / 2) {
      const time = this.timeAt(x);
      this.show(time - (time - this.from) * factor, time + (this.to - time) * factor);
    }

    pan(share) {
      const by = share * (this.to - this.from);
      this.show(this.from + by, this.to + by);
    }

    scroll(pixels) {
      const before = this.scrolled;
      this.scrolled = Math.min(Math.max(this.scrolled + pixels, 0), this.scrollable);
      this.draw();
      return this.scrolled !== before;
    }

    // Item at a position and, for lanes, the nearest span.
    at(x, y) {
      if (y < RULER) return {};
      const place = y + this.scrolled;
      const item = this.items.find((other) => place >= other.top && place < other.top + other.height);
      if (!item || x < GUTTER || item.kind !== 'lanes') return {item};
      const lane = item.lanes[Math.floor((place - item.top) / item.lane)];
      if (!lane) return {item};
      const time = this.timeAt(x);
      let index = lane.at(time);
      if (index < 0) { // a span too narrow to hit
        const reach = 2 / this.scale;
        const next = firstAbove(lane.ends, time - reach);
        if (next < lane.begins.length && lane.begins[next] <= time + reach) index = next;
      }
      return {item, lane, index};
    }

    // Searching

    // `fits` returns whether a span matches; null ends the search. Returns the number of matches.
    search(fits) {
      this.searching = fits !== null;
      this.fits = fits;
      return this.mark();
    }

    mark() {
      let count = 0;
      for (const item of this.items) {
        for (const lane of item.lanes || []) {
          lane.found = null;
          if (!this.searching || item.textOf) continue;
          const found = [];
          for (let i = 0; i < lane.begins.length; ++i) if (this.fits(lane.spanOf(i))) found.push(i);
          lane.found = Int32Array.from(found);
          if (item.lane === LANE) count += found.length;
        }
      }
      return count;
    }

    // Next match after a time (or before it) as {item, lane, index}.
    nextFound(time, forward) {
      let best = null;
      for (const item of this.items) {
        if (item.lane !== LANE) continue;
        for (const lane of item.lanes) {
          if (!lane.found) continue;
          const begins = lane.found.length ? lane.begins : [];
          let low = 0;
          let high = lane.found.length;
          while (low < high) {
            const middle = (low + high) >> 1;
            if (begins[lane.found[middle]] > time || (!forward && begins[lane.found[middle]] >= time)) high = middle;
            else low = middle + 1;
          }
          const place = forward ? low : low - 1;
          if (place < 0 || place >= lane.found.length) continue;
          const index = lane.found[place];
          const nearer = !best || (lane.begins[index] < best.lane.begins[best.index]) === forward;
          if (nearer) best = {item, lane, index};
        }
      }
      return best;
    }

    // Drawing

    draw() {
      if (this.asked) return;
      this.asked = true;
      requestAnimationFrame(() => {
        this.asked = false;
        this.paint();
      });
    }

    paint() {
      const {canvas, context} = this;
      const ratio = devicePixelRatio || 1;
      const [width, height] = [canvas.clientWidth, canvas.clientHeight];
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
      }
      const style = getComputedStyle(document.body);
      this.text = style.color;
      this.page = style.backgroundColor;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.fillStyle = this.page;
      context.fillRect(0, 0, width, height);
      context.font = '12px system-ui, "DejaVu Sans", sans-serif';
      context.textBaseline = 'middle';
      this.scrolled = Math.min(this.scrolled, this.scrollable);
      for (const item of this.items) {
        const top = item.top - this.scrolled;
        if (top + item.height < RULER || top > height) continue;
        this.paintLabel(item, top);
        context.save();
        context.beginPath();
        context.rect(GUTTER, RULER, this.width, height);
        context.clip();
        if (item.kind === 'lanes') {
          item.lanes.forEach((lane, i) => this.paintLane(item, lane, top + i * item.lane, item.lane - 1));
        } else if (item.kind === 'figure') {
          this.paintFigure(item.figure, top, item.height);
        }
        context.restore();
      }
      this.paintRuler(height);
    }

    paintLabel(item, top) {
      const {context} = this;
      const heading = item.kind === 'header';
      context.fillStyle = this.text;
      context.globalAlpha = heading ? 1 : 0.75;
      context.font = `${heading ? 'bold ' : ''}12px system-ui, "DejaVu Sans", sans-serif`;
      const sign = heading ? (this.folded.has(item.key) ? '▸ ' : '▾ ') : '   ';
      const middle = heading || item.kind === 'figure' ? top + item.height / 2 : top + Math.min(item.height, 16) / 2;
      context.fillText(this.fitted(sign + item.label, GUTTER - 12), 6, middle);
      if (item.height < 16 && !heading) context.globalAlpha = 1;
      context.globalAlpha = 1;
    }

    fitted(text, width) {
      if (this.context.measureText(text).width <= width) return text;
      let length = text.length;
      while (length > 1 && this.context.measureText(text.slice(0, length) + '…').width > width) --length;
      return text.slice(0, length) + '…';
    }

    paintLane(item, lane, top, height) {
      const {data, colours} = this;
      const place = {top, height, left: GUTTER, width: this.width};
      new TimelineLane.Painter(this, lane, place, item.textOf
        ? {colourOf: (i) => this.colourOf(item.textOf(i)), textOf: item.textOf}
        : {colourOf: (i) => colours[data.spanNames[lane.spanOf(i)]], textOf: (i) => data.nameOf(lane.spanOf(i))}).paint();
      const chosen = item.textOf ? -1 : lane.indexOf(this.chosen);
      if (chosen < 0 || lane.ends[chosen] <= this.from || lane.begins[chosen] >= this.to) return;
      const [left, right] = [lane.begins[chosen], lane.ends[chosen]].map((time) => GUTTER + (time - this.from) * this.scale);
      this.outline(left, top, Math.max(1, right - left), height);
    }

    outline(x, top, width, height) {
      this.context.globalAlpha = 1;
      this.context.strokeStyle = this.text;
      this.context.lineWidth = 2;
      this.context.strokeRect(x, top, width, height);
    }

    paintFigure(figure, top, height) {
      const {context, from, to, scale} = this;
      const {at, values} = figure;
      const most = figure.most || (figure.most = Math.max(...values, 1e-9));
      const bottom = top + height - 3;
      const tall = height - 8;
      context.fillStyle = this.text;
      const endOf = (i) => (i + 1 < at.length ? at[i + 1] : figure.end);
      let i = Math.max(0, firstAbove(at, from) - 1);
      while (i < at.length && at[i] < to) {
        const x = GUTTER + (at[i] - from) * scale;
        let value = values[i];
        let until = i + 1;
        while (until < at.length && GUTTER + (at[until] - from) * scale < Math.floor(x) + 1) {
          value = Math.max(value, values[until++]); // keeps peaks
        }
        const right = GUTTER + (endOf(until - 1) - from) * scale;
        const level = tall * value / most;
        context.globalAlpha = 0.35;
        context.fillRect(x, bottom - level, Math.max(1, right - x), level);
        context.globalAlpha = 1;
        context.fillRect(x, bottom - level, Math.max(1, right - x), 1.5);
        i = until;
      }
      context.fillStyle = this.text;
      context.globalAlpha = 0.65;
      context.font = '10.5px system-ui, "DejaVu Sans", sans-serif';
      const label = `up to ${Number(most.toPrecision(3)).toLocaleString('en')} ${figure.unit}`;
      const wide = context.measureText(label).width;
      context.globalAlpha = 0.8;
      context.fillStyle = this.page;
      context.fillRect(GUTTER + 2, top + 1, wide + 6, 13);
      context.fillStyle = this.text;
      context.fillText(label, GUTTER + 5, top + 8);
      context.globalAlpha = 1;
    }

    // Labels round cycles along the top.
    paintRuler(height) {
      const {context} = this;
      context.fillStyle = this.page;
      context.fillRect(0, 0, this.canvas.clientWidth, RULER);
      context.fillStyle = this.text;
      context.strokeStyle = this.text;
      context.font = '11px system-ui, "DejaVu Sans", sans-serif';
      const raw = (this.to - this.from) / Math.max(2, this.width / 110);
      const magnitude = 10 ** Math.floor(Math.log10(raw));
      const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * magnitude).find((s) => s >= raw));
      const first = Math.ceil((this.from + this.data.first) / step) * step;
      for (let cycle = first; cycle <= this.to + this.data.first; cycle += step) {
        const x = GUTTER + (cycle - this.data.first - this.from) * this.scale;
        context.globalAlpha = 0.12;
        context.fillRect(x, RULER, 1, height);
        context.globalAlpha = 0.8;
        context.fillText(cycle.toLocaleString('en'), Math.min(x + 3, GUTTER + this.width - 60), 11);
        context.fillRect(x, 17, 1, RULER - 17);
      }
      context.fillText('core cycle', 6, 11);
      context.globalAlpha = 0.3;
      context.fillRect(0, RULER - 1, this.canvas.clientWidth, 1);
      context.fillRect(GUTTER - 1, 0, 1, height);
      context.globalAlpha = 1;
    }
  }

  return {View, GUTTER, LANE};
})();
