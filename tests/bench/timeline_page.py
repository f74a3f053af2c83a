#!/usr/bin/python3
"""How long does the page of a large timeline take to make, to open in Chromium and to draw?

Usage: tests/bench/timeline_page.py [--tessera PATH] [--spans N] [--keep FOLDER]

Writes a Chrome trace of N spans (a million) in 44 rows, as four SMs have them: issue slots, tensor cores, LDST units and
CTAs, with details of each span. `tessera timeline` makes the page of it, which headless Chromium opens from disk five times. The time to open
is from the start of the navigation to the first frame that is drawn; that to draw is a frame with all spans in view.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
import browser  # noqa: E402

os.environ["TESSERA_CACHE"] = "off"  # each run is simulated

OPENED = "document.documentElement.dataset.openedAfterMs"
# Ten frames, each after the view has moved.
FRAMES = """(() => { const {view} = tesseraTimeline; const begin = performance.now();
for (let i = 0; i < 10; ++i) { view.from = i; view.paint(); } return (performance.now() - begin) / 10; })()"""
SMS = 4
NAMES = {"issue": ["mma", "load_global", "load_shared", "alu", "stall_memory", "stall_tensor_result", "stall_ldst_busy"],
         "tensor": ["mma", "spwmma"], "LDST unit": ["load A", "load B", "store", "shared"], "CTA slot": ["CTA"]}


def events(count):
    """Metadata and complete events of about `count` spans; the same at every call."""
    rows = [(sm, f"sub-core {core} {kind}", kind) for sm in range(SMS) for core in range(4) for kind in ("issue", "tensor")]
    rows += [(sm, "LDST unit", "LDST unit") for sm in range(SMS)]
    rows += [(sm, f"CTA slot {slot}", "CTA slot") for sm in range(SMS) for slot in range(2)]
    for number, (sm, thread, _) in enumerate(rows):
        for what, name in (("process_name", f"SM {sm}"), ("thread_name", thread)):
            yield {"name": what, "ph": "M", "pid": sm + 1, "tid": number + 1, "args": {"name": name}}
    state = 1
    for number, (sm, _, kind) in enumerate(rows):
        now = 0
        for i in range(count // len(rows)):
            state = (state * 1103515245 + 12345) % (1 << 31)
            now += (state >> 8) % 4
            length = 1 + (state >> 12) % 16
            args = {"warp": (state >> 16) % 64}
            if kind == "LDST unit":
                args |= {"address": hex((1 << 33) + (state >> 4) % (1 << 24) * 32), "data at": now + length + (state >> 6) % 600}
            yield {"name": NAMES[kind][(state >> 20) % len(NAMES[kind])], "ph": "X", "ts": now, "dur": length,
                   "pid": sm + 1, "tid": number + 1, "args": args}
            now += length


def write_trace(path, count):
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"otherData":{"core_clock_mhz":1200},"traceEvents":[\n')
        file.write(",\n".join(json.dumps(event, separators=(",", ":")) for event in events(count)))
        file.write("\n]}\n")


def measure(options, folder):
    trace, page_file = os.path.join(folder, "trace.json"), os.path.join(folder, "timeline.html")
    write_trace(trace, options.spans)
    begin = time.time()
    subprocess.run([options.tessera, "timeline", trace, "-o", page_file], check=True)
    print(f"made in {time.time() - begin:.1f} s, {os.path.getsize(trace) / 1e6:.1f} MB of trace, "
          f"{os.path.getsize(page_file) / 1e6:.1f} MB of page")
    opened, frames = [], []
    with browser.Browser() as chromium:
        for _ in range(5):
            page = chromium.open(page_file)
            page.wait_for(OPENED)
            opened.append(float(page.evaluate(OPENED)))
            frames.append(page.evaluate(FRAMES))
            page.close()
    print(f"opened in {statistics.median(opened) / 1000:.2f} s (median of 5; {min(opened) / 1000:.2f} to "
          f"{max(opened) / 1000:.2f}), a frame of everything {statistics.median(frames):.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tessera", default=os.path.join(ROOT, "build/release/bin/tessera"))
    parser.add_argument("--spans", type=int, default=1_000_000)
    parser.add_argument("--keep", metavar="FOLDER", help="leave trace and page there")
    options = parser.parse_args()
    if browser.program() is None:
        sys.exit("timeline_page.py: needs Chromium")
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        measure(options, options.keep)
        return
    with tempfile.TemporaryDirectory(prefix="timeline_page_") as folder:
        measure(options, folder)


if __name__ == "__main__":
    main()
