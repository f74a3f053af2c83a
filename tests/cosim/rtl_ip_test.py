#!/usr/bin/python3
"""The file lists and cores of the RTL blocks are complete and in order: they are what tools/rtl_ip makes of CMakeLists.txt,
Verilator and yosys read them, and a list with a missing or misplaced file is found."""

import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RTL = os.path.join(ROOT, "rtl")
TOPS = {"fp": "fp_bench_top"}  # of the others: the block's name


def run(*command, cwd=ROOT):
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, timeout=120)


def lists():
    """Paths of the file lists."""
    return sorted(glob.glob(os.path.join(RTL, "*", "*.f")))


def name_of(path):
    return os.path.splitext(os.path.basename(path))[0]


def top_of(path):
    return TOPS.get(name_of(path), name_of(path))


def listed(path):
    """The absolute paths of the sources in a list."""
    with open(path, encoding="utf-8") as handle:
        lines = [line.strip() for line in handle if not line.startswith("//")]
    return [os.path.normpath(os.path.join(os.path.dirname(path), line)) for line in lines]


def lint(top, arguments, cwd=ROOT):
    return run("verilator", "--lint-only", "-Wall", "--top-module", top, *arguments, cwd=cwd)


def read_by_yosys(top, sources):
    return run("yosys", "-q", "-e", ".", "-p", f"read_verilog -sv {' '.join(sources)}; hierarchy -check -top {top}")


class Cores:
    """The CAPI2 files under a folder, resolved as FuseSoC does: what a core depends on comes first."""

    def __init__(self, folder):
        self.cores = {}
        for path in glob.glob(os.path.join(folder, "*", "*.core")):
            with open(path, encoding="utf-8") as handle:
                if handle.readline() != "CAPI=2:\n":
                    raise AssertionError(f"{path} does not begin with CAPI=2:")
                core = yaml.safe_load(handle)
            self.cores[core["name"]] = (os.path.dirname(path), core)

    def sources(self, name, target):
        """The sources of a target in compile order, each once."""
        folder, core = self.cores[name]
        found = []
        for fileset in core["targets"][target]["filesets"]:
            for needed in core["filesets"][fileset].get("depend", []):
                found += self.sources(needed.removeprefix(">="), "default")
            found += [os.path.join(folder, file) for file in core["filesets"][fileset]["files"]]
        return list(dict.fromkeys(found))


class RtlIp(unittest.TestCase):
    def assert_good(self, process):
        self.assertEqual((process.returncode, process.stdout + process.stderr), (0, ""))

    def test_the_files_are_those_of_cmake(self):
        process = run("tools/rtl_ip", "--check")
        self.assertEqual((process.returncode, process.stdout, process.stderr), (0, "", ""))
        self.assertEqual([name_of(path) for path in lists()],
                         [name_of(path) for path in sorted(glob.glob(os.path.join(RTL, "*", "*.core")))])
        self.assertGreaterEqual(len(lists()), 8)

    def test_a_wrong_file_is_found(self):
        with tempfile.TemporaryDirectory() as copy:
            for folder in ("rtl", "cmake", "tools"):
                shutil.copytree(os.path.join(ROOT, folder), os.path.join(copy, folder))
            shutil.copy(os.path.join(ROOT, "CMakeLists.txt"), copy)
            tool = os.path.join(copy, "tools", "rtl_ip")
            good = {}
            for name in ("rtl/feop/feop.f", "rtl/feop/feop.core", "rtl/fedp/CMakeLists.txt"):
                with open(os.path.join(copy, name), encoding="utf-8") as handle:
                    good[name] = handle.read()
            for name, old, new, expected in (
                    ("rtl/feop/feop.f", "feop_pkg.sv\n", "", "rtl/feop/feop.f differs"),
                    ("rtl/feop/feop.f", "feop_pkg.sv\nfeop.sv\n", "feop.sv\nfeop_pkg.sv\n", "rtl/feop/feop.f differs"),
                    ("rtl/feop/feop.core", "      - feop.sv\n", "", "rtl/feop/feop.core differs"),
                    ("rtl/fedp/CMakeLists.txt", "fedp.sv)", "fedp.sv fedp_more.sv)", "rtl/fedp/fedp.f differs")):
                with self.subTest(name=name, new=new):
                    self.assertIn(old, good[name])
                    with open(os.path.join(copy, name), "w", encoding="utf-8") as handle:
                        handle.write(good[name].replace(old, new))
                    process = run(tool, "--check", cwd=copy)
                    self.assertEqual(process.returncode, 1, process.stderr)
                    self.assertIn(expected, process.stdout)
                    with open(os.path.join(copy, name), "w", encoding="utf-8") as handle:
                        handle.write(good[name])
            os.rename(os.path.join(copy, "rtl/feop/feop.f"), os.path.join(copy, "rtl/feop/feop_old.f"))
            process = run(tool, "--check", cwd=copy)
            self.assertEqual(process.stdout, "rtl/feop/feop.f is missing: run tools/rtl_ip\n"
                             "rtl/feop/feop_old.f belongs to no block of rtl/*/CMakeLists.txt: run tools/rtl_ip\n")
            self.assertEqual(run(tool, cwd=copy).returncode, 0)
            with open(os.path.join(copy, "rtl/feop/feop.f"), encoding="utf-8") as handle:
                self.assertEqual(handle.read(), good["rtl/feop/feop.f"])

    @unittest.skipIf(shutil.which("verilator") is None, "no Verilator here")
    def test_verilator_reads_lists_and_cores(self):
        cores = Cores(RTL)
        version = next(iter(cores.cores)).rsplit(":", 1)[1]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = []
            for path in lists():
                folder, top = os.path.dirname(path), top_of(path)
                runs.append((f"-f {name_of(path)}", pool.submit(lint, top, ["-f", os.path.basename(path)], folder)))
                sources = cores.sources(f"tessera:rtl:{name_of(path)}:{version}", "lint")
                self.assertLessEqual(set(listed(path)), set(sources))
                if sources != listed(path):  # else the same command once more
                    runs.append((f"core {name_of(path)}", pool.submit(lint, top, sources)))
            runs.append(("-F fedp", pool.submit(lint, "fedp", ["-F", os.path.join(RTL, "fedp", "fedp.f")])))
            for what, done in runs:
                with self.subTest(what):
                    self.assert_good(done.result())

    @unittest.skipIf(shutil.which("yosys") is None, "no yosys here")
    def test_yosys_reads_lists(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = [(path, pool.submit(read_by_yosys, top_of(path), listed(path))) for path in lists()]
            for path, done in runs:
                with self.subTest(path):
                    self.assert_good(done.result())

    def test_wrong_lists_do_not_compile(self):
        feop = os.path.join(RTL, "feop", "feop.f")
        sources = listed(feop)
        package = os.path.join(RTL, "feop", "feop_pkg.sv")
        without = [source for source in sources if source != package]
        tools = {"verilator": lint, "yosys": read_by_yosys}
        for tool in [tool for tool in tools if shutil.which(tool)]:
            for wrong in (without, [*without, package], sources[:1] + sources[2:]):
                with self.subTest(tool=tool, wrong=[os.path.basename(source) for source in wrong]):
                    self.assertNotEqual(tools[tool]("feop", wrong).returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
