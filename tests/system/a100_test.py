#!/usr/bin/python3
"""The machine a100 and the products with asynchronous copies: values, microbenchmarks, and what is refused or warned of."""

import json
import os
import re
import sys
import unittest

import small_run
from small_run import Cli, tessera

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PRODUCT = ("--set", "workload.gemm.m=200", "--set", "workload.gemm.n=264", "--set", "workload.gemm.k=200",
           "--set", "workload.gemm.transpose_a=t", "--set", "workload.gemm.transpose_b=n", "--set", "workload.repeat=1")
INT8 = ("--set", "workload.gemm.operands=int8")
# Sizes that divide neither tiles nor the 32 k of an HMMA.SP.16832.
STRUCTURED = ("--set", "workload.gemm.m=200", "--set", "workload.gemm.n=272", "--set", "workload.gemm.k=208",
              "--set", "workload.gemm.transpose_a=t", "--set", "workload.gemm.transpose_b=n", "--set", "workload.repeat=1")
# A padded, strided convolution whose sizes divide no tile.
CONVOLUTION = ("--set", "workload.kind=convolution", "--set", "workload.layer.batch=2", "--set", "workload.layer.height=15",
               "--set", "workload.layer.width=14", "--set", "workload.layer.channels=40", "--set", "workload.layer.filters=72",
               "--set", "workload.layer.stride=2", "--set", "workload.repeat=1")
CYCLES = {"lt": 7211, "at": 7296}
FOREIGN = "made for another machine: "


class A100(Cli):
    def refused(self, *arguments):
        done = tessera("run", "-q", *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_values_of_products_in_stages(self):
        for timing in ("lt", "at"):
            done = tessera("run", "a100", "multistage", *PRODUCT, "--set", f"timing={timing}", "--set", "values=on")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("output equals the golden model: 0 of 52800 values differ", done.stdout)
            self.assertNotIn(FOREIGN, done.stdout)

    def test_values_of_integers(self):
        for timing in ("lt", "at"):
            done = tessera("run", "a100", "multistage", *PRODUCT, *INT8, "--set", f"timing={timing}", "--set", "values=on")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("output equals the golden model: 0 of 52800 values differ", done.stdout)
            self.assertNotIn(FOREIGN, done.stdout)

    def test_values_of_bf16_and_tf32(self):
        """TF32 takes twice the steps of 32 bytes, each as long: half the rate and half the k."""
        cycles = {}
        for timing in ("lt", "at"):
            for operands, output in (("fp16", "fp32"), ("bf16", "fp32"), ("bf16", "bf16"), ("tf32", "fp32")):
                out = self.out()
                done = tessera("run", "a100", "multistage", *PRODUCT, "--set", f"timing={timing}", "--set", "values=on", "--out", out,
                               "--set", f"workload.gemm.operands={operands}", "--set", f"workload.gemm.output={output}",
                               "--set", "workload.multistage=64x64_64x5", "--set", "workload.split_k=1",
                               "--set", f"workload.gemm.k={100 if operands == 'tf32' else 200}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("output equals the golden model: 0 of 52800 values differ", done.stdout)
                self.assertIn("oneDNN: 0 of 52800 values outside", done.stdout)
                self.assertNotIn(FOREIGN, done.stdout)
                if operands != "fp16":
                    self.assertIn(f".{operands}.64x64_64x5.tn", done.stdout)
                with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
                    cycles[timing, operands, output] = json.load(file)["metrics"]["cycles"]
            self.assertEqual(cycles[timing, "bf16", "fp32"], cycles[timing, "fp16", "fp32"])
            self.assertLess(cycles[timing, "bf16", "bf16"], cycles[timing, "bf16", "fp32"])
            self.assertAlmostEqual(cycles[timing, "tf32", "fp32"] / cycles[timing, "fp16", "fp32"], 1, delta=0.02)

    def test_values_of_convolutions_of_bf16_and_tf32(self):
        sizes = {"forward": 2 * 8 * 7 * 72, "backward_data": 2 * 15 * 14 * 40, "backward_weight": 9 * 72 * 40}
        for timing in ("lt", "at"):
            for operands, of_pass in (("bf16", "forward"), ("bf16", "backward_data"), ("bf16", "backward_weight"), ("tf32", "forward")):
                done = tessera("run", "a100", "multistage", *CONVOLUTION, "--set", f"timing={timing}", "--set", "values=on",
                               "--set", f"workload.pass={of_pass}", "--set", f"workload.layer.operands={operands}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("output equals the golden model: 0 of", done.stdout)
                self.assertIn(f"oneDNN: 0 of {sizes[of_pass]} values outside", done.stdout)
                self.assertIn(f".{of_pass}.{operands}.", done.stdout)

    def test_floats_that_no_kernel_has(self):
        """Each is refused by the key that stands in the way."""
        bf16, tf32 = (("--set", f"workload.gemm.operands={each}") for each in ("bf16", "tf32"))
        wide = ("--set", "workload.gemm.output=fp32")
        for line, message in ((("v100", "library", *bf16, *wide), "workload.kernel multistage or wgmma"),
                              (("rtx_2080_ti", "library", *tf32, *wide), "workload.kernel multistage with"),
                              (("a100", "multistage", *bf16, *wide, "--set", "sm.tensor_rates.hmma_16816_bf16.products_per_cycle=0"),
                               "no rate for its HMMA.16816.F32.BF16"),
                              (("h100", "wgmma", *tf32, *wide), "workload.kernel multistage with"),
                              (("h100", "wgmma", *bf16, *wide, "--set", "sm.tensor_rates.hgmma_16_bf16.products_per_cycle=0"),
                               "no rate for its HGMMA.64xNx16.F32.BF16"),
                              (("a100", "multistage", *bf16), "workload.gemm.output"),
                              (("a100", "multistage", *tf32, "--set", "workload.gemm.output=bf16"), "workload.gemm.output fp32, or"),
                              (("a100", "multistage", *tf32, *wide, "--set", "workload.gemm.transpose_b=t"), "transpose_a t and transpose_b n"),
                              (("a100", "multistage_2of4", *STRUCTURED, *bf16, *wide), "structured_sparsity none"),
                              (("a100", "multistage", *bf16, *wide, "--set", "gpu.energy_table=volta_12nm"), "no price"),
                              (("a100", "multistage", *CONVOLUTION, "--set", "workload.layer.operands=tf32", "--set", "workload.layer.groups=2"),
                               "one group"),
                              (("a100", "multistage", *CONVOLUTION, "--set", "workload.layer.operands=tf32", "--set", "workload.pass=backward_data"),
                               "workload.pass forward")):
            self.assertIn(message, self.refused(*line))

    def test_values_of_convolutions_of_integers(self):
        """Channels of an odd number, too; sums of a divided k are those of the whole."""
        for operands, channels, parts in (("int8", 40, 1), ("uint8", 37, 3)):
            for timing in ("lt", "at"):
                done = tessera("run", "a100", "multistage", *CONVOLUTION, "--set", f"timing={timing}", "--set", "values=on",
                               "--set", f"workload.layer.operands={operands}", "--set", f"workload.layer.channels={channels}",
                               "--set", f"workload.split_k={parts}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"output equals the golden model: 0 of {2 * 8 * 7 * 72} values differ", done.stdout)
                self.assertIn(".forward.u8." if operands == "uint8" else ".forward.s8.", done.stdout)
                self.assertNotIn(FOREIGN, done.stdout)

    def test_integers_that_no_kernel_has(self):
        """Each is refused by the key that stands in the way."""
        for line, message in ((("v100", "library", *INT8), "workload.kernel"),
                              (("v100", "library", *INT8, "--set", "workload.kernel=multistage"), "no rate for its IMMA.16832"),
                              (("h100", "wgmma", *INT8), "workload.kernel"),
                              (("a100", "multistage", *PRODUCT, "--set", "workload.gemm.operands=uint8", "--set", "workload.gemm.order=columns"), "order rows"),
                              (("a100", "multistage", *CONVOLUTION, "--set", "workload.layer.operands=int8", "--set", "workload.layer.groups=2"),
                               "one group"),
                              (("a100", "multistage", *CONVOLUTION, "--set", "workload.layer.operands=int8", "--set", "workload.pass=backward_data"),
                               "workload.pass forward"),
                              (("a100", "multistage", *INT8, "--set", "workload.gemm.transpose_a=n"), "transpose_a t and transpose_b n"),
                              (("a100", "multistage", *PRODUCT, *INT8, "--set", "workload.gemm.output=fp16"), "workload.gemm.operands other than int8 and uint8"),
                              (("a100", "multistage_2of4", *STRUCTURED, *INT8), "structured_sparsity none"),
                              (("a100", "multistage", *PRODUCT, *INT8, "--set", "gpu.energy_table=volta_12nm"), "no price")):
            self.assertIn(message, self.refused(*line))

    def test_integers_take_half_the_steps(self):
        """The same bytes a step, at a machine's rate of twice as many products."""
        def cycles(*arguments):
            self.assertEqual(tessera("run", "-q", "a100", "multistage", *PRODUCT, *arguments, "--out", self.path("run")).returncode, 0)
            with open(self.path("run", "result.json"), encoding="utf-8") as file:
                return json.load(file)["metrics"]["cycles"]
        same = ("--set", "workload.multistage=64x64_64x5", "--set", "workload.split_k=1")
        integers = cycles(*INT8, "--set", "workload.gemm.k=400", *same)
        halves = cycles("--set", "workload.gemm.output=fp32", *same)
        self.assertEqual(integers, halves)

    def test_values_of_convolutions_in_stages(self):
        sizes = {"forward": 2 * 8 * 7 * 72, "backward_data": 2 * 15 * 14 * 40, "backward_weight": 9 * 72 * 40}
        for timing in ("lt", "at"):
            for of_pass, values in sizes.items():
                done = tessera("run", "a100", "multistage", *CONVOLUTION, "--set", f"timing={timing}", "--set", "values=on",
                               "--set", f"workload.pass={of_pass}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("output equals the golden model: 0 of", done.stdout)
                self.assertIn(f"oneDNN: 0 of {values} values outside", done.stdout)
                self.assertNotIn(FOREIGN, done.stdout)
                self.assertNotIn("offsets", done.stdout)

    def test_convolutions_that_cannot_be_copied(self):
        odd = ("--set", "workload.layer.groups=2", "--set", "workload.layer.channels=42", "--set", "workload.layer.filters=72")
        self.assertIn("no asynchronous copy has 2 bytes a lane", self.refused("a100", "multistage", *CONVOLUTION, *odd))
        self.assertIn("duplo.enabled off with workload.kernel multistage",
                      self.refused("a100", "duplo_staged", *CONVOLUTION, "--set", "workload.kernel=multistage"))
        depthwise = ("--set", "workload.layer.groups=40", "--set", "workload.layer.filters=40")
        done = tessera("run", "a100", "multistage", *CONVOLUTION, *depthwise)
        self.assertIn(".depthwise", done.stdout)

    def test_networks_run_on_kernels_that_the_machine_has(self):
        """Products too, whatever of the machine's kernels is named, and layers that those of warpgroups cannot compute."""
        network = os.path.join(self.folder, "network.yaml")
        with open(network, "w", encoding="utf-8") as file:
            file.write("""layers:
  product: {m: 200, n: 264, k: 200}
  convolution: {batch: 1, height: 14, width: 14, channels: 64, filters: 72, filter_height: 3, filter_width: 3, pad: 1, stride: 1}
""")
        staged, of_warpgroups, volta = r"\.\d+x\d+_\d+x\d+", r"\.\d+x\d+x64_\d+", r"\.\d+x\d+(\.|$)"
        for machine, product, convolution in (("a100", staged, staged), ("a100,multistage", staged, staged),
                                              ("h100,wgmma", of_warpgroups, staged), ("v100", volta, volta)):
            out = os.path.join(self.folder, machine)
            done = tessera("network", network, machine, "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            for layer, kernel in (("product", product), ("convolution", convolution)):
                names = []
                for folder, _, files in os.walk(os.path.join(out, "runs", "network." + layer)):
                    if "result.json" in files:
                        with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
                            names += [each["name"] for each in json.load(file)["kernels"]]
                self.assertTrue(any(re.search(kernel, name) for name in names), f"{machine}: {names}")

    def test_layers_of_networks_find_empty_caches(self):
        """A mechanism may time a product over and over; in a network it runs once, unless the user says otherwise."""
        network = os.path.join(self.folder, "network.yaml")
        with open(network, "w", encoding="utf-8") as file:
            file.write("""layers:
  product: {m: 200, n: 264, k: 2000}
  convolution: {batch: 1, height: 14, width: 14, channels: 64, filters: 72, filter_height: 3, filter_width: 3, pad: 1, stride: 1}
""")

        def cycles(machine, *arguments):
            out = self.out()
            done = tessera("network", network, machine, *arguments, "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(out, "network.json"), encoding="utf-8") as file:
                return [layer["times"][0]["cycles"] for layer in json.load(file)["layers"]]
        cold = cycles("a100,multistage")
        self.assertEqual(cycles("a100")[1], cold[1])
        self.assertEqual(cycles("a100,multistage", "--set", "workload.repeat=1"), cold)
        for warm in (cycles("a100,multistage", "--set", "workload.repeat=auto"), cycles("a100,multistage,workload.repeat=2")):
            self.assertTrue(warm[0] < cold[0] and warm[1] < cold[1], (warm, cold))

    def test_a_named_kernel(self):
        done = tessera("run", "a100", "multistage", *PRODUCT, "--set", "workload.multistage=128x64_64x3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(".128x64_64x3.tn", done.stdout)
        self.assertIn("expected one of {auto, 256x128_32x3, ",
                      self.refused("a100", "multistage", *PRODUCT, "--set", "workload.multistage=128x64"))

    def test_values_of_products_with_2of4_weights(self):
        for timing in ("lt", "at"):
            for order, m in (("rows", 200), ("columns", 208)):
                out = self.out()
                done = tessera("run", "a100", "multistage_2of4", *STRUCTURED, "--set", f"timing={timing}", "--set", "values=on",
                               "--set", f"workload.gemm.order={order}", "--set", f"workload.gemm.m={m}", "--out", out)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"output equals the golden model: 0 of {m * 272} values differ", done.stdout)
                self.assertIn("oneDNN: 0 of", done.stdout)
                self.assertIn(".sp.", done.stdout)
                with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
                    core = json.load(file)["kernels"][0]["statistics"]["sm"]["sub_core"]
                self.assertEqual(core["structured_mmas"], core["mmas"])
                self.assertGreater(core["mmas"], 0)

    def test_rms_normalisation_is_that_of_the_machine(self):
        """vLLM's kernel has a thread an element, that of LayerNormalization 128 a row. Both have the right values."""
        # Loads of a row: a warp's share of elements twice and of scales once, and of the warps' sums.
        for machine, shape, loads in (("a100", "5x4096", 3 * 128 + 32), ("a100", "33x1000", 3 * 32 + 32),
                                      ("a100", "3x40", 3 * 2 + 2), ("v100", "5x4096", 3 * 32 + 4)):
            for timing in ("lt", "at"):
                out = self.out()
                done = tessera("run", machine, "--set", "workload.kind=tensor", "--set", "values=on", "--set", f"timing={timing}",
                               "--set", "workload.tensor.operation=rms_normalization", "--set", f"workload.tensor.shape={shape}",
                               "--out", out)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("output equals the golden model: 0 of ", done.stdout)
                with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
                    core = json.load(file)["kernels"][0]["statistics"]["sm"]["sub_core"]
                self.assertEqual(core["loads"], int(shape.split("x")[0]) * loads, (machine, shape))

    def test_row_operators_beside_the_card(self):
        """The smallest row of each operator and side; whole tables are in docs/machines/a100.md."""
        table = os.path.join(ROOT, "configs", "reference", "a100_row_operators.csv")
        done = tessera("correlate", table, "a100", "--set", "workload.repeat=auto", "--every", "11", "--within", "15",
                       "--out", self.out())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("4 of 4 rows", done.stdout)

    def test_cycles_of_a_product_with_2of4_weights(self):
        for timing, cycles in CYCLES.items():
            out = self.out()
            done = tessera("run", "a100", "multistage_2of4", *STRUCTURED, "--set", f"timing={timing}",
                           "--set", "workload.multistage=64x64_64x4", "--set", "workload.split_k=1", "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["metrics"]["cycles"], cycles, timing)

    def test_2of4_weights_that_cannot_be(self):
        run = ("a100", "multistage_2of4", *STRUCTURED, "--set")
        self.assertIn("workload.gemm.k=200: got '200', expected a multiple of 16", self.refused(*run, "workload.gemm.k=200"))
        self.assertIn("workload.gemm.n=264: got '264', expected a multiple of 16", self.refused(*run, "workload.gemm.n=264"))
        self.assertIn("workload.gemm.m=204: got '204', expected a multiple of 8", self.refused(*run, "workload.gemm.m=204"))
        self.assertIn("expected one of {auto, 64x128_64x6, ", self.refused(*run, "workload.multistage=128x128_32x5"))
        self.assertIn("the machine has no rate for its HMMA.SP.16832",
                      self.refused(*run, "sm.tensor_rates.hmma_sp_16832.products_per_cycle=0"))
        self.assertIn("tensor_core.kind fedp with workload.structured_sparsity 2of4",
                      self.refused(*run, "tensor_core.kind=outer_product"))
        for machine in ("v100", "rtx_2080_ti"):
            self.assertIn("the machine has no rate for its HMMA.SP.16832",
                          self.refused(machine, "multistage_2of4", *STRUCTURED))
        self.assertIn("workload.structured_sparsity none unless workload.kind is gemm and workload.kernel multistage",
                      self.refused("v100", "library", *STRUCTURED, "--set", "workload.structured_sparsity=2of4"))

    def test_machines_without_the_instructions_are_refused(self):
        for machine in ("v100", "rtx_2080_ti"):
            self.assertIn("the machine has no rate for its HMMA.16816", self.refused(machine, "multistage", *PRODUCT))
        trace = os.path.join(ROOT, "tests", "golden", "traces", "tiny", "kernelslist.g")
        self.assertIn("got 'HMMA.884.F32.F32.STEP0', but the machine has no rate for it",
                      self.refused("a100", "--trace", trace, "--set", "logging.level=error"))

    def test_kernels_and_prices_of_volta_are_named(self):
        out = self.out()
        done = tessera("run", "a100", "library", *PRODUCT, "--set", "gpu.energy_table=volta_12nm", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(FOREIGN + "the kernels and the rule that chooses among them are Volta's", done.stdout)
        self.assertIn(FOREIGN + "the prices of volta_12nm are another machine's", done.stdout)
        with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["foreign_models"]), 2)
        page = os.path.join(self.folder, "page.html")
        done = tessera("report", out, "--output", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(page, encoding="utf-8") as file:
            self.assertEqual(file.read().count("Made for another machine: "), 2)
        done = tessera("run", "v100", "library", *PRODUCT)
        self.assertNotIn(FOREIGN, done.stdout)

    def test_microbenchmarks_are_near_the_card(self):
        done = tessera("microbench", "a100", "--within", "10")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("0 rows further than 10 % from the a100", done.stdout)
        for row in ("hmma_16816_throughput", "hmma_sp_16832_throughput", "hmma_16816_bf16_latency", "ldsm_latency", "ldgsts_bandwidth"):
            self.assertIn(row, done.stdout)


if __name__ == "__main__":
    small_run.TESSERA = sys.argv.pop(1)
    unittest.main()
