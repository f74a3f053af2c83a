"""Checks of a page's layout, evaluated in the browser: width, contrast of text, labels of charts."""

# Contrast of text against what is behind it (WCAG 2.2, success criterion 1.4.3, level AA).
LEAST_CONTRAST = 4.5

# Height of a chart's letters in pixels (chosen; 12 px in a chart of 1120 px drawn at 840 px).
SMALLEST = 9

# Yields {overflow, contrast, overlaps, small}, each a list of what is wrong.
FAULTS = """(() => {
    const shown = (node) => node.checkVisibility({visibilityProperty: true, opacityProperty: true});
    const named = (node, more) => `<${node.localName} class='${node.getAttribute('class') || ''}'> `
        + `${node.textContent.trim().slice(0, 50)}: ${more}`;

    // Labels of charts that are drawn too small to read.
    const small = [...document.querySelectorAll('svg[role=img] text')].filter((label) => shown(label) && label.getBBox().height > 0)
        .map((label) => [label, parseFloat(getComputedStyle(label).fontSize) * label.getScreenCTM().a])
        .filter(([label, size]) => !label.hasAttribute('transform') && size < SMALLEST)
        .map(([label, size]) => named(label, `${size.toFixed(1)} px`));

    // Anything wider than the window that no ancestor scrolls or cuts.
    const scrolls = (node) => {
        for (let up = node.parentElement; up && up !== document.body; up = up.parentElement) {
            if (getComputedStyle(up).overflowX !== 'visible') return true;
        }
        return false;
    };
    const width = document.documentElement.clientWidth;
    const overflow = [...document.body.querySelectorAll('*')].filter((node) => {
        const box = node.getBoundingClientRect();
        return box.width > 0 && box.right > width + 1 && shown(node) && !scrolls(node);
    }).map((node) => named(node, `ends at ${node.getBoundingClientRect().right.toFixed(0)} of ${width} px`));

    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const colourOf = (text) => {  // red, green, blue in [0, 255] and opacity in [0, 1]
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = text;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    };
    const over = (front, back) => [0, 1, 2].map((i) => front[i] * front[3] + back[i] * (1 - front[3])).concat(1);
    const luminance = (colour) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
        const c = colour[i] / 255;
        return sum + weight * (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    }, 0);
    const ratio = (a, b) => {
        const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
        return (high + 0.05) / (low + 0.05);
    };
    const behind = (node) => {
        if (!node) return [255, 255, 255, 1];
        const colour = colourOf(getComputedStyle(node).backgroundColor);
        return colour[3] === 1 ? colour : over(colour, behind(node.parentElement));
    };
    // What a label of a chart is drawn on: its halo, or the last shape below its middle.
    const behindLabel = (label, page) => {
        const style = getComputedStyle(label);
        if (style.stroke !== 'none' && style.paintOrder.startsWith('stroke')) return colourOf(style.stroke);
        const box = label.getBoundingClientRect();
        const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        let found = page;
        for (const shape of label.ownerSVGElement.querySelectorAll('rect, circle')) {
            if (!(shape.compareDocumentPosition(label) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
            const area = shape.getBoundingClientRect();
            if (x < area.left || x > area.right || y < area.top || y > area.bottom) continue;
            const fill = getComputedStyle(shape);
            if (fill.fill === 'none') continue;
            const colour = colourOf(fill.fill);
            colour[3] *= Number(fill.fillOpacity);
            found = over(colour, found);
        }
        return found;
    };
    const contrast = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || node.closest('script, style, noscript, title, .tip') || !shown(node)) continue;
        const label = node.closest('svg') && node.closest('text');
        const style = getComputedStyle(node);
        const page = behind(label ? node.closest('svg').parentElement : node);
        const back = label ? behindLabel(label, page) : page;
        const reached = ratio(over(colourOf(label ? style.fill : style.color), back), back);
        if (reached < LEAST) contrast.push(named(node, `contrast ${reached.toFixed(2)}`));
    }

    // Labels of one chart that lie on each other, or are cut by its edge.
    const overlaps = [];
    for (const svg of document.querySelectorAll('svg[role=img]')) {
        if (!shown(svg)) continue;
        const frame = svg.getBoundingClientRect();
        const boxes = [...svg.querySelectorAll('text')].filter((label) => label.textContent.trim()).map((label) => {
            const box = label.getBoundingClientRect();
            const upright = box.height > box.width * 1.2 && label.textContent.length > 2;
            const [dx, dy] = upright ? [box.width / 5, 1] : [1, box.height / 5];  // letters do not fill their line
            return {label, left: box.left + dx, right: box.right - dx, top: box.top + dy, bottom: box.bottom - dy};
        });
        boxes.forEach((a, i) => {
            if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.bottom > frame.bottom + 1) {
                overlaps.push(named(a.label, 'is cut by the edge of its chart'));
            }
            for (const b of boxes.slice(i + 1)) {
                if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) {
                    overlaps.push(named(a.label, `lies on ${b.label.textContent}`));
                }
            }
        });
    }
    return {overflow, contrast, overlaps, small};
})()""".replace("LEAST)", f"{LEAST_CONTRAST})").replace("SMALLEST)", f"{SMALLEST})")


def resize(page, width, height=900):
    """Gives the page a window of another size, in pixels."""
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)


def faults(page):
    """Lists of faults by check: overflow, contrast, overlaps, small."""
    return page.evaluate(FAULTS)
