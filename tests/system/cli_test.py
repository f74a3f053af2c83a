#!/usr/bin/python3
"""tessera run, config and program: files and exit codes are those that the help and docs promise."""

import json
import os
import re
import resource
import shutil
import sys
import unittest

import small_run
from small_run import SMALL, Cli, sets, tessera


class Files(Cli):
    def test_run_writes_its_files(self):
        process = tessera("run", self.small, "--out", self.out())
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.assertEqual(sorted(os.listdir(self.out())), [
            "config.yaml", "host.json", "result.json", "small.gemm.stats.csv", "small.gemm.stats.txt",
            "small.im2col.stats.csv", "small.im2col.stats.txt", "summary.txt"])
        result = self.result()
        self.assertEqual(result["schema_version"], 1)
        self.assertEqual([k["name"] for k in result["kernels"]], ["small.im2col", "small.gemm"])
        # The configuration it says it had is the one it has.
        again = tessera("config", os.path.join(self.out(), "config.yaml"))
        self.assertIn(result["config_hash"], again.stdout)

    def test_summary_of_opportunistic_computing(self):
        """The output contains the figures for which README shows the command, equal to those in result.json."""
        text = tessera("run", "gtx480_56sm", "opportunistic", "lenet5.C1.forward", "--set", "workload.layer.batch=1",
                       "--out", self.out()).stdout
        metrics = self.result()["metrics"]
        self.assertGreater(metrics["predicted_percent"], 0)
        self.assertIn(f"  {metrics['vector_operations']} vector operations: {metrics['predicted_percent']:.2f} % predicted, "
                      f"{metrics['assigned_percent']:.2f} % assigned to other SMs\n", text)
        self.assertIn(f"predictions that were used: {metrics['prediction_accuracy_percent']:.2f} %\n", text)
        # The three shares of issue slots (own warps, assistant warps, empty) add up to 100 %.
        own, assisted, empty = map(float, re.search(
            r"issue slots: ([\d.]+) % issued by the kernel's warps, ([\d.]+) % issued by assistant warps, ([\d.]+) % empty\n",
            text).groups())
        self.assertAlmostEqual(100, own + assisted + empty, delta=0.02)
        self.assertAlmostEqual(metrics["stall_percent"], assisted + empty, delta=0.02)
        self.assertGreater(assisted, 0)
        issued = float(re.search(r"\n    issued +([\d.]+) %\n", text)[1])
        self.assertAlmostEqual(issued, own + assisted, delta=0.02)
        page = os.path.join(self.folder, "page.html")
        self.assertEqual(tessera("report", self.out(), "-o", page).returncode, 0)
        with open(page, encoding="utf-8") as file:
            rows = dict(re.findall(r"<tr[^>]*><td[^>]*>((?:issued|stall)_\w+)</td><td[^>]*>[^<]*</td><td[^>]*>([\d.]+)</td></tr>",
                                   file.read()))
        self.assertAlmostEqual(float(rows["issued_by_others"]), own, delta=0.02)
        self.assertAlmostEqual(float(rows["issued_by_assistants"]), assisted, delta=0.02)
        self.assertAlmostEqual(100, sum(map(float, rows.values())), delta=0.1)

    def test_the_page_names_what_acted_and_what_bounds(self):
        text = tessera("run", self.small, "duplo_paper", "--out", self.out()).stdout
        result = self.result()
        hit_rate, loads = (result["metrics"][key] for key in ("hit_rate_percent", "loads_of_a"))
        self.assertIn(f"mechanisms that acted:\n  Duplo: hit rate {hit_rate:.2f} % of {loads} loads of A\n", text)
        self.assertEqual(result["mechanisms"], [
            {"name": "Duplo", "acted": True, "figure": f"hit rate {hit_rate:.2f} % of {loads} loads of A"}])
        for kernel in result["kernels"]:
            self.assertIn(f"  bound by {kernel['bound_by']}\n", text)
        product = {unit["unit"]: unit for unit in result["kernels"][1]["percent_of_peak"]}
        flop = 2 * 16 ** 3 * result["metrics"]["mmas"]
        peak = 4 * 256 * result["metrics"]["cycles"]  # four sub-cores, 256 a cycle: two tensor cores of 64 FMA
        self.assertAlmostEqual(product["tensor cores"]["percent"], 100 * flop / peak)
        self.assertEqual(product["tensor cores"]["peak"], "1.229 TFLOP/s")
        # Dense products occupy tensor cores for as long as their FLOP take, and both have as many digits.
        occupied = f"{product['tensor cores']['percent']:.2f} %"
        self.assertRegex(text, rf"\n    tensor cores +{occupied} of 1.229 TFLOP/s\n")
        self.assertIn(f"tensor cores occupied in {occupied} of their cycles\n", text)
        moved = 32 * result["metrics"]["dram_sectors"]
        self.assertAlmostEqual(product["DRAM"]["percent"],
                               100 * moved / (48 * 16 * 850 / 1200 * result["metrics"]["cycles"]))
        self.assertRegex(text, r"\n    DRAM +\d+\.\d\d % of 652\.8 GB/s\n")
        # The HTML page says the same, with what the names of issue slots mean.
        page = os.path.join(self.folder, "page.html")
        process = tessera("report", self.out(), "-o", page)
        self.assertEqual(process.returncode, 0)
        metrics = result["metrics"]
        self.assertRegex(process.stdout, rf"\n  cycles +{metrics['cycles']}\n")
        self.assertRegex(process.stdout, rf"\n  hit_rate_percent +{metrics['hit_rate_percent']:.4f}\n")
        with open(page, encoding="utf-8") as handle:
            html = handle.read()
        self.assertIn(f"hit rate {hit_rate:.2f} % of {loads} loads of A", html)
        self.assertIn("<td class='word '>cycles waiting for the LDST unit</td>", html)

    def test_the_page_names_what_did_not_act(self):
        text = tessera("run", self.small).stdout
        self.assertIn("mechanisms that acted: none\n", text)
        shape = sets(workload__gemm__m=64, workload__gemm__n=64, workload__gemm__k=64, gpu__sms=1)
        sparse = sets(tensor_core__kind="outer_product", workload__kind="sparse_gemm", workload__sparse__a__sparsity=0.5)
        process = tessera("run", *shape, *sparse, "--out", self.out())
        self.assertEqual(process.returncode, 0, process.stderr)
        pair = self.result()["kernels"][-1]["statistics"]["sm"]["sub_core"]["tensor"]
        self.assertIn(f"  SpWMMA: {pair['ohmmas']} OHMMAs issued, {pair['ohmmas_skipped']} skipped (", process.stdout)

    def test_a_folder_with_a_run_is_wholly_replaced(self):
        other = self.file("other.yaml", SMALL.replace("name: small", "name: other"))
        self.assertEqual(tessera("run", other, "-q", "--out", self.out()).returncode, 0)
        self.file("out/notes.txt", "mine")
        process = tessera("run", self.small, "--out", self.out())
        self.assertIn(f"results: {self.out()} (in place of an earlier run's)\n", process.stdout)
        left = sorted(os.listdir(self.out()))
        self.assertEqual([name for name in left if name.startswith("other")], [])
        self.assertEqual(left, [
            "config.yaml", "host.json", "notes.txt", "result.json", "small.gemm.stats.csv", "small.gemm.stats.txt",
            "small.im2col.stats.csv", "small.im2col.stats.txt", "summary.txt"])

    def test_a_folder_with_other_files_is_refused(self):
        """A file that a run would overwrite and that no run has written: nothing is simulated."""
        os.makedirs(self.out())
        for name in ("config.yaml", "summary.txt", "small.gemm.stats.csv", "result.json"):
            mine = self.file(f"out/{name}", '{"tool": "mine"}')
            self.refused(["run", self.small], f"--out: {mine} is there and of no run, expected another folder")
            with open(mine, encoding="utf-8") as handle:
                self.assertEqual(handle.read(), '{"tool": "mine"}')
            os.remove(mine)
        self.file("out/sweep.json", "{}")
        self.refused(["run", self.small], f"--out: {self.out()} holds a sweep")

    def test_paths_are_those_of_the_file_that_names_them(self):
        """A matrix beside a configuration is found from anywhere, and by the saved configuration as well."""
        matrix = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden", "matrices", "small.mtx")
        shutil.copy(matrix, os.path.join(self.folder, "a.mtx"))
        config = self.file("sub/sparse.yaml", "gpu: {sms: 1}\ntensor_core: {kind: outer_product}\nworkload:\n"
                           "  kind: sparse_gemm\n  gemm: {m: 5, n: 16, k: 7}\n  sparse: {a: {file: ../a.mtx}}\n")
        elsewhere = os.path.join(self.folder, "elsewhere")
        os.makedirs(elsewhere)
        self.assertEqual(tessera("run", config, "-q", "--out", self.out(), cwd=elsewhere).stderr, "")
        process = tessera("run", os.path.join(self.out(), "config.yaml"), "-q", cwd="/")
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        # Relative paths on the command line start at the working directory.
        process = tessera("run", config, "-q", "--set", "workload.sparse.a.file=a.mtx", cwd=self.folder)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.refused(["run", config, "--set", "workload.sparse.a.file=none.mtx"], "/none.mtx")

    def test_a_layer_without_name(self):
        self.assertEqual(tessera("run", self.small, "-q", "--set", 'workload.layer.name=""', "--out",
                                 self.out()).returncode, 0)
        self.assertIn("convolution.gemm.stats.txt", os.listdir(self.out()))

    def test_same_bytes_twice(self):
        contents = []
        for _ in range(2):
            self.assertEqual(tessera("run", self.small, "--set", "values=on", "--out", self.out()).returncode, 0)
            with open(os.path.join(self.out(), "result.json"), "rb") as handle:
                contents.append(handle.read())
        self.assertEqual(contents[0], contents[1])

    def test_the_speed_of_a_sample_is_of_what_ran(self):
        product = sets(gpu__sms=1, workload__gemm__m=2048, workload__gemm__n=1024, workload__gemm__k=32, workload__kernel="64x64",
                       workload__repeat=1)
        simulated = {}
        for how in ([], ["--sample"]):
            self.assertEqual(tessera("run", "v100", "library", *product, *how, "-q", "--out", self.out()).returncode, 0)
            with open(os.path.join(self.out(), "host.json"), encoding="utf-8") as handle:
                simulated[bool(how)] = json.load(handle)["warp_instructions"]
        self.assertTrue(self.result()["sampled"])
        self.assertAlmostEqual(simulated[False] / self.result()["metrics"]["warp_instructions"], 1, delta=0.1)
        self.assertLess(simulated[True], simulated[False] / 2)

    def test_without_out_nothing_is_written(self):
        before = os.listdir(self.folder)
        process = tessera("run", self.small, cwd=self.folder)
        self.assertEqual(process.returncode, 0)
        self.assertIn("kernel small.gemm: ", process.stdout)
        self.assertEqual(os.listdir(self.folder), before)

    def test_quiet(self):
        process = tessera("run", self.small, "-q", "--set", "values=on")
        self.assertEqual((process.returncode, process.stdout, process.stderr), (0, "", ""))

    def test_few_addresses(self):
        """`ulimit -v`: the heap takes no more of them in advance than it needs."""
        def few_addresses():
            resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))

        if tessera("--version", preexec_fn=few_addresses).returncode != 0:
            self.skipTest("a build with sanitizers takes terabytes of addresses for itself")
        process = tessera("run", self.small, "-q", preexec_fn=few_addresses)
        self.assertEqual((process.returncode, process.stderr), (0, ""))

    def test_unwritable_folder(self):
        plain = self.file("plain", "")
        for folder in (plain, os.path.join(plain, "below"), "/dev/null/below"):
            self.refused(["run", self.small, "--out", folder], "--out: cannot ", folder, out=False)

    def test_full_disk(self):
        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        process = tessera("run", self.small, "-q", "--out", self.out(), preexec_fn=no_room)
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
        self.assertIn("cannot write ", process.stderr)
        self.assertIn("File too large", process.stderr)
        self.assertFalse(os.path.exists(self.out()))

    def test_disk_that_fills_up(self):
        """Room for the small files only: none is written, and those of an earlier run stay whole."""
        self.assertEqual(tessera("run", self.small, "-q", "--out", self.out()).returncode, 0)
        room = os.path.getsize(os.path.join(self.out(), "result.json")) - 1
        shutil.rmtree(self.out())

        def little_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

        process = tessera("run", self.small, "-q", "--out", self.out(), preexec_fn=little_room)
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertFalse(os.path.exists(self.out()))


class ExitCodes(Cli):
    def test_deadlock(self):
        """An answer that never comes: who waits for it, and nothing that looks like a result."""
        for timing in ("lt", "at"):
            process = tessera("run", "gtx480_56sm", "opportunistic", "lenet5.C1.forward", "--set",
                              "opportunistic.at_cost=messages", "--set", "opportunistic.fault=lost_answer", "--set",
                              f"timing={timing}", "--out", self.out())
            self.assertEqual(process.returncode, 3, process.stderr)
            self.assertRegex(process.stderr,
                             r"^tessera: deadlock: kernel lenet5.C1.forward: \d+ of 144 CTAs done at cycle \d+ and "
                             r"nothing can go on\n")
            self.assertRegex(process.stderr,
                             r"sub_core0: warp \d+ of CTA slot \d+ waits without end \(\w+, next: vector_op\)\n")
            self.assertRegex(process.stderr,
                             r"SM \d+: warp \d+ waits since cycle \d+ for 1 answers of the assign table, home SM \d+\n")
            self.assertNotIn("18446744073709551615", process.stderr)
            self.assertFalse(os.path.exists(self.out()))

    def test_wrong_formula_fails_the_check(self):
        duplo = ["--set", "duplo.enabled=on", "--set", "values=on"]
        for formula, code in (("corrected", 0), ("paper", 1), ("notes", 1)):
            process = tessera("run", self.small, *duplo, "--set", f"duplo.id_formula={formula}",
                              "--out", self.out())
            self.assertEqual(process.returncode, code, process.stdout + process.stderr)
            result = self.result()
            self.assertEqual(result["violations"] == [], code == 0)
            self.assertEqual(result["verification"]["mismatches"] == 0, code == 0)
            self.assertEqual("LHB hits named a register with other data" in process.stdout, code == 1)
            self.assertEqual("DIFFERS FROM the golden model" in process.stdout, code == 1)

    def test_wrong_hits_of_all_sms_are_one_line(self):
        process = tessera("run", self.small, "--set", "duplo.enabled=on", "--set", "values=on", "--set",
                          "duplo.id_formula=paper", "--set", "gpu.sms=4", "--set", "workload.layer.batch=8", "--out",
                          self.out())
        self.assertEqual(process.returncode, 1, process.stdout + process.stderr)
        self.assertEqual(process.stdout.count("VIOLATED"), 1, process.stdout)
        self.assertRegex(process.stdout, r"VIOLATED: gpu: \d+ of \d+ LHB hits named a register with other data: "
                                         r"address 0x.* in gpu\.sm0\.ldst, the first of [2-4] SMs\n")

    def test_pages_replace_nothing_but_pages(self):
        self.assertEqual(tessera("run", self.small, "--out", self.out(), "-q").returncode, 0)
        result, page = os.path.join(self.out(), "result.json"), self.path("page.html")
        before = self.result()
        self.assert_refused(tessera("report", self.out(), "-o", result), "is there and is no HTML page")
        self.assert_refused(tessera("compare", self.out(), self.out(), "--html", result), "is there and is no HTML page")
        self.assertEqual(self.result(), before)
        for _ in range(2):  # a page takes the place of another one
            self.assertEqual(tessera("report", self.out(), "-o", page).returncode, 0)


class ConfigAndProgram(Cli):
    def test_printed_configuration_reads_back(self):
        first = tessera("config", self.small, "duplo_paper", "--set", "seed=5")
        again = tessera("config", self.file("printed.yaml", first.stdout))
        self.assertEqual(first.returncode, 0)
        self.assertEqual(again.stdout, first.stdout)
        self.assertIn("seed: 5\n", first.stdout)

    def test_later_configurations_win(self):
        over = self.file("over.yaml", "gpu: {sms: 3}\n")
        self.assertIn("sms: 3\n", tessera("config", self.small, over).stdout)
        self.assertIn("sms: 1\n", tessera("config", over, self.small).stdout)
        self.assertIn("sms: 7\n", tessera("config", over, "--set", "gpu.sms=7", self.small).stdout)

    def test_listed_keys_can_be_chosen(self):
        def keys(pattern):
            return [line.split()[0] for line in tessera("config", "--list", pattern).stdout.splitlines()[1:]]

        everything = [line.split()[0] for line in tessera("config", "--list").stdout.splitlines()[1:]]
        self.assertEqual(keys("dram"), [key for key in everything if key.startswith("dram.")])
        self.assertEqual(keys("duplo.lhb"), [key for key in everything if key.startswith("duplo.lhb.")])
        self.assertIn("ldst.octet_l1_accesses", keys("Octet"))  # text in the name, in any case
        self.assertIn("workload.sparse.a.file", keys("matrix market"))  # or in the meaning

    def test_names_are_those_that_work(self):
        names = [line.strip() for line in tessera("config", "--names").stdout.splitlines()
                 if line.startswith("  ")]
        self.assertIn("resnet.C2", names)
        self.assertIn("duplo_paper", names)

    def test_hierarchy_shows_what_is_bound(self):
        small = [part for key in ("gpu.sms=3", "l2.slices=4", "dram.channels=2") for part in ("--set", key)]
        folded = tessera("config", "duplo_titan_v", *small, "--hierarchy").stdout.splitlines()
        every = tessera("config", "duplo_titan_v", *small, "--hierarchy", "--all").stdout.splitlines()
        for line in ("gpu  Gpu",
                     "    crossbar  Crossbar",
                     "      target_0..target_2 (3 of these)  target socket <- gpu.sm0.l1.initiator",
                     "    dram_0..dram_1 (2 of these)  DramChannel",
                     "      target  target socket <- gpu.memory.l2_0.initiator and 1 more",
                     "    l2_0..l2_3 (4 of these)  L2Slice",
                     "      initiator  initiator socket -> gpu.memory.dram_0.target",
                     "  sm0..sm2 (3 of these)  StreamingMultiprocessor",
                     "      to_l1  initiator socket -> gpu.sm0.l1.target",
                     "      from_sub_core0..from_sub_core3 (4 of these)  target socket <- gpu.sm0.sub_core0.to_ldst",
                     "    sub_core0..sub_core3 (4 of these)  SubCore",
                     "      to_tensor  initiator socket -> gpu.sm0.tensor0.from_sub_core",
                     "      to_arbiter  port -> gpu.sm0.ldst.arbiter",
                     "      grants  export <- gpu.sm0.ldst.client0"):
            self.assertIn(line, folded)
        self.assertIn("  sm2  StreamingMultiprocessor", every)
        self.assertIn("      to_tensor  initiator socket -> gpu.sm2.tensor3.from_sub_core", every)
        self.assertNotIn("of these", "\n".join(every))
        self.assertNotIn("not bound", "\n".join(every))
        self.assertEqual(sum(line.split()[1] == "SubCore" for line in every), 12)
        at = tessera("config", "duplo_titan_v", *small, "--set", "timing=at", "--hierarchy").stdout.splitlines()
        self.assertIn("      to_l1  initiator socket -> gpu.sm0.l1.target", at)
        self.assert_refused(tessera("config", "duplo_titan_v", "--all"), "--hierarchy")
        self.assert_refused(tessera("config", "--hierarchy", "--names"), "excludes")

    def test_im2col_table(self):
        path = os.path.join(self.folder, "table.json")
        arguments = ["im2col-table", "--layer", "6x10x2", "--sparsity", "0,50", "--no-time", "--json", path]
        text = tessera(*arguments).stdout
        self.assertIn("im2col of 6 x 10 x 2 under 3 x 3, pad 1", text)
        with open(path, encoding="utf-8") as file:
            table = json.load(file)
        self.assertEqual(table["lowered_elements"], 6 * 10 * 2 * 9)
        names = [method["name"] for method in table["methods"]]
        self.assertEqual(names, ["dense", "csr_element", "csr_window", "csr_row", "bitmap_element", "bitmap_row",
                                 "bitmap_address"])
        rows = table["methods"][names.index("bitmap_row")]["points"]
        # One mask of a row of 10 for each of 2 x 9 columns and 6 rows, less the rows outside (2 of 18).
        self.assertEqual(rows[0]["operations"]["popcounts"], 2 * 3 * (6 * 3 - 2))
        self.assertGreater(rows[0]["operations"]["value_reads"], rows[1]["operations"]["value_reads"])
        self.assertNotIn("seconds", rows[0])
        self.assertEqual(table["paper"]["S.table3.bitmap"][0], {"sparsity_percent": 0.0, "ratio_to_dense": 8.31})
        with open(path, "rb") as file:
            first = file.read()
        tessera(*arguments)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), first)
        timed = tessera("im2col-table", "--layer", "6x10x2", "--sparsity", "99.9", "--repeat", "1").stdout
        self.assertRegex(timed, r"paper: S.table3.csr +1.20\n")
        for layer in ("6x10", "6x10x2x", "6x10x2x3", "6x-1x2", "0x1x1", "ax1x1", "99999999999x1x1"):
            self.refused(["im2col-table", "--layer", layer, "--json", self.out()], "--layer: got '" + layer,
                         out=False)
        self.refused(["im2col-table", "--layer", "1x1x1", "--pad", "0"], "a filter larger than its image", out=False)
        self.refused(["im2col-table", "--pad", "3"], "padding of a whole filter", out=False)
        self.refused(["im2col-table", "--sparsity", "101"], "--sparsity", out=False)
        self.refused(["im2col-table", "--no-time", "--repeat", "2"], "--no-time", out=False)

    def test_program(self):
        text = tessera("program", self.small).stdout.splitlines()
        self.assertTrue(text[0].startswith("// kernel small.gemm: 1 CTAs of 2 warps, "))
        body = [line for line in text if not line.startswith("//")]
        self.assertEqual(body[-1].split(), [str(len(body) - 1), "exit"])
        # 25 rows in one tile of 2 x 1 fragments a warp, 9 steps of 16 along k.
        self.assertEqual(sum("wmma.mma" in line for line in body), 2 * 9)
        self.assertEqual(sum("wmma.load.a" in line for line in body), 2 * 9)
        limited = tessera("program", self.small, "--limit", "3").stdout.splitlines()
        self.assertEqual(limited, text[:len(text) - len(body) + 3])
        im2col = tessera("program", self.small, "--kernel", "small.im2col").stdout
        self.assertIn("// kernel small.im2col: ", im2col)
        self.assertIn("st.global", im2col)

    def test_program_of_a_trace(self):
        trace = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden", "traces", "fmt",
                             "kernelslist.g")
        arguments = ["program", "--set", "workload.kind=trace", "--set", f"workload.trace={trace}"]
        text = tessera(*arguments, "--warp", "1").stdout.splitlines()
        self.assertEqual(text[0], "// kernel 2.fmt_test: 1 CTAs of 2 warps, 64 registers a thread, 4096 B shared memory")
        self.assertEqual(text[-1].split(), ["14", "exit"])
        self.assertIn("ld.global %r2, [0x7f4000000000]  // 32 B", text[-10])
        self.refused([*arguments, "--kernel", "fmt"], "expected one of {1.fmt_test, 2.fmt_test}")

    def test_program_is_what_runs(self):
        self.assertEqual(tessera("run", self.small, "-q", "--out", self.out()).returncode, 0)
        mmas = sum(tessera("program", self.small, "--warp", str(warp)).stdout.count("wmma.mma")
                   for warp in range(2))
        self.assertEqual(self.result()["metrics"]["mmas"], mmas)


if __name__ == "__main__":
    small_run.TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
