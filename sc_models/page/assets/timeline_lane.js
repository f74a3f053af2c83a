// Painter of a lane of spans. A column of pixels inside one span has the colour of that span; other columns are filled
// from below with each colour's share of the time. The painted area is proportional to time at every zoom.
'use strict';

const TimelineLane = (() => {
  const {firstAbove} = TimelineData;
  const {wantsBlack} = TimelineColours;
  const DIM = 0.15; // opacity of spans that do not match a search
  const TEXT_WIDTH = 28; // narrowest span with a text

  // `place`: top and height of the lane, left edge and width of the visible range, in pixels.
  class Painter {
    constructor(view, lane, place, {colourOf, textOf}) {
      Object.assign(this, {view, lane, colourOf, textOf, ...place, context: view.context, left: place.left});
      this.column = -1;
      this.colours = [];
      this.shares = [];
      this.used = 0; // number of entries in use
      this.hit = ''; // colour of a span in the column that matches the search
      this.last = {right: -1, colour: ''}; // last painted rectangle
    }

    paint() {
      const {lane: {begins, ends, found}, width} = this;
      const {from, to, scale} = this.view;
      let i = firstAbove(ends, from);
      let next = found ? firstAbove(found, i - 1) : 0; // index into found
      this.context.font = '11px system-ui, "DejaVu Sans", sans-serif';
      for (; i < begins.length && begins[i] < to; ++i) {
        const left = Math.max(0, (begins[i] - from) * scale);
        const right = Math.min(width, (ends[i] - from) * scale);
        const [first, last] = [Math.floor(left), Math.floor(right)];
        const colour = this.colourOf(i);
        const hit = Boolean(found) && found[next] === i;
        if (hit) ++next;
        if (first === last) {
          this.add(first, right - left, colour, hit);
          continue;
        }
        const begin = Math.ceil(left);
        if (left < begin) this.add(first, begin - left, colour, hit);
        if (begin < last) this.rectangle(i, begin, last, colour, !found || hit ? 1 : DIM);
        if (last < right) this.add(last, right - last, colour, hit);
      }
      this.endColumn();
      this.context.globalAlpha = 1;
    }

    // Adds a span's share of a column of pixels.
    add(column, share, colour, hit) {
      if (column !== this.column) {
        this.endColumn();
        this.column = column;
      }
      if (hit) this.hit = colour;
      let place = 0;
      while (place < this.used && this.colours[place] !== colour) ++place;
      if (place === this.used) {
        this.colours[place] = colour;
        this.shares[place] = 0;
        ++this.used;
      }
      this.shares[place] += share;
    }

    // Paints the column, with a minimum height of one pixel; spans that match a search take the lane's full height.
    endColumn() {
      const {context, top, height, left, column} = this;
      if (this.used === 0) return;
      if (this.hit) {
        context.globalAlpha = 1;
        this.fill(left + column, top, 1, height, this.hit);
      } else {
        context.globalAlpha = this.lane.found ? DIM : 1;
        let [sum, below] = [0, 0];
        for (let i = 0; i < this.used; ++i) {
          sum += this.shares[i];
          const above = Math.min(height, Math.max(Math.round(sum * height), i + 1 === this.used ? 1 : 0));
          if (above > below) this.fill(left + column, top + height - above, 1, above - below, this.colours[i]);
          below = above;
        }
      }
      this.used = 0;
      this.hit = '';
    }

    fill(x, y, width, height, colour) {
      if (this.context.fillStyle !== colour) this.context.fillStyle = colour;
      this.context.fillRect(x, y, width, height);
    }

    // Paints columns inside one span.
    rectangle(i, begin, end, colour, alpha) {
      this.endColumn();
      const {context, top, height} = this;
      const x = this.left + begin;
      context.globalAlpha = alpha;
      this.fill(x, top, end - begin, height, colour);
      if (this.last.right === begin && this.last.colour === colour && end - begin > 4) { // one span of two
        context.globalAlpha = alpha * 0.5;
        this.fill(x, top, 1, height, this.view.page);
      }
      this.last = {right: end, colour};
      if (end - begin <= TEXT_WIDTH || height <= 10) return;
      context.globalAlpha = 1;
      context.fillStyle = alpha < 1 ? this.view.text : wantsBlack(colour) ? '#000000' : '#ffffff';
      context.fillText(this.view.fitted(this.textOf(i), end - begin - 6), x + 3, top + height / 2 + 0.5);
    }
  }

  return {Painter};
})();
