// Paints a lane of spans. A column of pixels that lies inside of one span is that span's; any other is filled from below,
// colour by colour, by the shares of its time. So what is painted is what the spans take, at every zoom.
'use strict';

const TimelineLane = (() => {
  const {firstAbove} = TimelineData;
  const {wantsBlack} = TimelineColours;
  const DIM = 0.15; // opacity of spans that a search does not find
  const TEXT_WIDTH = 28; // narrowest span with a text

  // `place`: top and height of the lane and the left edge and width of what is in view, in pixels.
  class Painter {
    constructor(view, lane, place, {colourOf, textOf}) {
      Object.assign(this, {view, lane, colourOf, textOf, ...place, context: view.context, left: place.left});
      this.column = -1;
      this.colours = [];
      this.shares = [];
      this.used = 0; // of the two
      this.hit = ''; // colour of a span of the column that a search has found
      this.last = {right: -1, colour: ''}; // rectangle that was painted last
    }

    paint() {
      const {lane: {begins, ends, found}, width} = this;
      const {from, to, scale} = this.view;
      let i = firstAbove(ends, from);
      let next = found ? firstAbove(found, i - 1) : 0; // in found
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

    // Adds the share that a span has of a column of pixels.
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

    // Paints the column. What is there is never less than a pixel high, and what is found is as high as the lane.
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

    // Columns that lie inside of one span.
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
