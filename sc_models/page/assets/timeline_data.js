// Decoder of the spans of a timeline's page (encoded by sc_models/observe/timeline_page.cpp), which sorts them into
// rows for search by time.
'use strict';

const TimelineData = (() => {
  const IN_FLIGHT_ROWS = 24; // maximum drawn; further ones are only counted

  function bytesOf(id) {
    const text = atob(document.getElementById(id).textContent);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
    return bytes;
  }

  // Reads numbers with seven bits per byte, least significant first. Above 2^31 they are combined as doubles.
  function numbersOf(bytes, count, Kind) {
    const numbers = new Kind(count);
    let at = 0;
    for (let i = 0; i < count; ++i) {
      let byte = bytes[at++];
      let value = byte & 0x7f;
      let shift = 7;
      while (byte >= 0x80 && shift < 28) {
        byte = bytes[at++];
        value |= (byte & 0x7f) << shift;
        shift += 7;
      }
      for (let factor = 2 ** shift; byte >= 0x80; factor *= 128) {
        byte = bytes[at++];
        value += (byte & 0x7f) * factor;
      }
      numbers[i] = value;
    }
    return numbers;
  }

  // First index from `low` on with a number above `value`; numbers ascend.
  function firstAbove(numbers, value, low = 0, high = numbers.length) {
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[middle] > value) high = middle; else low = middle + 1;
    }
    return low;
  }

  // Spans without overlap, in order of time. `spans` holds their indices among all spans; without it they are those
  // from `first` on.
  class Lane {
    constructor(begins, ends, spans, first = 0) {
      this.begins = begins;
      this.ends = ends;
      this.spans = spans;
      this.first = first;
      this.found = null; // indices of the lane found by a search
    }

    spanOf(i) {
      return this.spans ? this.spans[i] : this.first + i;
    }

    // Index in the lane of a span given by its overall index, or -1.
    indexOf(span) {
      const i = this.spans ? firstAbove(this.spans, span) - 1 : span - this.first;
      return i >= 0 && i < this.begins.length && this.spanOf(i) === span ? i : -1;
    }

    // Index in the lane of the span at a time, or -1.
    at(time) {
      const i = firstAbove(this.ends, time);
      return i < this.ends.length && this.begins[i] <= time ? i : -1;
    }
  }

  function laneOf(all, indexes) {
    const begins = new Float64Array(indexes.length);
    const ends = new Float64Array(indexes.length);
    for (let i = 0; i < indexes.length; ++i) {
      begins[i] = all.begins[indexes[i]];
      ends[i] = all.ends[indexes[i]];
    }
    return new Lane(begins, ends, indexes);
  }

  // Spans from `from` to `to`, in lanes by nesting depth.
  function lanesByDepth(all, from, to) {
    let overlap = false;
    for (let i = from + 1; i < to && !overlap; ++i) overlap = all.begins[i] < all.ends[i - 1];
    if (!overlap) {
      return [new Lane(all.begins.subarray(from, to), all.ends.subarray(from, to), null, from)];
    }
    const depths = [];
    const open = [];
    for (let i = from; i < to; ++i) {
      while (open.length && all.ends[open[open.length - 1]] <= all.begins[i]) open.pop();
      const depth = open.push(i) - 1;
      (depths[depth] = depths[depth] || []).push(i);
    }
    return depths.map((indexes) => laneOf(all, indexes));
  }

  class Timeline {
    constructor() {
      const head = JSON.parse(document.getElementById('timeline-head').textContent);
      Object.assign(this, head); // first, last, names, texts, keys, kernels, figures, rows
      this.count = head.rows.reduce((sum, row) => sum + row.spans, 0);
      const begins = numbersOf(bytesOf('timeline-begins'), this.count, Float64Array);
      const lengths = numbersOf(bytesOf('timeline-lengths'), this.count, Float64Array);
      this.spanNames = numbersOf(bytesOf('timeline-names'), this.count, Uint32Array);
      let number = 0;
      for (const row of head.rows) {
        row.from = number;
        for (let time = 0; number < row.from + row.spans; ++number) {
          time += begins[number];
          begins[number] = time;
          lengths[number] += time;
        }
        row.to = number;
      }
      this.begins = begins;
      this.ends = lengths;
      this.length = this.last - this.first;
      for (const row of head.rows) row.lanes = lanesByDepth(this, row.from, row.to);
      this.columns = new Map();
    }

    // Spans with a key, and its values; decoded on first use.
    column(name) {
      if (this.columns.has(name)) return this.columns.get(name);
      const place = this.keys.findIndex((key) => key.name === name);
      if (place < 0) return null;
      const {spans: count, kind} = this.keys[place];
      const spans = numbersOf(bytesOf(`timeline-key${place}-spans`), count, Uint32Array);
      const values = numbersOf(bytesOf(`timeline-key${place}-values`), count, Float64Array);
      let span = 0;
      let value = 0;
      for (let i = 0; i < count; ++i) {
        span += spans[i];
        spans[i] = span;
        const size = Math.floor(values[i] / 2);
        value += values[i] % 2 ? -size - 1 : size;
        values[i] = value;
      }
      const column = {spans, values, kind};
      this.columns.set(name, column);
      return column;
    }

    detail(column, span) {
      const i = firstAbove(column.spans, span) - 1;
      return i >= 0 && column.spans[i] === span ? column.values[i] : undefined;
    }

    nameOf(span) {
      return this.names[this.spanNames[span]];
    }

    rowOf(span) {
      return this.rows.find((row) => span >= row.from && span < row.to);
    }

    // "warp 3, address 0x7f00" of a span.
    detailsOf(span) {
      const parts = [];
      for (const key of this.keys) {
        const value = this.detail(this.column(key.name), span);
        if (value === undefined) continue;
        parts.push(`${key.name} ${key.kind === 'address' ? '0x' + value.toString(16)
          : key.kind === 'text' ? this.texts[value] : value.toLocaleString('en')}`);
      }
      return parts.join(', ');
    }

    // Rows of a process by warp: for each warp, one lane per unit with spans of the warp.
    warpsOf(process) {
      const column = this.column('warp');
      if (!column) return [];
      const warps = new Map();
      for (const row of this.rows) {
        if (row.process !== process) continue;
        const byWarp = new Map();
        let i = firstAbove(column.spans, row.from - 1);
        for (; i < column.spans.length && column.spans[i] < row.to; ++i) {
          const warp = column.values[i];
          if (!byWarp.has(warp)) byWarp.set(warp, []);
          byWarp.get(warp).push(column.spans[i]);
        }
        for (const [warp, spans] of byWarp) {
          if (!warps.has(warp)) warps.set(warp, []);
          warps.get(warp).push(laneOf(this, spans));
        }
      }
      return [...warps.keys()].sort((a, b) => a - b).map((warp) => ({name: `warp ${warp}`, lanes: warps.get(warp)}));
    }

    // Accesses of a process that wait for data after the end of their service, in the minimum number of rows.
    accessesInFlight(process) {
      const column = this.column('data at');
      const free = []; // end time of each row
      const rows = [];
      let left = 0;
      for (const row of this.rows) {
        if (row.process !== process || !column) continue;
        let i = firstAbove(column.spans, row.from - 1);
        for (; i < column.spans.length && column.spans[i] < row.to; ++i) {
          const span = column.spans[i];
          const begin = this.ends[span];
          const end = Math.min(column.values[i] - this.first, this.length);
          if (end <= begin) continue;
          let place = free.findIndex((time) => time <= begin);
          if (place < 0) place = free.length;
          if (place >= IN_FLIGHT_ROWS) {
            ++left;
            continue;
          }
          free[place] = end;
          (rows[place] = rows[place] || {begins: [], ends: [], spans: []}).begins.push(begin);
          rows[place].ends.push(end);
          rows[place].spans.push(span);
        }
      }
      const lanes = rows.map((row) => new Lane(Float64Array.from(row.begins), Float64Array.from(row.ends), row.spans));
      return {lanes, left};
    }
  }

  return {Timeline, Lane, firstAbove};
})();
