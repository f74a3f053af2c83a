#!/usr/bin/python3
"""Watching a run changes nothing about it, and what cannot be watched is one clear line.

Usage: observe_cli_test.py TESSERA_PROGRAM
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = None  # path of the tessera program
RUN = ["run", "duplo_titan_v", "duplo_paper", "resnet.C2", "--quiet", "--set", "gpu.sms=2",
       "--set", "workload.tiling.cta_limit=4"]


def tessera(*arguments):
    """The finished process of one small run."""
    return subprocess.run([PROGRAM, *RUN, *arguments], capture_output=True, text=True, check=False)


class Watching(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="observe_cli_")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as handle:
            return handle.read()

    def assert_refused(self, expected, *arguments):
        """Exit code 2 and one line; no file is left."""
        process = tessera(*arguments)
        self.assertEqual(2, process.returncode, process.stderr)
        lines = [line for line in process.stderr.splitlines() if line.startswith("tessera:")]
        self.assertEqual(1, len(lines), process.stderr)
        self.assertIn(expected, lines[0])
        self.assertEqual([], os.listdir(self.folder))

    def test_results_are_the_same_bytes(self):
        plain = tessera("--out", self.path("plain"))
        self.assertEqual(0, plain.returncode, plain.stderr)
        watched = tessera("--out", self.path("watched"), "--wave", self.path("w.vcd"),
                          "--timeline", self.path("t.json"), "--wave-scope", "*")
        self.assertEqual(0, watched.returncode, watched.stderr)
        compared = [name for name in sorted(os.listdir(self.path("plain"))) if name != "host.json"]
        self.assertIn("result.json", compared)
        for name in compared:
            self.assertEqual(self.read(f"plain/{name}"), self.read(f"watched/{name}"), name)
        self.assertIn(b"$enddefinitions", self.read("w.vcd"))
        self.assertTrue(json.loads(self.read("t.json"))["traceEvents"])
        self.assertEqual(["plain", "t.json", "w.vcd", "watched"], sorted(os.listdir(self.folder)))

    def test_threads_write_the_same_files(self):
        """At `timing: at` they simulate what is watched, too; at `lt` one does, and a line says so."""
        watched = {}
        for threads in "1", "3":
            os.mkdir(self.path(threads))
            files = [self.path(f"{threads}/{name}") for name in ("w.vcd", "t.json")]
            process = tessera("--set", "gpu.sms=9", "--set", "workload.tiling.cta_limit=12", "--set", "timing=at", "--set", "values=on",
                              "--set", "protocol_check=on", "--threads", threads, "--wave", files[0], "--timeline", files[1],
                              "--wave-scope", "*", "--over-time", "--out", self.path(f"{threads}/run"))
            self.assertEqual(0, process.returncode, process.stderr)
            self.assertEqual(int(threads), json.loads(self.read(f"{threads}/run/host.json"))["threads"])
            watched[threads] = [self.read(f"{threads}/{name}") for name in ("w.vcd", "t.json", "run/over_time.json", "run/result.json")]
        self.assertEqual(watched["1"], watched["3"])
        process = subprocess.run([PROGRAM, *RUN, "--threads", "2", "--wave", self.path("lt.vcd"), "--set", "logging.level=info"],
                                 capture_output=True, text=True, check=False)
        self.assertIn("host.threads: one thread simulates this machine, as it is watched at timing lt", process.stderr)

    def test_no_figure_over_time_exceeds_its_peak(self):
        """The first loads of 80 SMs are booked at once, and DRAM takes its time for them."""
        process = subprocess.run([PROGRAM, "run", "duplo_titan_v", "baseline", "gan.C1", "--quiet", "--over-time", "--out", self.path("run")],
                                 capture_output=True, text=True, check=False)
        self.assertEqual(0, process.returncode, process.stderr)
        over_time = json.loads(self.read("run/over_time.json"))
        figures = {figure["name"]: figure["values"] for figure in over_time["figures"]}
        ends = over_time["at"][1:] + [over_time["end"]]
        kernels = json.loads(self.read("run/result.json"))["kernels"]
        clock_ghz = 1.2
        for name, unit, peak in (("DRAM bandwidth", "dram", 652.8), ("L2 bandwidth", "l2", 2 * 1843.2)):
            self.assertLessEqual(max(figures[name]), peak + 0.1, name)
            self.assertGreater(max(figures[name]), 0.8 * peak, "in a burst a unit is at its peak")
            # Nothing is lost.
            shown = sum(value * (end - begin) for value, begin, end in zip(figures[name], over_time["at"], ends)) / clock_ghz
            counted = sum(kernel["statistics"]["memory"][unit][count] for kernel in kernels for count in ("bytes_read", "bytes_written"))
            self.assertAlmostEqual(1, shown / counted, delta=1e-4)
        self.assertLessEqual(max(figures["IPC"]), 80 * 4)
        self.assertLessEqual(max(figures["tensor cores busy"]), 100)

    def test_pages_of_timelines(self):
        """The same bytes every time, results as without them, and nothing stale in the folder."""
        self.assertEqual(0, tessera("--out", self.path("plain")).returncode)
        pages = []
        for name in ("a.html", "b.html"):
            watched = tessera("--out", self.path("watched"), "--over-time", "--timeline", self.path(name))
            self.assertEqual(0, watched.returncode, watched.stderr)
            pages.append((self.read(name), self.read("watched/over_time.json")))
        self.assertEqual(*pages)
        self.assertEqual(self.read("plain/result.json"), self.read("watched/result.json"))
        over_time = json.loads(pages[0][1])
        self.assertEqual(["resnet.C2.im2col", "resnet.C2.gemm"], [kernel["name"] for kernel in over_time["kernels"]])
        for figure in over_time["figures"]:
            self.assertEqual(len(over_time["at"]), len(figure["values"]), figure["name"])
        # Without a timeline the figures are the same.
        alone = tessera("--out", self.path("alone"), "--over-time")
        self.assertEqual(0, alone.returncode, alone.stderr)
        self.assertEqual(pages[0][1], self.read("alone/over_time.json"))
        self.assertEqual(0, tessera("--out", self.path("watched")).returncode)
        self.assertNotIn("over_time.json", os.listdir(self.path("watched")))

    def test_a_page_of_a_trace(self):
        self.assertEqual(0, tessera("--timeline", self.path("t.json"), "--wave-window", "gemm:0:500").returncode)

        def page(trace):
            return subprocess.run([PROGRAM, "timeline", trace, "-o", self.path("new/t.html")], capture_output=True, text=True,
                                  check=False)

        done = page(self.path("t.json"))
        self.assertEqual(0, done.returncode, done.stderr)
        spans = sum(event["ph"] == "X" for event in json.loads(self.read("t.json"))["traceEvents"])
        self.assertIn(f"({spans} spans in ", done.stdout)
        self.assertIn(f"{spans} spans in ".encode(), self.read("new/t.html"))
        for trace, expected in ((self.path("none.json"), "none.json: no such trace"), (PROGRAM, "not a Chrome trace"),
                                (self.folder, "no such trace")):
            refused = page(trace)
            self.assertEqual(2, refused.returncode)
            self.assertIn(expected, refused.stderr)
            self.assertEqual(1, len(refused.stderr.splitlines()))

    def test_signals_hold_every_warp(self):
        """256 warps, how many there are and the assistant behind them are nine bits."""
        for warps, bits in ((64, 8), (256, 9)):
            process = tessera("--wave", self.path("w.vcd"), "--wave-scope", "sm0.*", "--set", f"sm.max_warps={warps}")
            self.assertEqual(0, process.returncode, process.stderr)
            widths = re.findall(rb"\$var wire (\d+) \S+ (?:warp|resident_warps)\b", self.read("w.vcd"))
            self.assertEqual({b"%d" % bits}, set(widths), widths)

    def test_windows_of_a_kernel(self):
        """Its first 500 cycles, wherever in the run they are; without an end, no more than the kernel."""
        out = self.path("out")
        self.assertEqual(0, tessera("--out", out).returncode)
        with open(os.path.join(out, "result.json"), encoding="utf-8") as handle:
            im2col, gemm = (kernel["cycles"] for kernel in json.load(handle)["kernels"])

        def cycles(window):
            process = tessera("--wave", self.path("w.vcd"), "--wave-window", window)
            self.assertEqual(0, process.returncode, process.stderr)
            times = [int(line[1:]) for line in self.read("w.vcd").split(b"\n") if line.startswith(b"#")]
            return [round(time * 1200 / 1e9) for time in times]

        for window, first, last in (("gemm:0:500", im2col, im2col + 500),
                                    ("resnet.C2.gemm:100:", im2col + 100, im2col + gemm),
                                    ("im2col::", 0, im2col)):
            seen = cycles(window)
            self.assertEqual(first, seen[0], window)
            self.assertEqual(last, seen[-1], window)
            self.assertGreater(len(seen), 100, window)
        self.assertEqual([im2col + gemm - 2, im2col + gemm], [cycles(f"gemm:{gemm - 2}:")[place] for place in (0, -1)])

    def test_the_view_that_fits_is_named(self):
        def hint(*arguments):
            process = subprocess.run([PROGRAM, "run", *arguments, "--wave", self.path("w.vcd")], capture_output=True,
                                     text=True, check=False)
            self.assertEqual(0, process.returncode, process.stderr)
            return [line for line in process.stdout.splitlines() if line.startswith("waveform: ")][0].split("w.vcd")[-1]

        small = ["--set", "gpu.sms=2"]
        duplo = ["duplo_titan_v", "duplo_paper", "resnet.C2", *small, "--set", "workload.tiling.cta_limit=2"]
        self.assertEqual(" waveforms/sm.gtkw)", hint(*duplo))
        self.assertEqual(" waveforms/memory.gtkw)", hint(*duplo, "--wave-scope", "memory"))
        self.assertEqual(")", hint(*duplo, "--wave-scope", "memory.crossbar"))  # no view shows that alone
        sparse = ["dual_side_v100", "dual_side_ideal", *small, *[word for size in "mnk" for word in
                                                              ("--set", f"workload.gemm.{size}=64")]]
        self.assertEqual(" waveforms/spwmma.gtkw)", hint(*sparse))
        direct = ["gtx480_56sm", "opportunistic", "lenet5.C1.forward", "--set", "workload.layer.batch=1"]
        self.assertEqual(" waveforms/opportunistic.gtkw)", hint(*direct, "--wave-scope", "sm7"))
        self.assertEqual(" waveforms/mesh.gtkw)", hint(*direct, "--wave-scope", "sm0,sm3,memory.mesh"))

    def test_signals_leave_no_half_written_file(self):
        for number, wave in ((signal.SIGHUP, "w.vcd"), (signal.SIGTERM, "w.fst")):
            files = [self.path(wave), self.path("t.json")]
            command = [PROGRAM, "run", "resnet.C2", "duplo_paper", "--quiet", "--wave", files[0], "--timeline", files[1]]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                deadline = time.time() + 60
                while not os.path.exists(files[1] + ".part") and time.time() < deadline:
                    time.sleep(0.01)
                process.send_signal(number)
                output, errors = process.communicate(timeout=60)
            self.assertEqual((130, "", ""), (process.returncode, output, errors))
            self.assertEqual([], [name for name in os.listdir(self.folder) if ".part" in name])
            for name in files:
                if os.path.exists(name):
                    os.remove(name)

    def test_nohup_is_heard(self):
        """A run that inherits an ignored SIGHUP goes on after the signal."""
        command = [PROGRAM, *RUN, "--set", "logging.level=error", "--timeline", self.path("t.json")]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True,
                              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
            while not os.listdir(self.folder):
                time.sleep(0.01)
            process.send_signal(signal.SIGHUP)
            _, errors = process.communicate(timeout=60)
        self.assertEqual((0, ""), (process.returncode, errors))

    def test_windows_change_no_results_either(self):
        self.assertEqual(0, tessera("--out", self.path("plain")).returncode)
        watched = tessera("--out", self.path("watched"), "--wave", self.path("w.vcd"),
                          "--wave-window", "500:900")
        self.assertEqual(0, watched.returncode, watched.stderr)
        self.assertEqual(self.read("plain/result.json"), self.read("watched/result.json"))

    def test_fst_is_a_small_part_of_vcd(self):
        sizes = {}
        for wave in ("w.vcd", "w.fst"):
            watched = tessera("--quiet", "--wave", self.path(wave))
            self.assertEqual(0, watched.returncode, watched.stderr)
            sizes[wave] = os.path.getsize(self.path(wave))
        self.assertLess(5 * sizes["w.fst"], sizes["w.vcd"])
        self.assertEqual(["w.fst", "w.vcd"], sorted(os.listdir(self.folder)))

    def test_mistakes(self):
        wave = ["--wave", self.path("w.vcd")]
        self.assert_refused("expected two core cycles A:B", *wave, "--wave-window", "5")
        self.assert_refused("without --wave or --timeline", "--wave-window", "5:6")
        self.assert_refused("--wave: got 'wave', expected a name that ends in .vcd or .fst", "--wave", "wave")
        self.assert_refused("--wave-window: got 'im2row:0:5', expected a kernel of this run, one of {resnet.C2.im2col, "
                            "resnet.C2.gemm}", *wave, "--wave-window", "im2row:0:5")
        self.assert_refused("cycles after gemm began: no waveform", *wave, "--wave-window", "gemm:900000000:")
        self.assert_refused("without --wave or --timeline", "--wave-scope", "sm0")
        self.assert_refused("--over-time: has no folder to write to without --out", "--over-time")
        self.assert_refused("cannot write", "--timeline", self.path("no/such/folder/t.html"))
        self.assert_refused("'sm7' matches nothing; there are memory.", *wave, "--wave-scope", "sm7")
        self.assert_refused("cannot write", "--wave", self.path("no/such/folder/w.vcd"))
        self.assert_refused("cannot write", "--timeline", self.path("no/such/folder/t.json"))
        self.assert_refused("which is the file of --wave", *wave, "--timeline", self.path("w.vcd"))
        self.assert_refused("but the run ended at cycle", *wave, "--wave-window", "900000000:")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
