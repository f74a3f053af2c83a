// Colours of a timeline's kinds of span. Any two differ by a CIEDE2000 of at least 12, and each differs from the page by at
// least 15, light or dark: tests/system/colours_test.py computes both.
'use strict';

const TimelineColours = (() => {
  // Stalls are pale and work is bright. sc_models/report/run_section.cpp has the same colours for stalls.
  const KNOWN = {
    stall_no_warp: '#c3c3b4', stall_memory: '#4ba5b4', stall_tensor_result: '#a56987', stall_alu_result: '#b49696',
    stall_barrier: '#877869', stall_ldst_busy: '#787896', stall_tensor_busy: '#c3c3e1', stall_alu_busy: '#78875a',
    stall_launch: '#87b496', stall_operands: '#5a7878',
    mma: '#784bc3', 'wmma.mma': '#c369f0', spwmma: '#c30096', swap: '#ff5ac3', flush: '#ff96b4',
    'load A': '#0069a5', 'load B': '#d26900', load: '#8796ff', store: '#d2002d', shared: '#009678',
    'wmma.load': '#00a5ff', ldg: '#4b69f0', stg: '#ff3c78', lds: '#3ce187', sts: '#00d2c3', 'lds.pieces': '#4bd2ff',
    'lds.gathered': '#96d24b', atom: '#c30f5a', fence: '#786900', bar: '#a54b1e', exit: '#875a1e', alu: '#ffb41e',
    operation: '#b4871e', vector_op: '#96a500', floats: '#d2c378', 'all hit': '#007800', 'some hit': '#ffa569',
    'none hit': '#c3695a', predicted: '#2da51e', assigned: '#ff693c', CTA: '#ffa5f0', 'to SM': '#ff9687',
  };

  // "CTA 12" and "CTA 13" have the same kind.
  const kindOf = (name) => name.replace(/\s+\d+$/, '');

  // Assigns a colour to each kind among some names. Unknown kinds get colours that no kind of this page has; where there
  // are more kinds than colours, the first ones are shared.
  function coloursOf(names) {
    const colours = new Map();
    const kinds = [...new Set(names.map(kindOf))];
    for (const kind of kinds) if (Object.hasOwn(KNOWN, kind)) colours.set(kind, KNOWN[kind]);
    const taken = new Set(colours.values());
    const all = Object.values(KNOWN).reverse();
    const free = [...all.filter((colour) => !taken.has(colour)), ...all];
    let next = 0;
    for (const kind of kinds) if (!colours.has(kind)) colours.set(kind, free[next++ % free.length]);
    return (name) => colours.get(kindOf(name));
  }

  // Whether text on a colour is black: where its luminance (WCAG 2) leaves black the higher contrast.
  function wantsBlack(colour) {
    const [red, green, blue] = [1, 3, 5].map((at) => {
      const share = parseInt(colour.slice(at, at + 2), 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
  }

  return {coloursOf, wantsBlack};
})();
